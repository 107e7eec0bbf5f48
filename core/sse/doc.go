// Package sse reads an event stream (text/event-stream): bytes go in, in any
// pieces, events come out.
//
// It follows the WHATWG HTML standard to the letter: 9.2.5 "Parsing an event
// stream" and 9.2.6 "Interpreting an event stream"
// (https://html.spec.whatwg.org/multipage/server-sent-events.html), with the
// "UTF-8 decode" of the Encoding standard
// (https://encoding.spec.whatwg.org/#utf-8-decode). Two things go beyond that
// text, because an MCP client needs them:
//
//   - A block without data is not thrown away when it carries an id or a retry
//     field: it comes out as a [Bare] event, so that the id of a priming event
//     can be adopted (MCP 2025-11-25, Streamable HTTP; SEP-1699).
//   - The last event ID outlives the connection. 9.2.6 starts every stream with
//     an empty last event ID buffer, so that the first blank line after a
//     reconnect would clear the ID of the source; here, as in browsers, a
//     connection starts from the ID that the previous one ended with.
//
// # What belongs here
//
// Line ends, the byte order mark, UTF-8 repair, fields, blocks, the last event
// ID, the reconnection time, and the bounds on memory. What does not: HTTP
// (status, Content-Type, the Last-Event-ID header), timers and back-off, the
// clamping of a retry value, what an event type means, JSON. Those are the
// callers' (core/link, core/jsonrpc).
//
// # Ownership
//
// [Parser.Push] borrows a chunk. Until the next Push, Reset or EOF the chunk
// must not change, and exactly that long the slices of the events taken from
// it live: all events of one chunk may be kept side by side. Once
// [Parser.Next] has said false the parser itself no longer looks at the chunk:
// what an unfinished line or block needs has been copied by then, so a caller
// who is done with the events may refill the same buffer and push it again.
//
// # Cost
//
// A data line that lies inside one chunk and is valid UTF-8 is handed out in
// place. Other valid data is copied at most twice, whatever the chunking, and
// nothing is allocated per event once the buffers have grown. Comments and
// unknown fields are stepped over without being stored. Time is linear in the
// bytes pushed: each is searched once for LF and once for CR.
package sse
