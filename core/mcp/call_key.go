package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// A key names one call of a server and user, whichever page makes it. Pages that
// make it at the same time cannot know of each other: the store decides, in the
// transaction that adds the head. So a call with a key leaves only once its head
// is stored, and the one that comes too late becomes the other page's call: the
// app has its object already, which then gets that call's events and its result.

// claimKey has the store decide whose the key of t is.
func (c *Client) claimKey(t *call, flags journal.OpFlags) {
	if t.record.key != "" {
		c.writer.Put(journal.Op{Kind: journal.OpKey, Flags: flags, Call: t.record.ID, Plain: []byte(t.record.key)})
	}
}

// claimsKey reports whether it is not decided yet whose the key of t is, and another
// page may have it: none has anything to do with this one after a logout.
func (t *call) claimsKey(c *Client) bool {
	return t.record != nil && t.record.key != "" && !t.left && !c.writer.Has(t.record.headIn) && !c.writer.Closed()
}

// heardOfKey takes a call of another page's, if a call of this page's is being
// stored under its key: that page was first, which the store is about to say.
// Reports whether the app need not be told of it as of another call.
func (c *Client) heardOfKey(now engine.Time, h journal.Head, head journal.Op, log []journal.Op) bool {
	if h.Key == "" || c.state == stateNew {
		return false
	}
	for _, t := range c.calls {
		if t.role != roleApp || t.record == nil || t.record.key != h.Key || t.state == callFollowed || !t.claimsKey(c) {
			continue
		}
		// The other call may have been forgotten before ours was stored: then it
		// is ours that is stored, and must not be sent by a later page.
		c.writer.Put(journal.Op{Kind: journal.OpForget, Flags: journal.OpOwned, Call: t.record.ID})
		return c.becomes(now, t, h, head, log)
	}
	return false
}

// lostKey takes the store's word that the key of a call of this page's is
// another's, whose head and log these are. No head is one that cannot be read.
func (c *Client) lostKey(now engine.Time, id uint64, head journal.Op, log []journal.Op) {
	t := c.callOfRecord(id)
	c.reschedule(t)
	switch {
	case t == nil, t.record.Memory && !t.undecided(c):
		return // it follows that one already; or it has left, and is not stored any more
	case t.state >= callEnding:
		// The app has cancelled it: nothing more of it is to be written.
		c.undirty(t)
		t.record.Memory = true
		return
	}
	if head.Kind != journal.OpCall || c.callOfRecord(head.Call) != nil {
		c.refuseKey(now, t)
		return
	}
	h, _, err := c.readable(head, log)
	if err != nil {
		c.unreadable(head.Call, err)
		c.refuseKey(now, t)
		return
	}
	if !c.becomes(now, t, h, head, log) {
		c.recall(now, head, log)
	}
}

// becomes makes t, which has not been sent, the call of another page's that has its
// key; where that is another request it is refused, and false returned.
func (c *Client) becomes(now engine.Time, t *call, h journal.Head, head journal.Op, log []journal.Op) bool {
	c.reschedule(t)
	if h.Method != t.method || !sameRequest(h.Params, t.params) {
		c.refuseKey(now, t)
		return false
	}
	c.unrecord(t)
	c.undirty(t)
	delete(c.byID, t.request)
	// What says how to run it is that call's, for when this page takes it over.
	t.request = requestID(head.Call)
	t.params, t.meta, t.header, t.flags = bytes.Clone(h.Params), bytes.Clone(h.Meta), h.Header, h.Flags
	t.timeouts = Timeouts{Answer: h.Answer, Idle: h.Idle, Total: h.Total, Send: h.SendWithin}.or(c.cfg.Timeouts)
	t.record.ID, t.record.Position = head.Call, durable.Position{}
	c.byRecord[head.Call] = t
	head.Flags &^= journal.OpOwned
	c.changeHands(now, t, head, log)
	return true
}

// sameRequest reports whether an app asks the same with two requests of one method.
// Whether the server may make a task of it is not the app's word: that follows from
// what the page knows of the tool (fault 145).
func sameRequest(a, b []byte) bool {
	return bytes.Equal(jsonrpc.AppendWithout(nil, a, "task"), jsonrpc.AppendWithout(nil, b, "task"))
}

// refuseKey ends a call that has not been sent, and of which nothing is stored.
func (c *Client) refuseKey(now engine.Time, t *call) {
	c.unrecord(t)
	c.undirty(t)
	t.record = nil
	c.settle(now, t, engine.OutcomeFailure, nil, &engine.Error{
		Code: engine.CodeKeyInUse, Op: t.method, Message: "another call has this key"})
}
