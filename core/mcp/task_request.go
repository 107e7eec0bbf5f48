package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// subcall is a request about a task, made again and again.
type subcall struct {
	call     *call       // under way
	at       engine.Time // when to make the next; Never for not by itself
	attempts int         // failures in a row
}

var idle = subcall{at: engine.Never}

// due reports whether to make the request, and takes it as made.
func (s *subcall) due(now engine.Time) bool {
	if s.call != nil || now < s.at {
		return false
	}
	s.at = engine.Never
	return true
}

// again makes the request again after a failure.
func (s *subcall) again(now engine.Time, c *Client) {
	s.at = now.After(c.cfg.Retry.Delay(s.attempts, -1, &c.random))
	s.attempts++
}

// Hear takes news: what waits since it has failed may be made sooner.
func (k *task) Hear(n *link.News) (moved bool) {
	for _, s := range []*subcall{&k.poll, &k.fetch, &k.update} {
		if s.attempts > 0 {
			var sooner bool
			s.at, sooner = n.Sooner(s.at, 0)
			moved = moved || sooner
		}
	}
	return moved
}

// drop ends the request if it is under way.
func (s *subcall) drop(c *Client) {
	if s.call != nil && s.call.state < callEnding {
		c.abort(s.call.x)
		s.call.x = 0
		s.call.stream.End()
		c.finish(s.call)
	}
	s.call = nil
}

// advanceTask makes the requests that are due.
func (call *call) advanceTask(c *Client, now engine.Time) {
	k := call.task
	if call.x != 0 && call.stream.Advance(now) == link.ActionAbort {
		c.abort(call.x)
		call.streamEnded(c, now)
	}
	if c.state != stateOpen || c.token.Asking() {
		return // taskDue is Never meanwhile
	}
	if !k.ttl.over && now >= k.expires() {
		call.expire(now)
	}
	if len(k.state) > 0 && now >= k.poll.at && k.poll.call == nil && call.uncommitted() {
		// The server may take no other state than its last, also from a later page.
		k.poll.at = engine.Never
		c.whenStored(now, call, true, &subrequest{k, &k.poll})
	}
	if k.poll.due(now) {
		k.poll.call = c.askTask(now, call, k.dialect.Poll, call.inputMembers(k.dialect.Update == "" && k.echoes != echoRefused))
		if k.echoes == echoRefused {
			k.echoes = echoHeard
		}
	}
	if k.update.due(now) {
		if more := call.inputMembers(true); more != nil {
			k.update.call = c.askTask(now, call, k.dialect.Update, more)
		}
	}
	if !k.fetch.due(now) {
		return
	}
	if k.streams() && call.uncommitted() {
		// The server may forget what a higher number covers.
		c.whenStored(now, call, true, &subrequest{k, &k.fetch})
		return
	}
	if call.parked != 0 && k.blocks() && !call.numbers() {
		return // polls tell when there is something to fetch
	}
	var last []byte
	if k.numbered = call.numbers(); k.numbered {
		// Never 0: it is invalid, and means from the start anyway.
		last = appendUint([]byte(`,"lastSeqNr":`), k.segments.Last())
		if !k.segments.Gapless() {
			c.counters.GapsRefetched++
		}
	}
	if call.generation != c.session.generation {
		k.unheard = 0
		call.joins(c)
	}
	k.chunks, k.ended = 0, 0
	if k.unheard != 0 && c.revision.CancelNotification {
		// Of two that wait for one task's result, the official SDK's server gives
		// what it asks of the person to the first, whose stream nobody reads.
		c.sendCancelled(now, k.unheard, "asked again")
	}
	s := c.bookTask(now, call, k.dialect.Result, last)
	k.fetch.call, k.unheard = s, s.request
	if call.record == nil {
		s.send(c, now)
		return
	}
	// What the server asks for on its stream is sent once: a later page has to
	// resume that very stream to hear it, or to take it back. So it knows of it.
	call.record.cursor, call.record.retry = call.record.cursor[:0], -1
	c.write(call, journal.Entry{Kind: journal.Fetching, N: [3]uint64{uint64(s.request)}})
	s.enter(c, callStoring)
	c.whenStored(now, call, false, &sending{s})
}

