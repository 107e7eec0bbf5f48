// Package mcp is the MCP client: a state machine that connects to one server
// over Streamable HTTP and carries any number of requests, each over as many
// connections as it takes.
//
//	app ──Call──► call ──POST──► exchange ──events──► dispatch ──► call, client
//	               │                 │ cut
//	               │                 ▼
//	               └──GET Last-Event-ID── link.Stream (cursor, backoff, liveness)
//
// The files are named by what they belong to:
//
//	client_*   inputs, effects, what a page does to a client, its end, its token
//	session_*  the way to a revision and a session; HTTP+SSE (session_channel.go)
//	call_*     a request of the app's, from its making to its end, and who carries it
//	task_*     a call that has become a task: polls, results in segments, its life
//	tool_*     what is known of the server's tools, and which of their calls become tasks
//	input_*    what a server asks, and the answers: drafts, the outbox
//	listen_*   the stream of what the server says unasked
//	store_*    what is written, read back, kept and forgotten
//	message_*  one request and its response: headers, posts, events, whose they are
//	wire/      facts and verdicts that need no client: revisions, dialects, the probe
//	segments/  the tracker of a streamed result
//	recorded/  a call as the journal has it, folded from its head and rows
//
// config.go has what a client is made from, failure.go the errors that only MCP has,
// counters.go what was dropped or repaired, and standing.go what core/tabs may know of a
// call.
//
// A probe and a handshake are themselves calls. Calls, posts, the listening stream and
// the channel own the exchanges that they started (link.Exchanges): their heads, chunks
// and ends go to them.
//
// What belongs here: everything that only MCP says. What a revision of MCP does
// differently is a row in wire/revision.go, never an if elsewhere. What would serve
// another protocol as well (cursors, reconnecting, event streams, HTTP bodies, the
// bearer token) belongs in core/link, and what is durable in core/durable. Payloads
// stay raw JSON text: this package reads the few fields it decides by, and hands the
// rest on unread.
package mcp
