//go:build !js

// Package gosdk is the official Go SDK's Streamable HTTP server (go-sdk 1.8.0,
// sessions, MemoryEventStore) as a peer for tests and the demo, with CORS for
// every origin and with connections that can be dropped:
//
//	s := gosdk.New(gosdk.Options{})
//	web := httptest.NewServer(s)   // web.URL is the endpoint, any path will do
//	defer web.Close()
//	defer s.Close()                // runs first: ends tools and streams
//	... a client calls count ...
//	s.CutStreams()                 // the client gets a network error and resumes
//	s.Restart()                    // the client's session is unknown now
//	s.Gate().Hold()                // tools stop before each of their delays
//	s.Gate().Pass(3)               // but for three of these
//	s.Gate().Release()
//
// Tools: count, write_report, add, echo, fail, slow, random_image (all
// read-only), add_note, which is neither read-only nor idempotent and writes
// to what [Server.Notes] returns, book_table, which asks the person first, and
// harbour_pass, which sends the person to a page first.
//
// Resources: demo://notes and demo://tide, which can be subscribed to, and the
// template demo://piers/{name}. Prompts: summarize and translate, with
// completions for their arguments.
//
// # What the SDK does on the wire
//
// Measured here; the tests of this package hold the parts that matter.
//
//   - Every answer to a request is an event stream, that of initialize too;
//     notifications get 202. The session id comes with initialize only, 26
//     characters of base32.
//   - Priming: "event: prime", "id: STREAM_0", "data: " and no retry line,
//     first on every POST stream whose MCP-Protocol-Version header (for
//     initialize: its params) says 2025-11-25 or later. Older versions start
//     with message id STREAM_0. The header of each request decides, not the
//     session's revision.
//   - Messages: "event: message", "id: STREAM_n", one data line. STREAM is 26
//     characters of base32, another for every POST.
//   - "event: close" with a retry line, without id, is sent only when a tool
//     closes its stream itself; none here does. No other retry line, no
//     keep-alive comments.
//   - A GET with Last-Event-ID replays that stream only, without priming event,
//     and ends after the answer. Its headers leave with its first event: while
//     the tool is silent the client sees nothing at all, not even a status.
//   - After the answer was delivered the same GET gets 200, text/event-stream
//     and an empty body.
//   - An unknown or malformed Last-Event-ID is 400 in plain text; on a POST
//     that header is 400 as well.
//   - 409 in plain text while another connection holds the stream. A client
//     that drops a stream itself and resumes at once can meet it: 2 of 50 times
//     here, gone after 20 ms. CutStreams lets go of the stream first.
//   - The standalone GET opens with the comment ": ok"; its ids are "_0", "_1",
//     ... A new GET without Last-Event-ID replays all of it from "_0".
//   - An unknown session is 404 in plain text. A request without session that
//     is not initialize gets 200 and a JSON-RPC error with code 0.
//   - An unknown method is HTTP 400 in plain text, not -32601. An unknown tool
//     is -32602 on the stream. A request id that is in flight already is 400
//     with -32600.
//   - server/discover works without a session and leaves 2026-07-28 out of
//     supportedVersions; any other request of that revision is 400 with -32022.
//   - Log notifications are sent after logging/setLevel only.
//   - A cancelled call still answers, late, with whatever its tool returns:
//     here isError and "context canceled". The priming event leaves before the
//     call is handed on, so that a cancel sent at once can come too early and
//     be lost.
//   - DELETE is 204; open streams then end properly. The store keeps 10 MiB
//     over all sessions.
//
// # Without sessions
//
// With [Options.Stateless] the same server speaks 2026-07-28, and older
// revisions without session, store and standalone stream (GET and DELETE are
// 405). Tools greet (asks for a name by input_required) and routed (argument
// region mirrored in Mcp-Param-Region) come along.
//
//		s := gosdk.New(gosdk.Options{Stateless: true, Propagate: true})
//
//	  - discover lists all revisions, the legacy ones too.
//	  - Every answer is an event stream ("event: message", no ids, no retry, no
//	    keep-alive comments), whose headers leave with its first event: a silent
//	    tool sends not even a status. Options.JSON answers with JSON.
//	  - Closing the response does not reach the tool unless Options.Propagate says
//	    so; that of subscriptions/listen always counts.
//	  - A request with an unknown MCP-Protocol-Version is 400 in plain text, not
//	    -32022; one without the header is 400 with -32020, one without
//	    clientCapabilities 400 with -32602. Unknown and removed methods are 404
//	    with -32601.
//	  - A JSON-RPC error that comes first has an HTTP status of its own: an unknown
//	    tool is 400 with -32602.
//	  - input_required has "content": null beside its fields, and is sent even to
//	    clients whose capabilities do not cover the input.
//	  - ttlMs is 0 and cacheScope "public" by default; serverInfo is in the _meta
//	    of every result.
//	  - listen acknowledges what it knows and drops the rest. It ends without a
//	    result when the connection is cut; the SDK sends no keep-alive on it.
package gosdk
