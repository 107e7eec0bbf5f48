package transcript

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

const (
	// maxIDBytes is the longest id of an item that is taken; ids are UUIDs or shorter.
	maxIDBytes = 4 << 10
	// maxItems and maxIDsBytes bound what an agent that invents ids without end makes a session keep.
	maxItems    = 100_000
	maxIDsBytes = 16 << 20
	// maxPatchMembers bounds the members of one update; the schemas know ten.
	maxPatchMembers = 1024
)

// Reducer turns the updates of a session into operations on a list of items that the page keeps. It keeps
// none of what was said: for each item who it is, where it stands and how large it has grown.
type Reducer struct {
	version int // of the protocol: 1 or 2
	limit   int // bytes of content, or of terminal output, that one item may have

	items   []item
	index   [itemKinds]map[string]int32 // ids are unique within a type only (S2 MessageId)
	idBytes int
	users   int // how many of the items are the user's messages

	run    int // v1: the item that a chunk without an id continues, -1 for none
	runs   int // ids made up so far
	cost   []byte
	loose  int       // bytes of the session's _meta, whose keys add up
	sent   []*Prompt // that are not known to be in the history for certain, in their order
	got    [memberCount][]byte
	op     []byte // what emit gets: one buffer for all
	broken string // the first rule that the update in hand broke
}

// item is what is kept of an item.
type item struct {
	kind      itemKind
	own       bool // its id is not the agent's
	local     bool // a prompt that the agent has not echoed: its first echo replaces the content
	full      bool // its content ends before the agent's does: nothing is added after the hole
	truncated bool // the page knows that something is left out
	meta      bool // it may have a _meta that a replacement must clear
	size      int  // bytes of content
	loose     int  // bytes of members that do not replace one another
}

// New returns an empty transcript; limit bounds one item's content in bytes.
func New(version int, limit int) *Reducer {
	r := &Reducer{version: version, limit: limit}
	r.clear()
	return r
}

// SetVersion sets the version of the protocol, 1 or 2, which is known late where a
// session is restored before its agent is heard.
func (r *Reducer) SetVersion(version int) { r.version = version }

// Len returns how many items there are.
func (r *Reducer) Len() int { return len(r.items) }

// EndsWithUser reports whether the last item is a message of the user's. Notices, and what
// nobody knows, are no part of the conversation.
func (r *Reducer) EndsWithUser() bool {
	for i := len(r.items) - 1; i >= 0; i-- {
		if kind := r.items[i].kind; kind != itemNotice && kind != itemUnknown {
			return kind == itemUserMessage
		}
	}
	return false
}

// AwaitsEcho reports whether a prompt that the agent has accepted is not in the history.
func (r *Reducer) AwaitsEcho() bool {
	return slices.ContainsFunc(r.sent, func(s *Prompt) bool { return s.answered && s.at < 0 })
}

func (r *Reducer) clear() {
	r.items = r.items[:0]
	for i := range r.index {
		r.index[i] = map[string]int32{} // a new one: prompts hold on to what was known when they were sent
	}
	r.idBytes, r.users, r.run, r.runs, r.cost, r.loose = 0, 0, -1, 0, nil, 0
}

// Update applies the update of a session/update, which is part of a text that jsonrpc has accepted, and emits
// operations, each valid during its call only. It returns the rule that the agent broke, or "".
func (r *Reducer) Update(update []byte, emit func(op []byte)) (what string) {
	r.broken = ""
	r.apply(update, emit)
	clear(r.got[:])
	return r.broken
}

func (r *Reducer) apply(update []byte, emit func(op []byte)) {
	if !jsonrpc.IsObject(update) {
		r.breaks(ruleUpdate)
		return
	}
	jsonrpc.Members(update, updateMembers, r.got[:])
	name, rule := idText(r.got[memberName], ruleType)
	if rule != "" {
		r.breaks(ruleType)
		return
	}
	row := rowOf(name, r.speaks())
	if row == nil {
		r.unknown(update, emit)
		return
	}
	switch row.mode {
	case modeUpsert, modeReplace:
		r.upsert(row, update, emit)
	case modeChunk:
		r.chunk(row, emit)
	case modeOutput:
		r.output(row, emit)
	case modeSession:
		r.sessionValue(row, update, emit)
	case modeUsage:
		r.usage(update, emit)
	case modeLive:
		r.live(row, update, emit)
	case modeState:
	}
}

// breaks notes that the agent broke a rule. One is enough for an update.
func (r *Reducer) breaks(rule string) {
	if r.broken == "" {
		r.broken = rule
	}
}