// joinsFor has the call of a task go on in the session in which a request about it leaves, where
// the server may ask something on the way to the answer.
func (call *call) joinsFor(c *Client, s *call) {
	if k := call.task; k != nil && call.generation != c.session.generation && (s == k.fetch.call || k.dialect.Result == "") {
		call.joins(c)
	}
}

// subrequest makes a request about a task due.
type subrequest struct {
	task *task
	make *subcall
}

func (s *subrequest) goOn(_ *Client, call *call, now engine.Time) {
	if call.task == s.task && s.make.call == nil {
		s.make.at = now
	}
}

// streamEnded notes that the stream on which the call was made is over. What came
// by itself is asked for from here on.
func (call *call) streamEnded(c *Client, now engine.Time) {
	call.x = 0
	call.stream.End()
	if k := call.task; k.result == resultStreamed || k.result == resultWhole {
		call.fetchNow(c, now)
	}
}

// resumeFetch goes on with a request for the task's result that an earlier page
// made, from where its stream stood.
func (call *call) resumeFetch(c *Client, now engine.Time, r *recorded.Call) {
	s := c.newCall(now, call.task.dialect.Result, Timeouts{Idle: call.timeouts.Idle})
	s.role, s.parent = roleTask, call
	delete(c.byID, s.request)
	s.request = requestID(r.Fetching)
	c.byID[s.request] = s
	s.enter(c, callStreaming)
	s.answerBy = engine.Never
	s.generation, s.inSession = uint32(r.Session), c.session.id != ""
	s.stream = call.newStream(c)
	s.stream.Restored(now, r.Cursor, r.Seen, r.Retry)
	call.record.cursor, call.record.retry = append(call.record.cursor[:0], r.Cursor...), r.Retry
	call.task.fetch.call, call.task.fetch.at, call.task.unheard = s, engine.Never, s.request
}

// taskDue returns when advanceTask is due.
func (call *call) taskDue(c *Client) engine.Time {
	at := engine.Never
	if call.x != 0 {
		at = call.stream.Deadline()
	}
	if c.state != stateOpen || c.token.Asking() {
		return at
	}
	for _, s := range []*subcall{&call.task.poll, &call.task.fetch, &call.task.update} {
		if s.call == nil {
			at = min(at, s.at)
		}
	}
	if !call.task.ttl.over {
		at = min(at, call.task.expires())
	}
	return at
}

// askTask makes a request about the call's task, with more members of params.
func (c *Client) askTask(now engine.Time, call *call, method string, more []byte) *call {
	s := c.bookTask(now, call, method, more)
	s.send(c, now)
	return s
}

// bookTask makes the same request, which is sent once the client is open.
func (c *Client) bookTask(now engine.Time, call *call, method string, more []byte) *call {
	s := c.newCall(now, method, Timeouts{Idle: call.timeouts.Idle})
	s.role, s.parent = roleTask, call
	params := jsonrpc.AppendString([]byte(`{"taskId":`), call.taskID())
	s.params = append(append(params, more...), '}')
	s.meta = traceContext(call.meta)
	return s
}

// taskID returns the id of the task that carries the call, or will once it goes on; "" for none.
func (call *call) taskID() string {
	switch {
	case call.task != nil:
		return call.task.id
	case call.fold != nil:
		return call.fold.TaskID
	}
	return ""
}

// cancelTaskMethod asks the server to stop a task.
const cancelTaskMethod = "tasks/cancel"

// cancelTask asks the server to stop the call's task, now or once the client is open: a task
// outlives its session. notifications/cancelled must not be used for one. Whether it does is not
// waited for.
func (c *Client) cancelTask(now engine.Time, call *call) {
	if c.state >= stateClosing {
		return
	}
	s := c.bookTask(now, call, cancelTaskMethod, nil)
	s.answerBy, s.totalBy = engine.Never, engine.Never // it may wait for long
	if (c.state == stateOpen || c.state == stateLeaving) && !c.token.Asking() {
		s.send(c, now)
	}
}

// dropTask ends what is under way about a task whose call has its outcome.
func (call *call) dropTask(c *Client) {
	k := call.task
	if k.peek.call != nil {
		k.peek.drop(c)
		c.tellKnown(call)
	}
	call.task = nil
	k.poll.drop(c)
	k.fetch.drop(c)
	k.update.drop(c)
	c.tasksChanged(k.dialect)
}
