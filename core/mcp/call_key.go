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

// claimKey has the store decide whose the key of the call is.
func (c *Client) claimKey(call *call, flags journal.OpFlags) {
	if call.record.key != "" {
		c.writer.Put(journal.Op{Kind: journal.OpKey, Flags: flags, Call: call.record.ID,
			Plain: []byte(call.record.key)})
	}
}

// claimsKey reports whether it is not decided yet whose the key of the call is, and another
// page may have it: none has anything to do with this one after a logout.
func (call *call) claimsKey(c *Client) bool {
	return call.record != nil && call.record.key != "" && !call.left && !c.writer.Has(call.record.headIn) &&
		!c.writer.Closed()
}

// heardOfKey takes a call of another page's, if a call of this page's is being
// stored under its key: that page was first, which the store is about to say.
// Returns true if the app already has this call, so it needs no second event.
func (c *Client) heardOfKey(now engine.Time, h journal.Head, head journal.Op, log []journal.Op) bool {
	if h.Key == "" || c.state == stateNew {
		return false
	}
	for _, call := range c.calls {
		if call.role != roleApp || call.record == nil || call.record.key != h.Key ||
			call.state == callFollowed || !call.claimsKey(c) {
			continue
		}
		// The other call may have been forgotten before ours was stored: then it
		// is ours that is stored, and must not be sent by a later page.
		c.writer.Put(journal.Op{Kind: journal.OpForget, Flags: journal.OpOwned, Call: call.record.ID})
		return c.becomes(now, call, h, head, log)
	}
	return false
}

// lostKey takes the store's word that the key of a call of this page's is
// another's, whose head and log these are. No head is one that cannot be read.
func (c *Client) lostKey(now engine.Time, id uint64, head journal.Op, log []journal.Op) {
	call := c.callOfRecord(id)
	c.reschedule(call)
	switch {
	case call == nil, call.record.Memory && !call.undecided(c):
		return // it follows that one already; or it has left, and is not stored any more
	case call.state >= callEnding:
		// The app has cancelled it: nothing more of it is to be written.
		c.undirty(call)
		call.record.Memory = true
		return
	}
	if head.Kind != journal.OpCall || c.callOfRecord(head.Call) != nil {
		c.refuseKey(now, call)
		return
	}
	h, err := c.readable(head, log)
	if err != nil {
		c.unreadable(head.Call, err)
		c.refuseKey(now, call)
		return
	}
	if !c.becomes(now, call, h, head, log) {
		c.recall(now, head, log)
	}
}

// becomes makes the call, which has not been sent, the call of another page's that has its
// key; where that is another request it is refused, and false returned.
func (c *Client) becomes(now engine.Time, call *call, h journal.Head, head journal.Op,
	log []journal.Op) bool {
	c.reschedule(call)
	if h.Method != call.method || !sameRequest(h.Params, call.params) {
		c.refuseKey(now, call)
		return false
	}
	c.unrecord(call)
	c.undirty(call)
	delete(c.byID, call.request)
	// What says how to run it is that call's, for when this page takes it over.
	call.request = requestID(head.Call)
	call.params, call.meta, call.header, call.flags = bytes.Clone(h.Params), bytes.Clone(h.Meta), h.Header,
		h.Flags
	call.timeouts = Timeouts{Answer: h.Answer, Idle: h.Idle, Total: h.Total, Send: h.SendWithin}.or(
		c.cfg.Timeouts)
	call.record.ID, call.record.Position = head.Call, durable.Position{}
	c.byRecord[head.Call] = call
	head.Flags &^= journal.OpOwned
	c.changeHands(now, call, head, log)
	return true
}

// sameRequest reports whether an app asks the same with two requests of one method.
// Whether the server may make a task of it is not the app's word: that follows from
// what the page knows of the tool (fault 145).
func sameRequest(a, b []byte) bool {
	return bytes.Equal(jsonrpc.AppendWithout(nil, a, "task"), jsonrpc.AppendWithout(nil, b, "task"))
}

// refuseKey ends a call that has not been sent, and of which nothing is stored.
func (c *Client) refuseKey(now engine.Time, call *call) {
	c.unrecord(call)
	c.undirty(call)
	call.record = nil
	c.settle(now, call, engine.OutcomeFailure, nil, &engine.Error{
		Code: engine.CodeKeyInUse, Op: call.method, Message: "another call has this key"})
}
