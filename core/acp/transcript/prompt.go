package transcript

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// Prompt is a prompt of the app's until it is certain which item of the history it is (fault 120). An agent
// of today names the item in its answer; one of the August drafts answers {} and repeats the prompt, or does
// not. Either may come first, so an item that repeats the prompt is taken for it until something speaks
// against that.
type Prompt struct {
	// ID is the app's name for it; Content its blocks, to show it again.
	ID      uint64
	Content []byte

	text     []byte // see signature
	id       string // of its message, from the answer
	answered bool
	left     bool // by another page, or not
	waits    bool // it has not left: nothing that the agent says is it
	local    bool // at is an item made of the prompt itself; an echo may yet come
	read     bool // out of a log, where the end of the turn that has made it follows
	at       int  // the item it is taken for, -1 for none
	matched  int  // how much of text the item has repeated

	// What was in the history when it was sent cannot be it, in a replay neither.
	seen  map[string]int32
	after int
	users int
}

// Answer is the agent's answer to it, as JSON; nil where none has come.
func (p *Prompt) Answer() []byte {
	switch {
	case !p.answered:
		return nil
	case p.id == "":
		return []byte("{}")
	}
	return append(jsonrpc.AppendString([]byte(`{"messageId":`), p.id), '}')
}

// IsOwn reports whether the item of the history that it is was made of the prompt itself, since the agent has
// not repeated it.
func (p *Prompt) IsOwn() bool { return p.local }

// MessageID returns the id that the agent's answer has given it, "" for none.
func (p *Prompt) MessageID() string { return p.id }

// Sent notes that the app has sent a prompt; content is its JSON array of blocks. An agent of version 1 says
// nothing about it, so there it is an item at once.
func (r *Reducer) Sent(p uint64, content []byte, emit func(op []byte)) {
	s := r.add(p, content)
	if s.waits = true; r.version == 1 {
		r.placeOwn(s, emit)
	} else {
		r.pending(s, emit)
	}
}

// Waits notes a prompt that the app has sent, and that waits until it leaves: for an agent of version 1 it is
// an item once it does.
func (r *Reducer) Waits(p uint64, content []byte, emit func(op []byte)) {
	s := r.add(p, content)
	s.waits = true
	r.pending(s, emit)
}

// Stays notes that a prompt which was to leave has not: it waits again.
func (r *Reducer) Stays(p uint64) {
	if s := r.sentAs(p); s != nil {
		s.waits = true
	}
}

// Leaves notes that a prompt leaves: what is in the history by now cannot be it. One of version 1 does not
// say what it was asked: there it is an item from here on, behind a history that has come meanwhile.
func (r *Reducer) Leaves(p uint64, emit func(op []byte)) {
	s := r.sentAs(p)
	if s == nil {
		return
	}
	if s.waits = false; s.at >= 0 {
		return
	}
	if s.know(r); r.version == 1 {
		r.placeOwn(s, emit)
	}
}

// Own notes that the message of that id, as a log has it, is one made of the prompt itself: its echo may yet
// come.
func (r *Reducer) Own(p uint64, messageID string, content []byte) {
	n, known := r.index[itemUserMessage][messageID]
	if !known {
		return
	}
	s := r.sentAs(p)
	if s == nil {
		s = r.add(p, content)
	}
	s.at, s.local, s.answered, s.read = int(n), true, true, true
	r.items[n].local = true
}

// Left notes a prompt that another page has sent, or was about to: in version 1 as well only
// the history shows whether the agent has it.
func (r *Reducer) Left(p uint64, content []byte, emit func(op []byte)) {
	s := r.add(p, content)
	s.left = true
	r.pending(s, emit)
}

func (r *Reducer) add(p uint64, content []byte) *Prompt {
	if len(content) == 0 || content[0] != '[' {
		content = []byte("[]")
	}
	s := &Prompt{ID: p, Content: bytes.Clone(content), text: signature(content), at: -1}
	s.know(r)
	r.sent = append(r.sent, s)
	return s
}

// know notes what is in the history.
func (s *Prompt) know(r *Reducer) {
	s.seen, s.after, s.users = r.index[itemUserMessage], len(r.items), r.users
}

