package mcp

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// taskListen keeps subscriptions/listen at what the app watches, and at the ids of the live
// tasks, whose changes of status then come by themselves (2026-07-28 tasks extension). That
// saves no poll: "MAY still poll" is what makes it safe to lose.
type taskListen struct {
	at       engine.Time // when to look whether the stream asks for all of them
	attempts int         // to open one that does, in vain
	refused  bool        // the server takes no task ids
	forApp   bool        // the app waits for the stream that is due, or for next
	missed   bool        // before that was due: what listen.hasMissed said
	room     engine.Time // from then on the stream ends for the one that is due: the server has not taken it beside that; 0 for not
	next     *listen     // is about to take the place of the stream: nothing is missed between them
	by       engine.Time // its acknowledgement is due
}

const (
	// taskListenAfter gathers changes of the set of tasks into one request, in ms.
	taskListenAfter = 1_000
	// listenAckWithin is how long the acknowledgement, which is the first thing
	// on the stream, may take, in ms.
	listenAckWithin = 10_000
)

const metaSubscription = wire.MetaPrefix + "subscriptionId"

// tasksChanged notes that a task of that dialect was made, or is over.
func (c *Client) tasksChanged(d *wire.TaskDialect) {
	if d.Listens && c.state == stateOpen && c.mayListen() && c.taskListen.at == engine.Never {
		c.taskListen.at = c.effects.Now.After(taskListenAfter)
	}
}

// listensForTasks reports whether the server says that it has the extension,
// and has not refused task ids since.
func (c *Client) listensForTasks() bool {
	capabilities, _ := jsonrpc.Member(c.session.result, "capabilities")
	extensions, _ := jsonrpc.Member(capabilities, "extensions")
	settings, _ := jsonrpc.Member(extensions, wire.MetaPrefix+"tasks")
	return jsonrpc.IsObject(settings) && !c.taskListen.refused
}

// liveTasks returns the ids of the tasks that the stream can tell of, those of
// calls that the journal has brought back included.
func (c *Client) liveTasks() []string {
	if !c.listensForTasks() {
		return nil
	}
	var ids []string
	for _, call := range c.calls {
		switch {
		case call.state == callTask && call.task.dialect.Listens:
			ids = append(ids, call.task.id)
		case call.state == callRestored && call.fold != nil && call.fold.TaskID != "" && call.fold.TaskDialect == wire.ExtensionTasks.Number:
			ids = append(ids, call.fold.TaskID)
		}
	}
	return ids
}

// advance opens a stream that asks for what the present one leaves out. Ids of
// tasks that are over stay until then: they cost nothing.
func (w *taskListen) advance(c *Client, now engine.Time) {
	if w.next != nil {
		if now >= w.by {
			w.failed(c, now, false, 0)
		}
		return
	}
	if now < w.at {
		return
	}
	w.at = engine.Never
	l := c.listen
	missing := func(id string) bool { return !slices.Contains(l.ids, id) }
	switch {
	case c.state != stateOpen || l.state == listenOff && !w.forApp || !c.mayListen() || !c.revision.SelfDescribing:
	case w.forApp && (w.room > 0 || l.state != listenAcknowledged || l.x == 0 || c.scarce || !c.listens()):
		c.relisten(now, w.room > 0 || w.missed || l.hasMissed())
	case c.token.Asking():
		w.at = now.After(taskListenAfter)
	case l.state == listenStopped && c.listens():
		l.open(c, now)
	case l.state == listenStopped:
	case !c.listens():
		l.stop(c)
	case !w.forApp && (l.x == 0 || !slices.ContainsFunc(c.liveTasks(), missing)):
		// Nothing to do, or the reconnect that is due asks for them.
	default:
		next := &listen{generation: c.session.generation, stream: link.NewStream(max(c.cfg.Timeouts.Idle, 0), &c.cfg.Retry)}
		next.stream.Reopen = true
		next.stream.Watch(now, &c.heads)
		w.next, w.by = next, now.After(listenAckWithin)
		next.connect(c, now)
	}
}

func (w *taskListen) deadline() engine.Time {
	if w.next != nil {
		return w.by
	}
	return w.at
}

