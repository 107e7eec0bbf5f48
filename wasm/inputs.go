//go:build js && wasm

package main

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/tabs"
)

// These interfaces are the table of what JavaScript tells the core: each method is an input, and its place in
// the list its number. web/scripts/border writes both sides from it: dispatch.go and agentdispatch.go, which
// call the methods, and web/src/runtime/door.ts, whose methods TypeScript calls. An input is one call of
// export input: three numbers as they are, and one text or list of bytes in the input buffer. What has more
// of either has a frame there (jsbridge/frame.go), with the further numbers in its first part. A method's
// result is the answer word.

// machineInputs are those of every machine.
type machineInputs interface {
	// Chunk reports bytes of a body: at most CHUNK_BYTES of them.
	Chunk(now engine.Time, x engine.ExchangeID, bytes []byte)
	// End reports the end of an exchange, and what the browser says of it, for people.
	End(now engine.Time, x engine.ExchangeID, how engine.Ending, detail string)
	// Start connects a new client.
	Start(now engine.Time)
	// Respond answers a request of the server's with JSON: a result, or an error object.
	Respond(now engine.Time, request uint32, ok bool, json []byte)
	// Close closes a client; its port hears the state "closed".
	Close(now engine.Time)
	// CloseKeepingSession closes a client without ending its session, which another tab uses too.
	CloseKeepingSession(now engine.Time)
	// Terminate closes a client and ends its session, or its connection to an agent, with whatever goes on in
	// it.
	Terminate(now engine.Time)
	// LogOut ends what has not left, since its user logs out here.
	LogOut(now engine.Time)
	// Visited says that a page has come to a client that outlives its pages.
	Visited(now engine.Time)
	// StoreGone says that nothing is stored any more; after ReasonClosed nothing ever is.
	StoreGone(now engine.Time, why durable.Reason)
}

// clientInputs are those of every machine, and of what is beside it.
type clientInputs interface {
	// Head reports a response head. fields are names in lower case and values.
	Head(now engine.Time, x engine.ExchangeID, status int, fields [][]byte)
	// Fired reports that the time has come that a client asked for.
	Fired(now engine.Time)
	// Restore tells what the store holds, or what another tab has stored (jsbridge/store.go).
	Restore(now engine.Time, ops []byte)
	// Stored reports what became of a commit, and why it failed.
	Stored(now engine.Time, ticket uint32, result journal.Result, why durable.Reason)
	// Tabs tells what another tab says, by its name, what the store says to a ticket, or what has become of
	// this page.
	Tabs(now engine.Time, what tabs.InputKind, ticket uint32, tab string, ops []byte)
	// Token answers effect Token with a token, or with what went wrong.
	Token(now engine.Time, answer link.TokenAnswer, text string)
	// Release forgets a client that is closed or has failed.
	Release()
}

// serverInputs are those of MCP alone.
type serverInputs interface {
	// SourceEvent reports an event of an EventSource.
	SourceEvent(now engine.Time, x engine.ExchangeID, kind, data, id []byte)
	// SourceOpened reports that an EventSource is open.
	SourceOpened(now engine.Time, x engine.ExchangeID)
	// SourceFailed reports that it is over.
	SourceFailed(now engine.Time, x engine.ExchangeID)
	// SourceRedirected reports that it led to another origin, and is over.
	SourceRedirected(now engine.Time, x engine.ExchangeID)
	// Answer answers a call's request for input: responses is a JSON object, or empty.
	Answer(now engine.Time, call engine.CallID, responses []byte)
	// Subscribe sets the resources whose updates the listen stream asks for: a JSON array.
	Subscribe(now engine.Time, uris []byte)
	// Tools tells what calls need to know of the tools that were listed, a JSON object; empty: the list has
	// changed.
	Tools(now engine.Time, listed []byte)
	// Cancel ends a call; reason goes to the server.
	Cancel(now engine.Time, call engine.CallID, reason string)
	// Pause stops reading a call's stream, or goes on with it.
	Pause(now engine.Time, call engine.CallID, paused bool)
	// Ack says that the app has done with a call's events up to a position, 0 for all. EVENT.acked answers
	// ticket, unless it is 0.
	Ack(now engine.Time, call engine.CallID, position, ticket uint32)
	// Handed says that a call's outcome was handed to its app.
	Handed(now engine.Time, call engine.CallID)
	// Hide says that the page is being left: what the app is done with is stored before this returns.
	Hide(now engine.Time)
	// Park lets go of a call's stream, or takes it up again.
	Park(now engine.Time, call engine.CallID, parked bool)
	// Revoke takes back a call, unless it has left.
	Revoke(now engine.Time, call engine.CallID)
	// Handshake gives leave to make a new session.
	Handshake(now engine.Time)
	// ReplayRow replays the events of a stored row that are in a gap, before this returns. position is that
	// of the last event before the row, the answer that of its last.
	ReplayRow(now engine.Time, call engine.CallID, position, from, to uint32, row []byte) uint32
	// Missing says that so many events of a call were told to be missing.
	Missing(events uint32)
	// Hold lets go of a call's stream for want of a connection, or takes it up again.
	Hold(now engine.Time, call engine.CallID, held bool)
	// HeldUp says that those who have the connections that a call waits for show no life.
	HeldUp(now engine.Time, call engine.CallID)
	// Scarce says whether the browser has few connections to the server from now on, so that calls wait for
	// Hold.
	Scarce(now engine.Time, scarce bool)
	// Listen gives leave to hold the stream for unasked messages, or takes it back; missed: another tab had
	// it before.
	Listen(now engine.Time, leave, missed bool)
	// Peek asks how a call stands; the answer is an event of it (EVENT.peek).
	Peek(now engine.Time, call engine.CallID)
	// SaveDraft keeps what a person has typed of an answer, JSON or empty: to the request for input of a call
	// with that key, or to the server's own request, where that is not 0.
	SaveDraft(now engine.Time, call engine.CallID, request uint32, key string, draft []byte)
}