// Accepted notes the answer to a prompt: the id of its message, or "" if it says none.
func (r *Reducer) Accepted(p uint64, messageID string, emit func(op []byte)) {
	s := r.sentAs(p)
	if s == nil {
		return
	}
	s.answered = true
	if messageID == "" || len(messageID) > maxIDBytes {
		return
	}
	n, known := r.index[itemUserMessage][messageID]
	if s.local {
		if !known {
			r.index[itemUserMessage][messageID] = int32(s.at)
		}
		return
	}
	s.id = messageID
	if known && s.at == int(n) {
		r.forget(s)
		return
	}
	old, text := s.at, s.text[:s.matched]
	s.at, s.matched = -1, 0
	if known && r.items[n].size > 0 { // an empty one takes the prompt's place when it is filled
		if other := r.boundTo(int(n)); other != nil {
			r.release(other, emit)
		}
		if r.forget(s); old < 0 {
			r.say("placed", s, emit)
		}
	} else if old >= 0 {
		r.pending(s, emit)
	}
	r.pass(old, text, emit)
}

// Unsent notes that a prompt will not be in the history: refused, withdrawn, or it never left.
func (r *Reducer) Unsent(p uint64, emit func(op []byte)) {
	s := r.sentAs(p)
	if s == nil {
		return
	}
	r.forget(s)
	if s.local {
		return // it has been shown, and a history does not shrink
	}
	r.say("unsent", s, emit)
	r.pass(s.at, s.text[:s.matched], emit)
}

// Placed notes that a prompt is in the history, as whoever has heard its answer knows.
func (r *Reducer) Placed(p uint64, emit func(op []byte)) {
	if s := r.sentAs(p); s != nil && !s.local {
		if r.forget(s); s.at < 0 {
			r.say("placed", s, emit)
		}
	}
}

// TurnEnded notes that a turn has ended. Prompts that were accepted and never echoed get an item of their
// own; the echo of one may still come until the next turn ends.
func (r *Reducer) TurnEnded(emit func(op []byte)) {
	for _, s := range slices.Clone(r.sent) {
		// in version 1 the answer is the turn's end
		switch answered := s.answered || r.version == 1 && !s.left && !s.waits; {
		case s.local && s.read:
			s.read = false
		case s.local && r.version == 1 && !s.answered: // it may not have left: the turn was another's
		case s.local, answered && s.at >= 0:
			r.forget(s)
		case answered:
			r.placeOwn(s, emit)
		}
	}
}

// placeOwn makes an item of a prompt, or fills the one that the agent left empty.
func (r *Reducer) placeOwn(s *Prompt, emit func(op []byte)) {
	at := len(r.items)
	if n, known := r.index[itemUserMessage][s.id]; known && s.id != "" {
		at = int(n)
	}
	if !r.room(at, []byte(s.id)) {
		r.forget(s)
		r.say("unsent", s, emit)
		return
	}
	it := r.item(at, itemUserMessage)
	it.local, it.own, it.size = true, s.id == "", len(s.Content)
	raw := jsonrpc.AppendString(nil, s.id)
	if it.own {
		raw = r.ownID()
	}
	r.openPut(at, itemUserMessage, raw)
	r.member("content", s.Content)
	r.closePut()
	r.keep(at, it, []byte(s.id), !it.own)
	emit(r.op)
	s.at, s.local = at, true
	r.say("placed", s, emit)
	if !it.own {
		r.forget(s) // an echo is known by the id
	}
}

// Prompts returns those that are not known to be in the history for certain, in their
// order. They stay the reducer's.
func (r *Reducer) Prompts() []*Prompt { return r.sent }

// ForgetPrompts forgets them, without a word to the page.
func (r *Reducer) ForgetPrompts() { r.sent = nil }

// adopt looks for the prompt that a new user message repeats, and returns that prompt's item. text is what
// has come of the message; whole says that no more of the message follows.
func (r *Reducer) adopt(id, text []byte, whole bool) (at int, ok bool) {
	for _, s := range r.sent {
		if !s.local || len(text) == 0 || !bytes.HasPrefix(s.text, text) || whole && len(text) != len(s.text) {
			continue
		}
		if id != nil {
			r.index[itemUserMessage][string(id)] = int32(s.at)
			r.idBytes += len(id)
		}
		r.forget(s)
		return s.at, true
	}
	return 0, false
}

// repeated looks which prompt a message of the user's repeats. content is the whole of it, or one chunk more.
func (r *Reducer) repeated(at int, id, content []byte, whole bool, emit func(op []byte)) {
	if len(r.sent) == 0 {
		return
	}
	for _, s := range r.sent {
		if s.id != "" && s.id == string(id) {
			if r.items[at].size == 0 {
				return
			}
			if other := r.boundTo(at); other != nil && other != s {
				r.release(other, emit)
			}
			r.forget(s)
			r.say("placed", s, emit)
			return
		}
	}
	if content == nil {
		return
	}
	text := signature(content)
	if s := r.boundTo(at); s != nil {
		from := s.matched
		if whole {
			from = 0
		}
		if s.repeats(text, from, whole) {
			s.matched = from + len(text)
			return
		}
		if r.release(s, emit); !whole {
			return // text is but the end of the message
		}
	}
	r.bind(at, id, text, whole, emit)
}