func (r *Reducer) speaks() rowVersions {
	if r.version == 1 {
		return inV1
	}
	return inV2
}

// find returns the item that an update is about, len(t.items) for a new one; ok is false if the update names
// none, or if there is no room for it.
func (r *Reducer) find(row *updateKind, raw []byte) (at int, id []byte, ok bool) {
	chunk := row.mode == modeChunk || row.mode == modeOutput
	if row.id != memberNone {
		without := ruleUpdateID
		if chunk {
			without = ruleChunkID
		}
		var rule string
		if id, rule = idText(raw, without); rule == ruleChunkID && r.version == 1 &&
			row.id == memberMessageID {
			if at = r.run; at < 0 || r.items[at].kind != row.kind {
				at = len(r.items)
			}
			return at, nil, r.room(at, nil)
		} else if rule != "" {
			r.breaks(rule)
			return 0, nil, false
		}
	}
	if n, known := r.index[row.kind][string(id)]; known {
		return int(n), id, true
	}
	return len(r.items), id, r.room(len(r.items), id)
}

// room reports whether the item at can be had.
func (r *Reducer) room(at int, id []byte) bool {
	if at < len(r.items) || at < maxItems && r.idBytes+len(id) <= maxIDsBytes {
		return true
	}
	r.breaks(ruleManyItems)
	return false
}

// keep adds or stores the item at.
func (r *Reducer) keep(at int, it item, id []byte, named bool) {
	if at < len(r.items) {
		r.items[at] = it
		return
	}
	r.items = append(r.items, it)
	if named {
		r.index[it.kind][string(id)] = int32(at)
		r.idBytes += len(id)
	}
	if it.kind == itemUserMessage {
		r.users++
	}
	if it.kind != itemNotice { // a notice is not part of the history: what it interrupts goes on
		r.run = -1
	}
}

// item returns the item at, an empty one where it is new.
func (r *Reducer) item(at int, kind itemKind) item {
	if at < len(r.items) {
		return r.items[at]
	}
	return item{kind: kind}
}

// openPut begins a put in t.op, up to the patch's brace. id is raw JSON, nil for none.
func (r *Reducer) openPut(at int, kind itemKind, id []byte) {
	b := append(r.op[:0], `{"op":"put","at":`...)
	b = strconv.AppendInt(b, int64(at), 10)
	b = append(append(jsonrpc.Raw(b, `,"type":"`), itemTypes[kind]...), '"')
	if id != nil {
		b = append(jsonrpc.Raw(b, `,"id":`), id...)
	}
	r.op = jsonrpc.Raw(b, `,"patch":{`)
}

// closePut ends it, without the comma that each member leaves behind.
func (r *Reducer) closePut() { r.op = append(bytes.TrimSuffix(r.op, []byte(",")), "}}"...) }

// ownID makes up an id for a message that has none, as raw JSON. It is not in the index: an agent's that is
// spelled like it is another item's.
func (r *Reducer) ownID() []byte {
	prefix := `"local:`
	if r.version == 1 {
		prefix = `"v1:`
	}
	r.runs++
	return append(strconv.AppendInt([]byte(prefix), int64(r.runs), 10), '"')
}

// ItemID returns the text of the id that names an item, or the rule that it breaks.
func ItemID(raw []byte) (id []byte, rule string) { return idText(raw, ruleUpdateID) }

// idText returns the text of an id, or the rule that it breaks.
func idText(raw []byte, without string) (id []byte, rule string) {
	switch {
	case raw == nil || string(raw) == "null":
		return nil, without
	case raw[0] != '"':
		return nil, ruleID
	case len(raw) > 6*maxIDBytes: // written in \u escapes throughout
		return nil, ruleLongID
	}
	id = raw[1 : len(raw)-1]
	if bytes.IndexByte(id, '\\') >= 0 {
		text, _ := jsonrpc.String(raw)
		id = []byte(text)
	}
	if len(id) > maxIDBytes {
		return nil, ruleLongID
	}
	return id, ""
}

// Reset forgets the session: what follows is all of it again. Prompts that may not be in it stay pending.
func (r *Reducer) Reset(emit func(op []byte)) {
	r.clear()
	r.op = append(r.op[:0], `{"op":"reset"}`...)
	emit(r.op)
	kept := r.sent[:0]
	for _, s := range r.sent {
		if s.answered && s.at >= 0 {
			continue
		}
		s.at, s.matched, s.local = -1, 0, false
		kept = append(kept, s)
		r.pending(s, emit)
	}
	clear(r.sent[len(kept):])
	r.sent = kept
}
