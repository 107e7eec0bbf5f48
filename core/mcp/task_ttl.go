package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// taskTTL is for how long the server keeps a task (ttl of 2025-11-25, ttlMs of
// the extension). It is counted from when we last heard of the task, not from the
// server's createdAt: nobody knows that its clock is ours (fault 83),
// and a task that the server still tells of is not gone, whatever it had promised.
type taskTTL struct {
	ms      int64       // 0: it promises nothing
	heard   engine.Time // the server had the task
	written engine.Time // as the journal knows it: when it may be gone; Never for not by itself
	over    bool        // nothing was heard for that long: it is asked for a last time
	tries   int         // that were in vain since then
}

const (
	// ttlCap bounds a ttl, in ms: a call that nobody goes on with is not kept longer.
	ttlCap = defaultRunning
	// ttlGrace is how long after its ttl a task still counts as there, in ms: the
	// server drops it by a timer of its own, and looks when it has the time.
	ttlGrace = 5_000
	// ttlTries is how often the server may fail to answer once a task may be gone:
	// over half a minute or so, in which a machine that slept finds its network.
	ttlTries = 6
)

// clampTTL puts a server's ttl, in ms, into its bounds: 0 for none. null is the
// server's word for that; what is no number, or less than nothing, is no promise.
func clampTTL(value []byte) int64 {
	f, ok := jsonrpc.Float(value)
	if !ok || f < 0 {
		return 0
	}
	return int64(min(max(f, 1), ttlCap))
}

// expires returns when the task may be gone. A ttl shorter than the interval
// between two polls is no reason to poll faster than the server wants.
func (k *task) expires() engine.Time {
	if k.ttl.ms == 0 {
		return engine.Never
	}
	return k.ttl.heard.After(max(k.ttl.ms, k.interval) + ttlGrace)
}

// heardEvery is how far the journal's knowledge of that may be behind, in ms: not
// each poll is worth a commit.
func (k *task) heardEvery() int64 { return max(k.ttl.ms/4, leastContact) }

// heardOf notes that the server has the task. said is what it says of it, nil for
// nothing: it may name another ttl.
func (call *call) heardOf(c *Client, now engine.Time, said []byte) {
	k := call.task
	if value, named := jsonrpc.Member(said, k.dialect.TTL); named {
		k.ttl.ms = clampTTL(value)
	}
	k.ttl.heard, k.ttl.over, k.ttl.tries = now, false, 0
	expires, every := k.expires(), k.heardEvery()
	switch known := k.ttl.written; {
	case (known == engine.Never) != (expires == engine.Never):
	case expires == engine.Never || max(expires.Since(known), known.Since(expires)) < every:
		return
	}
	c.writeTTL(call)
}

// writeTTL writes by when a page that finds the task should have heard of it.
func (c *Client) writeTTL(call *call) {
	k := call.task
	if k.ttl.written == engine.Never && k.ttl.ms == 0 {
		return
	}
	k.ttl.written = k.expires()
	heard := c.wall() - c.effects.Now.Since(k.ttl.heard)
	c.write(call, journal.Entry{Kind: journal.TaskTTL, N: [3]uint64{uint64(k.ttl.ms), uint64(max(heard, 0))}})
}

// restoreTTL goes on counting after a reload: by the wall clock, the only one that
// outlives a page. One that was set back makes the server's word decide, and one
// that was set forward costs no task: it is asked for in any case.
func (call *call) restoreTTL(c *Client, now engine.Time, r *recorded.Call) {
	k := call.task
	k.ttl = taskTTL{ms: min(r.TaskTTL, ttlCap), heard: now, written: engine.Never}
	if k.ttl.ms == 0 {
		return
	}
	away := c.wall() - r.TaskHeardAt - k.heardEvery()
	k.ttl.heard = now - engine.Time(max(away, 0))
	k.ttl.written = k.expires()
	k.ttl.over = now >= k.ttl.written // it is asked for at once anyway
}

// expire asks for a task of which nothing was heard for its ttl: for its status,
// and for its result where that is another request.
func (call *call) expire(now engine.Time) {
	k := call.task
	k.ttl.over = true
	k.poll.attempts, k.fetch.attempts = 0, 0
	if k.poll.call == nil {
		k.poll.at = now
	}
	if k.dialect.Result != "" && k.fetch.call == nil && k.result != resultDoubted {
		k.fetch.at = now
	}
}

// pollFailed takes a poll that was in vain. Once the task may be gone there are not
// many more (fault 105), unless a stream is open on which it lives, or
// the browser knows that it has no network.
func (call *call) pollFailed(c *Client, now engine.Time) {
	k := call.task
	if k.ttl.over && !c.IsOffline && !call.streamsTask() {
		if k.ttl.tries++; k.ttl.tries >= ttlTries {
			k.expired = true // its result was asked for as long
			call.taskGone(c, now)
			return
		}
	}
	k.poll.again(now, c)
}

// streamsTask reports whether a connection is open that the server has answered
// with a stream for the task.
func (call *call) streamsTask() bool {
	own := call.x != 0 && call.stream.State() == link.StateUp
	stream := call.carrier()
	return own || stream != nil && stream.State() == link.StateUp
}