// callInputs are further ones of MCP's, which the client takes.
type callInputs interface {
	// Request makes a request, or sends a notification, and answers with the call's id. how are CallFlags, with a
	// TaskWish from WISH_SHIFT on; times are in ms, 0 for the client's own; made is when the app made the call, in
	// ms since 1970. params, meta and task are JSON objects or empty: task is what the app says of one. refused are
	// header fields that cannot be sent, in small letters, with a blank behind each. One Value record has those
	// that the call repeats arguments in, where there are any.
	Request(
		now engine.Time, how uint32, answer, idle, total, send, made float64,
		method string, params, meta []byte, key string, task, refused []byte,
	) engine.CallID
	// CancelRecord ends the call with that name in the store, if this page carries it.
	CancelRecord(now engine.Time, record uint64, reason string)
}

// agentInputs are those of ACP alone.
type agentInputs interface {
	// Request makes a request of a session, or of the connection where it is 0, and answers with the call's
	// id.
	Request(now engine.Time, session uint32, method string, params []byte) engine.CallID
	// Notify sends a notification, otherwise as a request.
	Notify(now engine.Time, session uint32, method string, params []byte) engine.CallID
	// Cancel asks the agent to give up a request.
	Cancel(now engine.Time, call engine.CallID)
	// Serve does what another page asks of a session that this one carries, and answers with the call that
	// settles, 0 for none.
	Serve(now engine.Time, text []byte) engine.CallID
	// Rest lets go of the streams of the sessions, since the page is being frozen, or takes them up again.
	Rest(now engine.Time, resting bool)
	// Streams says how many streams of sessions a client may hold, and answers with how many it may, where it
	// cannot do with fewer.
	Streams(now engine.Time, n int) int
	// Forget forgets a session here; the agent keeps it.
	Forget(now engine.Time, session uint32)
	// SaveDraft keeps what a person has typed of the answer to a question of the agent's, JSON or empty.
	SaveDraft(now engine.Time, question uint32, draft []byte)
}

// socketInputs are those about a WebSocket, which only an agent's machine opens.
type socketInputs interface {
	// SocketOpened reports that a WebSocket is open.
	SocketOpened(now engine.Time, x engine.ExchangeID)
	// SocketMessage reports a text message of a WebSocket's.
	SocketMessage(now engine.Time, x engine.ExchangeID, text []byte)
	// SocketClosed reports that a WebSocket is over, with its close code or CLOSE_INVALID.
	SocketClosed(now engine.Time, x engine.ExchangeID, code int, reason string)
}

// forwardInputs are further ones of ACP's, which the client takes.
type forwardInputs interface {
	// ForwardSettled tells what became of a request that another page makes; outcome 0: that page has it.
	ForwardSettled(now engine.Time, request uint64, outcome engine.Outcome, text []byte)
}
