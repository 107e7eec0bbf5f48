// Package mcp is the MCP client: a state machine that connects to one server
// over Streamable HTTP and carries any number of requests, each over as many
// connections as it takes.
//
//	app ──Call──► call ──POST──► exchange ──events──► dispatch ──► call, client
//	               │                 │ cut
//	               │                 ▼
//	               └──GET Last-Event-ID── link.Stream (cursor, backoff, liveness)
//
// A Client owns: the way to a revision (negotiate.go; a probe and a handshake
// are themselves calls), the calls, the stream for what the server says unasked
// (listen.go), the HTTP+SSE connection of 2024-11-05 (channel.go), the one-way posts (notifications,
// answers to the server, DELETE) and the bearer token. Each of them owns the
// exchanges that it started, and is told of their heads, chunks and ends.
//
// What belongs here: everything that only MCP says. What a revision of MCP
// does differently is a row in wire/revision.go, never an if elsewhere: package
// wire has the facts and the verdicts that need no client, package segments the
// tracker of streamed results. What would
// serve another protocol as well (cursors, reconnecting, event streams, HTTP
// bodies) belongs in core/link. Payloads stay raw JSON text: this package reads
// the few fields it decides by, and hands the rest on unread.
package mcp
