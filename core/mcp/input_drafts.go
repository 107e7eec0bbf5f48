package mcp

import (
	"bytes"
	"slices"
	"sort"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// drafts are the answers that a person has begun, by the id that the journal has
// for what was asked (questionID, inputID, recorded.RoundID). They are not for the
// server, and gone with the answer.
type drafts struct {
	saved  map[string][]byte // JSON
	unsent []string          // ids of those that are not written yet
	at     engine.Time       // when the next may be written
}

// SaveDraft keeps the answer that a person has begun, JSON, to a request for
// input of a call: one of the requests of EventInput by its key, or the request
// of EventRequest with that handle where handle is not 0. No draft withdraws the
// one before. Only the tab that carries the call keeps any.
func (c *Client) SaveDraft(now engine.Time, id engine.CallID, handle uint32, key string, draft []byte) {
	c.effects.Begin(now)
	call, question := c.openQuestion(id, handle, key)
	if call == nil || !durable.IsDraft(draft, c.cfg.Limits.Depth) {
		return
	}
	d := &call.drafts
	if bytes.Equal(d.saved[string(question)], draft) {
		return
	}
	d.drop(question)
	if len(draft) > 0 {
		if d.saved == nil {
			d.saved = map[string][]byte{}
		}
		d.saved[string(question)] = bytes.Clone(draft)
	}
	if call.record != nil {
		d.unsent = append(d.unsent, string(question))
	}
	call.writeDrafts(c, now)
}

// openQuestion returns the call that was asked something which nobody has
// answered yet, and the id of that; nil for none.
func (c *Client) openQuestion(id engine.CallID, handle uint32, key string) (*call, []byte) {
	for _, a := range c.openQuestions {
		if handle != 0 && a.handle == handle && a.call != nil && a.call.state < callEnding {
			c.reschedule(a.call)
			return a.call, questionID(a.id)
		}
	}
	call := c.callOf(id)
	if call == nil || handle != 0 {
		return nil, nil
	}
	if call.task != nil && call.task.waiting[key] != nil {
		return call, inputID(key)
	}
	if _, asked := jsonrpc.Member(call.asks, key); asked && call.state == callAsking {
		return call, recorded.RoundID(key)
	}
	return nil, nil
}

// writeDrafts writes those that are due: in the row that waits, the last of each.
func (call *call) writeDrafts(c *Client, now engine.Time) {
	d := &call.drafts
	if now < call.draftsDue(c) {
		return
	}
	written := 0
	for _, id := range d.unsent {
		written += c.writeDraft(call, []byte(id))
	}
	d.unsent, d.at = d.unsent[:0], durable.NextDraft(now, written)
}

func (c *Client) writeDraft(call *call, id []byte) int {
	return call.record.WriteDraft(id, call.drafts.saved[string(id)])
}

// rewriteDrafts writes all of a live call again after the store was cleared.
func (c *Client) rewriteDrafts(call *call) {
	call.drafts.unsent = call.drafts.unsent[:0]
	for _, id := range sortedKeys(call.drafts.saved) {
		c.writeDraft(call, []byte(id))
	}
}

// sortedKeys returns the keys of a map in their order (core/durable, byLoss, says why with sort.Sort).
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Sort(sort.StringSlice(keys))
	return keys
}

// drop forgets the draft of what is answered, or about to have another one.
func (d *drafts) drop(id []byte) {
	delete(d.saved, string(id))
	d.unsent = slices.DeleteFunc(d.unsent, func(other string) bool { return other == string(id) })
}

// draftsDue returns when writeDrafts is due: never for a call that a reload loses,
// form and all, and once it does not any more.
func (call *call) draftsDue(c *Client) engine.Time {
	if len(call.drafts.unsent) == 0 || call.guaranteeOnceStored(c) == durable.LostOnReload {
		return engine.Never
	}
	return call.drafts.at
}

// restore brings back what was stored of a call. What is no JSON would spoil the
// event that it goes into.
func (d *drafts) restore(c *Client, r *recorded.Call) {
	*d = drafts{saved: map[string][]byte{}}
	for _, draft := range r.Drafts {
		if jsonrpc.Valid(draft.Message, c.cfg.Limits.Depth) == nil {
			d.saved[string(draft.ID)] = draft.Message
		}
	}
}

// withSaved adds to an event with requests for input what was saved of their
// answers: "drafts", by the same keys.
func (d *drafts) withSaved(event, requests []byte, id func(key string) []byte) []byte {
	var saved []byte
	entries, _ := jsonrpc.Entries(requests, maxTaskInput)
	for _, e := range entries {
		if draft := d.saved[string(id(e.Key))]; draft != nil {
			saved = appendInput(saved, e.Key, draft)
		}
	}
	if saved == nil {
		return event
	}
	event = append(event[:len(event)-1], `,"drafts":`...)
	return append(append(event, saved...), '}', '}')
}
