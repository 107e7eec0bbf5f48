//go:build js && wasm

package main

import (
	"unsafe"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
	"github.com/holdfast-mcp/holdfast/jsbridge"
)

// The exports are the hot road. Each takes an input that JavaScript wrote into
// the input buffer (n bytes of it), drives the machine and returns how many
// records the table holds, or dead. now is performance.now().

// dead is returned by every export once one has panicked.
const dead = -1

// panicked is set by the first panic. A state machine that panicked is not
// used again: its loader rejects what is pending and starts a new program.
var panicked bool

// enter starts an export on a client; nil if there is no such client or the
// program is dead.
func enter(handle uint32) *client {
	table.Begin()
	if panicked {
		return nil
	}
	return clients[handle]
}

// enterMCP is enter for the exports that MCP alone has; nil for an agent.
func enterMCP(handle uint32) *client {
	c := enter(handle)
	if c == nil || c.mcp == nil {
		return nil
	}
	return c
}

// leave drains the client and publishes the table.
func (c *client) leave(now engine.Time) int32 {
	c.drain(now)
	return table.Finish()
}

// none is the answer for a client that is gone.
func none() int32 {
	if panicked {
		return dead
	}
	return table.Finish()
}

// guard is deferred by every export. An unrecovered panic would leave the
// program running with garbage for an answer (BUILD facts: wasm).
func guard(n *int32) {
	if r := recover(); r != nil {
		die(r)
		*n = dead
	}
}

// die marks the program dead and lets go of the page.
func die(r any) {
	panicked = true
	for _, stop := range stopWatching {
		stop()
	}
	stopWatching = nil
	if err, ok := r.(error); ok {
		println("holdfast: panic:", err.Error())
	} else if text, ok := r.(string); ok {
		println("holdfast: panic:", text)
	}
}

//go:wasmexport header
func exportHeader() unsafe.Pointer { return table.Header() }

//go:wasmexport reserve
func exportReserve(n int32) (records int32) {
	defer guard(&records)
	table.Reserve(int(n))
	return 0
}

//go:wasmexport start
func exportStart(handle uint32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	c.machine.Start(engine.Time(now))
	return c.leave(engine.Time(now))
}

// exportHead takes a response head: the input is a frame of the names and
// values of its fields, names in lower case.
//
//go:wasmexport head
func exportHead(handle, x uint32, status, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	parts, err := jsbridge.Parts(table.Input(int(n)))
	if err != nil {
		panic(err)
	}
	head := engine.Head{Status: int(status)}
	for i := 0; i+1 < len(parts); i += 2 {
		head.Header = append(head.Header, engine.Field{Name: string(parts[i]), Value: string(parts[i+1])})
	}
	c.machine.Head(engine.Time(now), engine.ExchangeID(x), head)
	return c.leave(engine.Time(now))
}

//go:wasmexport chunk
func exportChunk(handle, x uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	c.machine.Chunk(engine.Time(now), engine.ExchangeID(x), table.Input(int(n)))
	return c.leave(engine.Time(now))
}

// exportEnd takes the end of an exchange: how is an engine.Ending, the input
// what the browser said, for people.
//
//go:wasmexport end
func exportEnd(handle, x uint32, how, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	c.machine.End(engine.Time(now), engine.ExchangeID(x), engine.Ending(how), string(table.Input(int(n))))
	return c.leave(engine.Time(now))
}

// exportSourceEvent takes an event of an EventSource: the input is a frame of
// its type, data and last event id.
//
//go:wasmexport sourceEvent
func exportSourceEvent(handle, x uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	parts, err := jsbridge.Parts(table.Input(int(n)))
	if err != nil || len(parts) != 3 {
		panic(jsbridge.ErrFrame)
	}
	c.mcp.SourceEvent(engine.Time(now), engine.ExchangeID(x), parts[0], parts[1], parts[2])
	return c.leave(engine.Time(now))
}

// What an EventSource says of itself.
const (
	sourceFailed = iota // and is over
	sourceOpen
	sourceRedirected // to another origin, and is over
)

// exportSourceState reports that an EventSource is open, or over.
//
//go:wasmexport sourceState
func exportSourceState(handle, x uint32, state int32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	switch state {
	case sourceOpen:
		c.mcp.SourceOpened(engine.Time(now), engine.ExchangeID(x))
	case sourceRedirected:
		c.mcp.SourceRedirected(engine.Time(now), engine.ExchangeID(x))
	default:
		c.mcp.SourceFailed(engine.Time(now), engine.ExchangeID(x))
	}
	return c.leave(engine.Time(now))
}

// lateTimer is how late a timer may be, in ms, before it means that the machine
// slept: the timers of a tab hidden for long run once a minute.
const lateTimer = 75_000

//go:wasmexport fired
func exportFired(handle uint32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	t := engine.Time(now)
	if late := c.driver.Overdue(t); late > lateTimer {
		c.machine.Woke(t, late) // before deadlines are looked at that nobody could keep
	}
	c.now = t
	c.driver.Fired(t)
	c.carryOut()
	return table.Finish()
}

// How a call is made: the bits of journal.Flags, and these.
const (
	callDurable   = 1 << 8  // it is written to the journal
	callNotify    = 1 << 9  // it is a notification
	callConnected = 1 << 10 // the page has a connection for it
)

