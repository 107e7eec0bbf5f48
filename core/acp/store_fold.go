package acp

import (
	"bytes"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// maxSeen bounds the marks of events that are kept, in bytes: what a link.Stream
// remembers.
const maxSeen = 32 << 10

// storedSession is a session folded from its head and its rows: what is needed to go on
// with it, or to look on. Its byte slices are its own.
type storedSession struct {
	durable.History
	durable.Questions
	Cursor     []byte         // id of the last event of its stream; empty for none
	Seen       []byte         // marks of the events before that, maxSeen bytes at most
	Connection string         // to the agent that has the session; "" for none
	Servers    []byte         // that the agent connects to for it, a JSON array; nil for none
	Prompts    []storedPrompt // in the order of their sending
	Marks      []answered     // of requests whose answers have been taken, as far as they are known
	Placed     []uint64       // ids of the last prompts that are in the history, maxLately at most
	// one for an agent of version 1 was taken back after it had left, and nobody is said to be at work since
	Back bool
	// one for an agent of version 1 that has left, where nobody is said to be at work since; 0 for none
	Leaves uint64
	Unsent []uint64 // ids of those that will not be, as the row in hand says it
}

// storedPrompt is one that has left, or is about to, and is not in the history.
type storedPrompt struct {
	ID      uint64
	Content []byte
	Answer  []byte // the agent's, a JSON object; nil where none has come
}

// newStoredSession returns one of which nothing but the head is known, size bytes long.
func newStoredSession(head journal.Head, size int) *storedSession {
	return &storedSession{History: durable.NewHistory(head, size),
		Questions: durable.Questions{KeepAsked: true}}
}

// Unsealed drops what a row's secret part may have replaced.
func (r *storedSession) Unsealed() { r.Cursor, r.Seen = nil, nil }

// Fold takes an entry.
func (r *storedSession) Fold(e journal.Entry) {
	switch e.Kind {
	case journal.Cursor:
		r.Cursor = bytes.Clone(e.Data)
	case journal.Seen:
		r.Seen = append(r.Seen, e.Data...)
		r.Seen = r.Seen[max(len(r.Seen)-maxSeen, 0):]
	case journal.Connection:
		if r.Connection != "" && r.Connection != string(e.Data) {
			r.Taken, r.Marks = nil, nil // ids of requests on the one before
		}
		r.Connection = string(e.Data)
		r.Cursor, r.Seen = nil, nil // of a stream on the one before
	case journal.Servers:
		r.Servers = bytes.Clone(e.Data)
	case journal.Prompt:
		r.Back = r.Back || slices.Contains(r.Unsent, e.N[0])
		r.prompt(e.N[0], bytes.Clone(e.Data))
	case journal.Placed:
		// it may have left again in the same row (fault 649)
		switch r.Unsent = withoutID(r.Unsent, e.N[0]); string(e.Data) {
		case "unsent":
			r.Unsent = append(r.Unsent, e.N[0])
			if r.Leaves == e.N[0] {
				r.Leaves = 0
			}
		case "left":
			r.Back = false
		}
		r.Placed = noteLately(r.Placed, e.N[0], string(e.Data) == "placed" || string(e.Data) == "left")
		r.Prompts = slices.DeleteFunc(r.Prompts, func(p storedPrompt) bool { return p.ID == e.N[0] })
	case journal.TakenMark:
		r.Marks = noteAnswered(r.Marks, answered{id: bytes.Clone(e.Data), mark: e.N[0]})
	case journal.Asked:
		id, _ := journal.ReadAsked(e)
		r.Reopen(id) // the tab that has written it knew that it waits
		fallthrough
	default:
		r.Questions.Fold(e, func([]byte) bool { return false })
	}
}

// prompt notes a prompt, once, or, where data is an object, the answer to one.
func (r *storedSession) prompt(id uint64, data []byte) {
	answer := jsonrpc.IsObject(data)
	for i := range r.Prompts {
		if p := &r.Prompts[i]; p.ID == id {
			if answer {
				p.Answer = data
			}
			return
		}
	}
	if !answer {
		r.Prompts = append(r.Prompts, storedPrompt{ID: id, Content: data})
	}
}

// noteLately returns the ids of the last prompts that are in the history, maxLately at most,
// after it was said of one whether it is.
func noteLately(all []uint64, id uint64, placed bool) []uint64 {
	if all = withoutID(all, id); placed {
		all = append(all, id)
	}
	return all[max(0, len(all)-maxLately):]
}

func withoutID(all []uint64, id uint64) []uint64 {
	for i, other := range all {
		if other == id {
			return append(all[:i:i], all[i+1:]...)
		}
	}
	return all
}
