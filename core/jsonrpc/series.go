package jsonrpc

// Series parses the messages of one stream. On a stream of notifications each begins as the one before it
// did: same envelope, same method, and for progress the same token. Those bytes were checked once, so they
// are compared (at some
// 5 GB/s) and only what follows them is read: half the time of [Parse] and one look at params in place of
// two.
//
// It is ready with its first field set, and not safe for concurrent use.
type Series struct {
	// Param names the member of a notification's params that [Message.Param] is.
	Param string

	text   []byte // of the last notification, up to where the next may differ
	limits Limits
	method int  // where in text the method begins; its length
	length int  // of the method
	params int  // where the params begin
	param  span // the value of Param; empty where it was not the first of params

	members noted // of the last result
}

// longestBeginning bounds what a stream's Series remembers, in bytes; real ones are about 100 long.
const longestBeginning = 1024

type span struct{ from, to int }

// Parse is [Parse] with Message.Param set, and with the members of a result noted for [Message.ResultMember]
// until the next message is read. Nothing of it depends on the messages before but the time that it takes.
func (s *Series) Parse(text []byte, l Limits) (Message, error) {
	if m, ok := s.repeated(text, l); ok {
		return m, nil
	}
	m, err := parse(text, l, &s.members)
	if err == nil && m.Kind == Notification && len(m.Params) > 0 {
		m.Param, _ = Member(m.Params, s.Param)
		s.note(text, &m, l)
	}
	return m, err
}

// repeated reads a notification that begins as the last one, and whose params end it. Any other is left to
// Parse, a faulty one as well: what is wrong with it, and where, is said there.
func (s *Series) repeated(text []byte, l Limits) (Message, bool) {
	n := len(s.text)
	if n == 0 || len(text) < n || l != s.limits || string(text[:n]) != string(s.text) {
		return Message{}, false
	}
	param := text[s.param.from:s.param.to]
	found := len(param) > 0
	w := walker{text: text, pos: n, begun: found, limit: depthLimit(l.Depth) - 2}
	if !found {
		w.pos = s.params
	}
	twice := false
	for w.next() {
		if named(w.key, s.Param) {
			twice = found
			param, found = w.value, true
		}
	}
	if w.bad != fine || w.pos != len(text)-1 || text[w.pos] != '}' {
		return Message{}, false
	}
	m := Message{Kind: Notification, Method: text[s.method : s.method+s.length : s.method+s.length],
		Params: text[s.params:w.pos:w.pos], Raw: text[:len(text):len(text)]}
	if found && !twice {
		m.Param = param[:len(param):len(param)]
	}
	return m, true
}

// note remembers the beginning of a notification whose last member is params, if it is not the one
// remembered.
func (s *Series) note(text []byte, m *Message, l Limits) {
	s.text = s.text[:0]
	params := len(text) - 1 - len(m.Params)
	if len(m.Raw) != len(text) || params < 0 || &text[params] != &m.Params[0] || m.Params[0] != '{' {
		return
	}
	method, ok := offset(text, m.Method)
	if !ok {
		return // written with escapes, and so a copy
	}
	s.limits, s.method, s.length, s.params, s.param = l, method, len(m.Method), params, span{}
	end := params + 1
	first := walker{text: text, pos: params, limit: MaxDepth}
	if first.next() && string(first.key) == s.Param {
		s.param = span{first.valueAt, first.pos}
		end = first.pos
	}
	if end <= longestBeginning {
		s.text = append(s.text, text[:end]...)
	}
}

// offset returns where part lies in text, which it may be a part of.
func offset(text, part []byte) (int, bool) {
	if len(part) == 0 {
		return 0, false
	}
	for i := range text {
		if &text[i] == &part[0] {
			return i, true
		}
	}
	return 0, false
}
