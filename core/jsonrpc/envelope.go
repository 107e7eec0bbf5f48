package jsonrpc

import "bytes"

// member is the set of envelope members seen so far, one bit each.
type member uint8

const (
	memberVersion member = 1 << iota
	memberID
	memberMethod
	memberParams
	memberResult
	memberError
)

// reader gathers the envelope of one message.
type reader struct {
	m     Message
	notes *noted // what notes the members of a result; nil for nothing
	seen  member
	bad   problem // the first fault of the envelope
	badAt int
}

// read passes over the value at t[i] and gathers its envelope. It returns the offset after the value, or a
// problem that makes the text no JSON; a fault of the envelope is left in r.bad, so that broken text is
// always called broken.
func (r *reader) read(t []byte, i, limit int) (int, problem) {
	if i >= len(t) || t[i] != '{' {
		r.refuse(notObject, i)
		return skip(t, i, limit)
	}
	w := walker{text: t, pos: i, limit: limit - 1}
	for w.name() && r.value(&w) {
		r.take(&w)
	}
	if w.bad != fine {
		return w.pos, w.bad
	}
	r.m.Raw = t[i:w.pos:w.pos]
	r.judge(i)
	return w.pos, fine
}

// value passes over the value of a member. Of a result it notes the members as it passes: to look for one
// afterwards takes as long as to read it all again, which for a large result was a quarter of the client's
// time.
func (r *reader) value(w *walker) bool {
	t, i := w.text, w.valueAt
	if r.notes == nil || i >= len(t) || t[i] != '{' || w.limit < 1 || r.seen&memberResult != 0 ||
		memberNamed(w.key) != memberResult {
		end, p := skip(t, i, w.limit)
		if p != fine {
			return w.fail(end, p)
		}
		w.ends(end)
		return true
	}
	in := walker{text: t, pos: i, limit: w.limit - 1}
	r.notes.n, r.m.members = 0, r.notes
	for in.next() {
		r.notes.note(in.keyAt+1-i, len(in.key), in.valueAt-i, len(in.value))
	}
	if in.bad != fine {
		return w.fail(in.pos, in.bad)
	}
	w.ends(in.pos)
	return true
}

func (r *reader) refuse(p problem, at int) {
	if r.bad == fine {
		r.bad, r.badAt = p, at
	}
}

// take files a member if it belongs to the envelope.
func (r *reader) take(w *walker) {
	which := memberNamed(w.key)
	if which == 0 {
		return
	}
	if r.seen&which != 0 {
		r.refuse(duplicateKey, w.keyAt)
		return
	}
	r.seen |= which
	v, first := w.value, w.value[0]
	ok, p := true, fine
	switch which {
	case memberVersion:
		ok, p = first == '"' && spells(inside(v), "2.0"), wrongVersion
	case memberID:
		if ok, p = r.takeID(v), wrongID; ok && len(r.m.ID.Text) > MaxID {
			ok, p = false, longID
		}
	case memberMethod:
		if ok, p = first == '"', wrongMethod; ok {
			r.m.Method = methodText(inside(v))
		}
	// 4.2: a structured value. Null is what serializers write that have a place for each member, and as good
	// as none.
	case memberParams:
		if ok, p = first == '{' || first == '[' || first == 'n', wrongParams; first != 'n' {
			r.m.Params = v
		}
	case memberResult:
		r.m.Result = v
	case memberError: // 5.1
		ok, p = first == '{', wrongError
		r.m.Error = v
	}
	if !ok {
		r.refuse(p, w.valueAt)
	}
}

// memberNamed returns the envelope member that a key names, or 0. Only a key that is none of the six as it
// stands is looked at for escapes.
func memberNamed(key []byte) member {
	switch string(key) {
	case "jsonrpc":
		return memberVersion
	case "id":
		return memberID
	case "method":
		return memberMethod
	case "params":
		return memberParams
	case "result":
		return memberResult
	case "error":
		return memberError
	}
	if bytes.IndexByte(key, '\\') < 0 {
		return 0
	}
	for i, name := range [...]string{"jsonrpc", "id", "method", "params", "result", "error"} {
		if spells(key, name) {
			return 1 << i
		}
	}
	return 0
}

func (r *reader) takeID(v []byte) bool {
	switch c := v[0]; {
	case c == '"':
		r.m.ID = ID{Kind: IDString, Text: inside(v)}
	case c == '-' || c-'0' < 10:
		r.m.ID = ID{Kind: IDNumber, Text: v}
	case c == 'n':
		r.m.ID = ID{Kind: IDNull}
	default:
		return false
	}
	return true
}

// judge names the kind of the message by which members it has (sections 4 and 5), start being where it
// begins.
func (r *reader) judge(start int) {
	const reply = memberResult | memberError
	switch {
	case r.seen&memberVersion == 0:
		r.refuse(noVersion, start)
	case r.seen&memberMethod != 0 && r.seen&reply != 0:
		r.refuse(methodAndReply, start)
	case r.seen&reply == reply:
		r.refuse(resultAndError, start)
	case r.seen&memberMethod != 0 && r.seen&memberID != 0:
		r.m.Kind = Request
	case r.seen&memberMethod != 0:
		r.m.Kind = Notification
	case r.seen&memberError != 0:
		r.m.Kind = ErrorResponse
	case r.seen&memberResult == 0:
		r.refuse(nothingToDo, start)
	case r.m.ID.Kind == IDNone || r.m.ID.Kind == IDNull:
		// Null is for errors whose request could not be identified (section 5); we never send a null id.
		r.refuse(resultWithoutID, start)
	default:
		r.m.Kind = Response
	}
	if r.seen&memberMethod == 0 {
		r.m.Params = nil // a reply has no params; there it is a key like any other
	}
}

// inside strips the quotes of a string.
func inside(v []byte) []byte { return v[1 : len(v)-1 : len(v)-1] }

func methodText(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	return appendUnescaped(make([]byte, 0, len(raw)), raw)
}