// failed gives up the stream that was to take the place of the present one:
// until later, or for good where the server has said no. Where the app waits for it,
// what comes of it is the present one's to find out, once that may ask: after floor ms, which
// the server has named. Nobody hears what the server says between the two.
func (w *taskListen) failed(c *Client, now engine.Time, passing bool, floor int64) {
	forApp := w.forApp
	w.drop(c)
	switch {
	case forApp && floor > 0:
		w.room = now.After(floor)
		w.forApp, w.at = true, w.room
		return
	case forApp:
		c.relisten(now, true)
		return
	}
	if w.refused = !passing; passing {
		w.at = now.After(c.cfg.Retry.DelayAfter(w.attempts, floor, &c.random))
		w.attempts++
	}
}

// drop ends what is under way: the stream itself ends, or is opened again.
func (w *taskListen) drop(c *Client) {
	next := w.next
	w.next, w.at, w.forApp, w.missed, w.room = nil, engine.Never, false, false, 0
	if next != nil {
		next.stop(c)
	}
}

// acknowledged takes the first message of a subscription, the subset that the
// server honours, and returns it as it is for the app: without task ids.
func (c *Client) acknowledged(m *jsonrpc.Message) []byte {
	meta, _ := jsonrpc.Member(m.Params, "_meta")
	id, named := jsonrpc.Member(meta, metaSubscription)
	n, _ := jsonrpc.Int(id)
	honoured, _ := jsonrpc.Member(m.Params, "notifications")
	taken, _ := jsonrpc.Member(honoured, "taskIds")
	l, w := c.listen, &c.taskListen
	// One that does not say which it is is the newest's: the others had theirs.
	if w.next != nil && (!named || requestID(n) == w.next.request) {
		l = w.next
	}
	own := !named || requestID(n) == l.request
	w.refused = w.refused || own && len(l.ids) > 0 && len(jsonrpc.Elements(taken)) == 0
	switch {
	case !own || l.state != listenRunning: // or nobody waits for it
	case l == c.listen:
		l.enter(c, listenAcknowledged)
		c.catchUp(l, nil)
		if w.missed = false; w.forApp && w.next == nil { // opened again meanwhile, it asks for what is due
			w.drop(c)
		}
	case w.refused && !w.forApp:
		w.drop(c)
	default:
		w.attempts = 0
		l.enter(c, listenAcknowledged)
		c.replaceListen(l)
	}
	if taken == nil {
		return m.Raw
	}
	params := append([]byte(`"notifications":`), jsonrpc.AppendWithout(nil, honoured, "taskIds")...)
	params = jsonrpc.AppendObject(nil, jsonrpc.AppendWithout(nil, m.Params, "notifications"), params)
	return jsonrpc.AppendNotification(nil, string(m.Method), params, nil)
}

// replaceListen puts a stream that was acknowledged into the place of the present one.
func (c *Client) replaceListen(next *listen) {
	old := c.listen
	// Where the old one was cut meanwhile, what was said after that is gone.
	cut := old.x == 0 || old.stream.State() != link.StateUp
	c.listen, c.taskListen.next, c.taskListen.forApp = next, nil, false
	next.lease, next.hadStream = old.lease, true
	old.stop(c)
	if cut {
		c.catchUp(next, nil)
		c.status(nil, engine.StreamOpen, &streamReport{missed: old.hadStream || old.missed})
	} else {
		c.catchUp(next, old.ids)
	}
	if slices.ContainsFunc(c.liveTasks(), func(id string) bool { return !slices.Contains(next.ids, id) }) {
		c.taskListen.at = c.effects.Now.After(taskListenAfter)
	}
}

// catchUp polls the tasks that the stream tells of from now on, but those that
// another one has told of until now: what was said before nobody heard.
func (c *Client) catchUp(l *listen, heard []string) {
	for _, call := range c.calls {
		if call.state == callTask && slices.Contains(l.ids, call.task.id) && !slices.Contains(heard, call.task.id) {
			c.reschedule(call)
			call.task.catchUp(c.effects.Now)
		}
	}
}

// catchUp polls at once, unless a poll is near anyway. One that is under way may
// have been answered before the stream began.
func (k *task) catchUp(now engine.Time) {
	switch {
	case k.poll.call != nil:
		k.pollSoon = true
	case k.poll.at > now.After(pollDefault):
		k.poll.at = now
	}
}

// forgetsTask reports whether a notification about a task that is nobody's any
// more was asked for while it was somebody's.
func (l *listen) forgetsTask(params []byte) bool { return slices.Contains(l.ids, taskID(params)) }
