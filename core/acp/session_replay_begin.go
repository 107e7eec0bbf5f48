package acp

import (
	"bytes"
	"slices"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/acp/transcript"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// Where a history begins. What came on the stream before it was asked for, or when it was asked for
// the first time and cut, is in front of it: the rest of what was missed. All of that comes once more.

// covers reports whether updates have as many items as are known, but for prompts that the agent has not
// answered.
func (s *session) covers(c *Client, updates [][]byte) bool {
	t := transcript.New(s.version(), c.cfg.Limits.Item)
	for _, u := range updates {
		t.Update(u, func([]byte) {})
	}
	own := 0
	for _, p := range s.transcript.Prompts() {
		if p.IsOwn() && p.Answer() == nil {
			own++
		}
	}
	return t.Len() >= s.transcript.Len()-own
}

// begin returns where among updates the history begins, and whether it begins at all: at the last
// message of the user, or at the last update of the first known item, before which every update
// comes again later. An agent need not keep all that it has said: where it has not, that has to be
// so of the messages alone, and where it begins with the first known item by that, it does (fault 701).
func (s *session) begin(updates [][]byte) (at int, begins bool) {
	if at, begins = s.beginAfter(updates, true); s.first == nil || begins && s.isFirst(updates[at]) {
		return at, begins
	}
	if other, ok := s.beginAfter(updates, false); ok && (!begins || s.isFirst(updates[other])) {
		return other, true
	}
	return at, begins
}

// isFirst reports whether an update is of the first item that is known.
func (s *session) isFirst(update []byte) bool { return bytes.Equal(s.nameOf(update), s.first) }

// beginAfter is the same, where all that was said, or only the messages, has to come again.
func (s *session) beginAfter(updates [][]byte, all bool) (at int, begins bool) {
	last := map[string]int{}
	for i, u := range updates {
		if name := s.nameOf(u); name != nil {
			last[string(name)] = i
		}
	}
	again := len(updates) // up to here all that was passed comes once more
	var before []byte
	for i, u := range updates {
		name := s.nameOf(u)
		if name == nil {
			continue
		}
		first := s.first != nil && bytes.Equal(name, s.first)
		opens := first || i > 0 && bytes.HasPrefix(name, []byte("user_message"))
		if opens && i <= again && !bytes.Equal(name, before) {
			at, begins = i, true
		}
		if before = name; all || first || isMessage(name) {
			again = min(again, last[string(name)])
		}
	}
	return at, begins
}

// isMessage reports whether a name is a message's.
func isMessage(name []byte) bool {
	for _, kind := range []string{"user_message", "agent_message", "agent_thought"} {
		if bytes.HasPrefix(name, []byte(kind)) {
			return true
		}
	}
	return false
}

// fromBeginning returns the history that begins at at, with what has no name and does not come again:
// the values of the session, and what no version of the protocol knows.
func fromBeginning(updates [][]byte, at int) [][]byte {
	later := map[uint64]bool{}
	for _, u := range updates[at:] {
		later[mark(u)] = true
	}
	var kept [][]byte
	for i := at - 1; i >= 0; i-- {
		if u := updates[i]; nameIn(u, names[:]) == nil && !later[mark(u)] {
			later[mark(u)] = true // before it, it was the rest
			kept = append(kept, u)
		}
	}
	slices.Reverse(kept)
	return append(kept, updates[at:]...)
}

// withoutRest returns updates without the rest of a history that was cut, where no update has a name, as
// those of version 1 may have none: that is a beginning which is the end as well. What had come before the
// cut is not in it, and the history has all that is known.
func (s *session) withoutRest(c *Client, r *replay, updates [][]byte) [][]byte {
	if s.version() != 1 || r.alone || slices.ContainsFunc(
		updates, func(u []byte) bool { return s.nameOf(u) != nil }) {
		return updates
	}
	n := len(updates)
	// of each beginning the longest that is its end as well
	marks, borders := make([]uint64, n), make([]int, n)
	for i, u := range updates {
		marks[i] = mark(u)
		if i == 0 {
			continue
		}
		k := borders[i-1]
		for k > 0 && marks[i] != marks[k] {
			k = borders[k-1]
		}
		if marks[i] == marks[k] {
			k++
		}
		borders[i] = k
	}
	for k, tries := n, 8; k > 0 && tries > 0; {
		if k = borders[k-1]; k == 0 || k+r.had > n-k {
			continue
		}
		if s.covers(c, updates[k:]) {
			return updates[k:]
		}
		tries-- // each looks at all of them
	}
	return updates
}

// names are the members by which an update of version 2 names its item; in version 1 messages have a name, or
// none.
var names = [...]string{"messageId", "toolCallId", "terminalId", "compactionId"}

// parts are what an update of an item is called beside it.
var parts = [...]string{"_chunk", "_content", "_update", "_output", "_summary"}

// nameOf names the item that an update is of; nil where it is of none.
func (s *session) nameOf(update []byte) []byte {
	if s.version() == 1 {
		return nameIn(update, names[:1])
	}
	return nameIn(update, names[:])
}

func nameIn(update []byte, known []string) []byte {
	var id []byte
	for _, member := range known {
		if value, ok := jsonrpc.Member(update, member); ok {
			id = value
			break
		}
	}
	if plan, ok := jsonrpc.Member(update, "plan"); id == nil && ok && len(known) > 1 {
		id, _ = jsonrpc.Member(plan, "planId")
	}
	if id == nil {
		return nil
	}
	value, _ := jsonrpc.Member(update, "sessionUpdate")
	kind, _ := jsonrpc.String(value)
	for _, part := range parts {
		kind = strings.TrimSuffix(kind, part)
	}
	return append([]byte(kind), id...)
}
