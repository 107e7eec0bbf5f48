package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// A task can take two connections for as long as it works: that on which its call
// was made, and that of a request that waits for its result. Browsers have few.

// firstSegment is how long the connection of a call is kept for the first segment
// of its result, in ms.
const firstSegment = 5_000

// holdTask lets go of them, or takes the wait for the result up again. Meanwhile
// polls tell how the task does, and segments are asked for at their pace.
func (call *call) holdTask(c *Client, now engine.Time, held bool) {
	k := call.task
	if !held {
		if call.parked &^= byHost; call.parked == 0 && k.dialect.Result != "" && call.x == 0 &&
			k.fetch.call == nil {
			k.fetch.at = now
		}
		return
	}
	if call.x != 0 && k.segments.Last() == 0 && now < k.made.After(firstSegment) {
		return // what comes first cannot be asked for by a number
	}
	call.parked |= byHost
	if call.x != 0 {
		c.abort(call.x)
		call.streamEnded(c, now)
	}
	if k.fetch.call != nil && !k.numbered && k.blocks() {
		k.fetch.drop(c)
	}
	c.status(call, engine.StreamParked, &streamReport{why: cutConnections})
}

// tellPolled tells the host that from here on polls do, and the call has no use for
// a connection of its own: {"state":"polled"}.
func (c *Client) tellPolled(call *call) {
	if call.task.dialect.Result == "" && !call.task.trying {
		c.status(call, engine.StreamPolled, nil)
	}
}

// blocks reports whether a request for the whole result would wait for the task.
func (k *task) blocks() bool {
	return k.dialect.Result != "" && !k.over() && k.result != resultComplete && !k.expired
}

// numbers reports whether the result is asked for from a number. What the server
// asks of the person comes only to who waits for the whole.
func (call *call) numbers() bool {
	k := call.task
	asks := k.status == "input_required" && k.segments.Gapless() && call.parked == 0
	from := k.result == resultStreamed || k.result == resultDoubted
	return from && k.segments.Last() > 0 && !asks
}

// waitsInVain reports whether the request for the result waits for the whole of
// what comes in parts, with nothing to be asked any more.
func (call *call) waitsInVain() bool {
	k := call.task
	return k.fetch.call != nil && !k.numbered && k.status == "working" && call.numbers()
}
