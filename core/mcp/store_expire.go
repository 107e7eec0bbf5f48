package mcp

import (
	"slices"
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// Why a call leaves the store before it was acknowledged, as the app sees it.
const (
	evictedQuota   = "quota"   // the browser has no room for the origin
	evictedLimit   = "limit"   // Limits.Stored
	evictedExpired = "expired" // Retention
)

// expired forgets a call that is too old, and reports whether it did. What it was to be told as, from that
// place on, is not told.
func (c *Client) expired(r *recorded.Call, head journal.Op, recall int) bool {
	clock := durable.Clock{Wall: c.wall(), Sound: c.cfg.Sound}
	if c.state != stateNew || head.Flags&journal.OpOwned == 0 ||
		!clock.Expired(r.Head.CreatedAt, r.Outcome != 0, r.EndedAt, c.cfg.Retention.Ended,
			c.cfg.Retention.Running) {
		return false
	}
	c.effects.DropFrom(recall)
	c.counters.ExpiredCalls++
	call := &call{method: r.Head.Method, params: r.Head.Params,
		record: &record{key: r.Head.Key, Log: durable.Log{Made: r.Head.CreatedAt}}}
	c.tellEvicted(call, evictedExpired, r.Outcome != 0)
	c.writer.Put(journal.Op{Kind: journal.OpForget, Flags: journal.OpOutcome(journal.GoneExpired, r.Outcome),
		Call: head.Call})
	return true
}

// tellEvicted tells the app that the store has let a call go:
// {"why":"quota","method":"tools/call","key":"k","params":{…},"createdAt":0,"ended":true}.
func (c *Client) tellEvicted(call *call, why string, ended bool) {
	if why != evictedExpired {
		c.counters.EvictedCalls++
	}
	b := jsonrpc.AppendString([]byte(`{"why":`), why)
	b = append(b, ',')
	b = append(b, describeRequest(nil, call)[1:]...)
	b = strconv.AppendInt(jsonrpc.Raw(b, `,"createdAt":`), call.record.Made, 10)
	b = strconv.AppendBool(jsonrpc.Raw(b, `,"ended":`), ended)
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventEvicted, Data: append(b, '}')})
}

// evictable returns the calls that may be evicted: their outcomes are stored, and
// this page has them.
func (c *Client) evictable() []durable.Evictable {
	var calls []durable.Evictable
	for _, call := range c.kept {
		// Not one whose outcome is under way: it has not been told yet.
		if !call.record.Memory && call.record.deferred == deferredNothing &&
			c.writer.Has(call.record.overIn) {
			calls = append(calls, durable.Evictable{Call: call.record.ID, CreatedAt: call.record.Made,
				Bytes:  call.record.Bytes,
				Acked:  call.record.acked >= call.position && call.position > 0,
				Manual: call.flags&journal.ManualAck != 0})
		}
	}
	return calls
}

// evict returns operations that delete ended calls, as many as the commit that found
// no room takes; nil if there are none. The app is told once they are stored. Where
// there is room for it they leave their outcomes behind.
func (c *Client) evict() []byte {
	var room []byte
	ticket := c.writer.Next() - 1
	evict := c.makeRoom(c.manualIn != ticket)
	c.evicted, c.evictedIn = nil, ticket
	for _, e := range evict {
		call := c.callOfRecord(e.Call)
		room = journal.AppendOp(room, journal.Op{Kind: journal.OpForget,
			Flags: journal.OpAwaited | journal.OpOutcome(journal.GoneEvicted, call.record.outcome),
			Call:  e.Call})
		call.record.Disown()
		c.evicted = append(c.evicted, call)
		if e.Manual && !e.Acked {
			c.manualIn = ticket
		}
	}
	return room
}

// makeRoom chooses which calls go for the commit that found no room. Those that wait
// for the app's ack do so once, and for no more than it writes: where that does not
// help (Chrome counts its files, which grow with a deletion until it rewrites them),
// more of them would go for nothing.
func (c *Client) makeRoom(manual bool) []durable.Evictable {
	writes, free := c.writer.Needs()
	all := c.evictable()
	others := slices.DeleteFunc(slices.Clone(all),
		func(e durable.Evictable) bool { return e.Manual && !e.Acked })
	evict, enough := durable.Evict(others, free)
	if enough || !manual {
		return evict
	}
	for _, e := range evict {
		writes -= e.Bytes
	}
	waiting, _ := durable.Evict(
		slices.DeleteFunc(all, func(e durable.Evictable) bool { return !e.Manual || e.Acked }), writes)
	return append(evict, waiting...)
}

// evictedStored tells the app of the calls that make room for the commit which found
// none: they are deleted now.
func (c *Client) evictedStored() {
	for _, call := range c.evicted {
		c.tellEvicted(call, evictedQuota, true)
	}
	c.evicted = nil
}

// fitStored keeps what is stored within its limit: ended calls are evicted first;
// then, while the page lives, the call without a key that takes most goes on in memory,
// and its app is told by its guarantee, too. One that the server has refused stays: to sign
// in a person may leave the page, and the next one sends it.
func (c *Client) fitStored() {
	w := &c.writer
	if w.Held <= c.cfg.Limits.Stored {
		return
	}
	evict, enough := durable.Evict(c.evictable(), w.Held-c.cfg.Limits.Stored)
	for _, e := range evict {
		call := c.callOfRecord(e.Call)
		c.tellEvicted(call, evictedLimit, true)
		c.forgetCall(call, 0, journal.GoneEvicted, 0)
	}
	if enough || c.state == stateNew {
		return // of a page that was loaded just now nothing is known to be in use yet
	}
	for w.Held > c.cfg.Limits.Stored {
		var most *call
		for _, call := range c.calls {
			// In memory a call would free its key, and another tab could make it again; one that has not left
			// could not be sent.
			if call.isKept() && !call.denied && (call.left || !call.isQueued()) && call.record.key == "" &&
				call.state != callFollowed && call.state < callEnding &&
				(most == nil || call.record.Bytes > most.record.Bytes) {
				most = call
			}
		}
		if most == nil || most.record.Bytes == 0 {
			return
		}
		most.record.Delete(journal.OpOwned | journal.OpOutcome(journal.GoneInMemory, 0))
		c.tellEvicted(most, evictedLimit, false)
		c.tellGuarantee(most)
	}
}
