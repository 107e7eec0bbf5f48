package mcp

import (
	"sort"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// SaveDraft keeps the answer that a person has begun, JSON, to a request for
// input of a call: one of the requests of EventInput by its key, or the request
// of EventRequest with that handle where handle is not 0. No draft withdraws the
// one before. Only the tab that carries the call keeps any.
func (c *Client) SaveDraft(now engine.Time, id engine.CallID, handle uint32, key string, draft []byte) {
	c.effects.Begin(now)
	call, question := c.openQuestion(id, handle, key)
	if call != nil && call.drafts.Save(question, draft, c.cfg.Limits.Depth, call.record != nil) {
		call.writeDrafts(c, now)
	}
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
	if now >= call.draftsDue(c) {
		call.drafts.Write(now, &call.record.Log)
	}
}

// rewriteDrafts writes all of them into a log that begins again.
func (call *call) rewriteDrafts() {
	if call.record != nil {
		call.drafts.Rewrite(&call.record.Log)
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

// draftsDue returns when writeDrafts is due: never for a call that a reload loses,
// form and all, and once it does not any more.
func (call *call) draftsDue(c *Client) engine.Time {
	at := call.drafts.Due()
	if at != engine.Never && call.guaranteeOnceStored(c) == durable.LostOnReload {
		return engine.Never
	}
	return at
}

// restoreDrafts brings back what was stored of a call's.
func (call *call) restoreDrafts(c *Client, r *recorded.Call) {
	call.drafts = durable.Drafts{}
	for _, draft := range r.Drafts {
		call.drafts.Restore(draft.ID, draft.Message, c.cfg.Limits.Depth)
	}
}

// withDrafts adds to an event with requests for input what was saved of their
// answers: "drafts", by the same keys.
func withDrafts(d *durable.Drafts, event, requests []byte, id func(key string) []byte) []byte {
	var saved []byte
	entries, _ := jsonrpc.Entries(requests, maxTaskInput)
	for _, e := range entries {
		if draft := d.Of(id(e.Key)); draft != nil {
			saved = appendInput(saved, e.Key, draft)
		}
	}
	if saved == nil {
		return event
	}
	event = append(event[:len(event)-1], `,"drafts":`...)
	return append(append(event, saved...), '}', '}')
}
