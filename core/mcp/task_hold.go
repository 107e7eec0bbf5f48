package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// A task can take two connections for as long as it works: that on which its call
// was made, and that of a request that waits for its result. Browsers have few.

// firstSegment is how long the connection of a call is kept for the first segment
// of its result, in ms.
const firstSegment = 5_000

// holdTask lets go of them, or takes the wait for the result up again. Meanwhile
// polls tell how the task does, and segments are asked for at their pace.
func (t *call) holdTask(c *Client, now engine.Time, held bool) {
	k := t.task
	if !held {
		if t.parked &^= byHost; t.parked == 0 && k.dialect.Result != "" && t.x == 0 && k.fetch.call == nil {
			k.fetch.at = now
		}
		return
	}
	if t.x != 0 && k.segments.Last() == 0 && now < k.made.After(firstSegment) {
		return // what comes first cannot be asked for by a number
	}
	t.parked |= byHost
	if t.x != 0 {
		c.abort(t.x)
		t.streamEnded(c, now)
	}
	if k.fetch.call != nil && !k.numbered && k.blocks() {
		k.fetch.drop(c)
	}
	c.status(t, engine.StreamParked, &streamReport{why: cutConnections})
}

// tellPolled tells the host that from here on polls do, and the call has no use for
// a connection of its own: {"state":"polled"}.
func (c *Client) tellPolled(t *call) {
	if t.task.dialect.Result == "" && !t.task.trying {
		c.status(t, engine.StreamPolled, nil)
	}
}

// blocks reports whether a request for the whole result would wait for the task.
func (k *task) blocks() bool {
	return k.dialect.Result != "" && !k.over() && k.result != resultComplete && !k.expired
}

// numbers reports whether the result is asked for from a number. What the server
// asks of the person comes only to who waits for the whole.
func (t *call) numbers() bool {
	k := t.task
	asks := k.status == "input_required" && k.segments.Gapless() && t.parked == 0
	from := k.result == resultStreamed || k.result == resultDoubted
	return from && k.segments.Last() > 0 && !asks
}

// waitsInVain reports whether the request for the result waits for the whole of
// what comes in parts, with nothing to be asked any more.
func (t *call) waitsInVain() bool {
	k := t.task
	return k.fetch.call != nil && !k.numbered && k.status == "working" && t.numbers()
}
