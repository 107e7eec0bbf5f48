// Package wire is what can be said of MCP by looking at the wire alone. It has no
// client in it and no state: data goes in, facts and verdicts come out.
//
//	revision.go     the revisions, as a table of what each has
//	taskdialect.go  the ways of driving tasks, as a table
//	probe.go        what an answer to server/discover proves
//	verdict.go      what a response means that is no answer, by its status
//	errorcode.go    JSON-RPC error codes that decide something
//	method.go       methods that may run twice
//	mirror.go       header fields that repeat what a body says
//	meta.go         keys of _meta
//	endpoint.go     where the messages of HTTP+SSE go
//
// What a revision does differently is a row here, never an if elsewhere.
package wire