// repeats reports whether text goes on where the prompt's own stands at from.
func (s *Prompt) repeats(text []byte, from int, whole bool) bool {
	return bytes.HasPrefix(s.text[from:], text) && (!whole || len(text) == len(s.text))
}

// bind takes the item at for the first prompt that it repeats.
func (r *Reducer) bind(at int, id, text []byte, whole bool, emit func(op []byte)) {
	if len(text) == 0 {
		return
	}
	for _, s := range r.sent {
		if s.at >= 0 || s.waits || s.id != "" || !s.repeats(text, 0, whole) || !r.isAfter(s, at, id) {
			continue
		}
		s.at, s.matched = at, len(text)
		r.say("placed", s, emit)
		return
	}
}

// isAfter reports whether a message was not in the history when the prompt was sent. Without an id only its
// place among the user's messages tells.
func (r *Reducer) isAfter(s *Prompt, at int, id []byte) bool {
	if id != nil {
		n, known := s.seen[string(id)]
		return !known || int(n) >= s.after
	}
	place := 0
	for _, it := range r.items[:at] {
		if it.kind == itemUserMessage {
			place++
		}
	}
	return place >= s.users
}

// pass gives an item that turned out not to be a prompt's to the next prompt with the same text.
func (r *Reducer) pass(at int, text []byte, emit func(op []byte)) {
	if at < 0 {
		return
	}
	var id []byte
	for key, n := range r.index[itemUserMessage] {
		if int(n) == at {
			id = []byte(key)
			break
		}
	}
	r.bind(at, id, text, false, emit)
}

// release says that a prompt is not the item that it was taken for.
func (r *Reducer) release(s *Prompt, emit func(op []byte)) {
	s.at, s.matched = -1, 0
	r.pending(s, emit)
}

func (r *Reducer) sentAs(p uint64) *Prompt {
	for _, s := range r.sent {
		if s.ID == p {
			return s
		}
	}
	return nil
}

// boundTo returns the prompt that the item is taken for without being made of it.
func (r *Reducer) boundTo(at int) *Prompt {
	for _, s := range r.sent {
		if s.at == at && !s.local {
			return s
		}
	}
	return nil
}

func (r *Reducer) forget(s *Prompt) {
	r.sent = slices.DeleteFunc(r.sent, func(other *Prompt) bool { return other == s })
}

func (r *Reducer) pending(s *Prompt, emit func(op []byte)) {
	b := strconv.AppendUint(append(r.op[:0], `{"op":"pending","prompt":`...), s.ID, 10)
	r.op = append(append(jsonrpc.Raw(b, `,"content":`), s.Content...), '}')
	emit(r.op)
}

// say emits one of the operations that only name a prompt.
func (r *Reducer) say(op string, s *Prompt, emit func(op []byte)) {
	b := jsonrpc.Raw(append(append(r.op[:0], `{"op":"`...), op...), `","prompt":`)
	r.op = append(strconv.AppendUint(b, s.ID, 10), '}')
	emit(r.op)
}

// ReadPromptOp returns which prompt an operation is about: pending, placed, unsent.
func ReadPromptOp(op []byte) (name string, id uint64, ok bool) {
	for _, name := range []string{"pending", "placed", "unsent"} {
		if rest, found := bytes.CutPrefix(op, []byte(`{"op":"`+name+`","prompt":`)); found {
			id, ok = jsonrpc.Uint(rest[:bytes.IndexAny(rest, ",}")])
			return name, id, ok
		}
	}
	return "", 0, false
}

// signature returns what two messages are compared by: the text of their blocks without white space, which
// agents trim and normalise, and of other blocks the type. content is an array of blocks or one block.
func signature(content []byte) []byte {
	blocks := jsonrpc.Elements(content)
	if jsonrpc.IsObject(content) {
		blocks = [][]byte{content}
	}
	var b []byte
	for _, block := range blocks {
		value, _ := jsonrpc.Member(block, "type")
		kind, _ := jsonrpc.String(value)
		if kind != "text" {
			b = append(append(b, 0), kind...)
			continue
		}
		value, _ = jsonrpc.Member(block, "text")
		text, _ := jsonrpc.String(value)
		for i := range len(text) {
			if text[i] > ' ' {
				b = append(b, text[i])
			}
		}
	}
	return b
}