// exportCall makes a request, or sends a notification: the input is a frame of
// method, params, _meta and key, params and _meta JSON objects or empty, then
// names and values of further header fields. Times are in ms, 0
// for the client's; made is when the app made the call, in ms since 1970. The header's answer word is the call's id.
//
//go:wasmexport call
func exportCall(handle uint32, how, n int32, answer, idle, total, send, made, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	// The machine copies what it keeps of the input.
	parts, err := jsbridge.Parts(table.Input(int(n)))
	if err != nil || len(parts) < 4 {
		panic(jsbridge.ErrFrame)
	}
	options := mcp.CallOptions{
		Meta:      parts[2],
		Key:       string(parts[3]),
		Durable:   how&callDurable != 0,
		Connected: how&callConnected != 0,
		Flags:     journal.Flags(how),
		Timeouts:  mcp.Timeouts{Answer: int64(answer), Idle: int64(idle), Total: int64(total), Send: int64(send)},
		Made:      int64(made),
	}
	for i := 4; i+1 < len(parts); i += 2 {
		options.Header = append(options.Header, engine.Field{Name: string(parts[i]), Value: string(parts[i+1])})
	}
	params := parts[1]
	if len(params) == 0 {
		params = nil
	}
	var id engine.CallID
	if how&callNotify != 0 {
		id = c.mcp.Notify(engine.Time(now), string(parts[0]), params, options)
	} else {
		id = c.mcp.Call(engine.Time(now), string(parts[0]), params, options)
	}
	table.Answer(uint32(id))
	return c.leave(engine.Time(now))
}

// exportAnswer answers a call's request for input: the input is a JSON object
// of responses by key, or empty.
//
//go:wasmexport answer
func exportAnswer(handle, id uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Answer(engine.Time(now), engine.CallID(id), table.Input(int(n)))
	return c.leave(engine.Time(now))
}

// exportRespond answers a request of the server's: the input is a result, or a
// JSON-RPC error object where ok is 0.
//
//go:wasmexport respond
func exportRespond(handle, request uint32, ok, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	c.machine.Respond(engine.Time(now), request, ok != 0, table.Input(int(n)))
	return c.leave(engine.Time(now))
}

// exportSubscribe sets the resources whose updates the listen stream asks for:
// the input is a JSON array of URIs.
//
//go:wasmexport subscribe
func exportSubscribe(handle uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Subscribe(engine.Time(now), table.Input(int(n)))
	return c.leave(engine.Time(now))
}

// exportTools takes what calls need to know of the tools that were listed: the input is
// a JSON object, or empty where the server's list has changed.
//
//go:wasmexport tools
func exportTools(handle uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Tools(engine.Time(now), table.Input(int(n)))
	return c.leave(engine.Time(now))
}

// exportToolFor says how a tool is to be called, whose name is the input: the answer word
// is the mcp.TaskOffer for that mcp.TaskWish, and one Value record has the arguments that are
// repeated in header fields, as export tools has taken them, where there are any.
//
//go:wasmexport toolFor
func exportToolFor(handle uint32, wish, n int32) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	name := string(table.Input(int(n)))
	if fields := c.mcp.FieldsFor(name); fields != nil {
		table.Add(jsbridge.Record{Kind: jsbridge.KindValue, Client: handle}, table.Keep(fields))
	}
	table.Answer(uint32(c.mcp.TaskFor(name, mcp.TaskWish(wish))))
	return table.Finish()
}

//go:wasmexport cancel
func exportCancel(handle, id uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Cancel(engine.Time(now), engine.CallID(id), string(table.Input(int(n))))
	return c.leave(engine.Time(now))
}

//go:wasmexport pause
func exportPause(handle, id uint32, paused int32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Pause(engine.Time(now), engine.CallID(id), paused != 0)
	return c.leave(engine.Time(now))
}

// What became of the question for a token.
const (
	tokenFailed = iota // the provider has thrown
	tokenGiven
	tokenOffline // the provider could not reach the network
)

// exportToken takes the token provider's answer: the input is the token where one
// was given, else what went wrong.
//
//go:wasmexport token
func exportToken(handle uint32, answer, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	text := string(table.Input(int(n)))
	failure := &engine.Error{
		Code: engine.CodeUnauthorized, Op: "token", Retryable: true, Message: "the token provider failed",
		Cause: &engine.Error{Code: engine.CodeUnauthorized, Message: text},
	}
	switch answer {
	case tokenGiven:
		failure = nil
	case tokenOffline:
		text, failure.Code, failure.Message = "", engine.CodeNetwork, "the token provider could not reach the network"
	default:
		text = ""
	}
	c.machine.Token(engine.Time(now), text, failure)
	return c.leave(engine.Time(now))
}

//go:wasmexport close
func exportClose(handle uint32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	c.machine.Close(engine.Time(now))
	return c.leave(engine.Time(now))
}

// exportCounters answers with one Value record: the counters as JSON.
//
//go:wasmexport counters
func exportCounters(handle uint32) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	table.Add(jsbridge.Record{Kind: jsbridge.KindValue, Client: handle}, table.Keep(c.machine.AppendCounters(nil)))
	return table.Finish()
}

// exportRelease forgets a client that is closed or has failed.
//
//go:wasmexport release
func exportRelease(handle uint32) (records int32) {
	defer guard(&records)
	if enter(handle) == nil {
		return none()
	}
	delete(clients, handle)
	return table.Finish()
}
