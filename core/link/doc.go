// Package link holds the HTTP machines below the protocols: one exchange (a
// request whose answer is JSON, an event stream or nothing), and one long-lived
// stream that is carried by any number of exchanges, with its cursor,
// reconnection policy and liveness.
//
//	exchange.go   one response: its head, then events or one JSON text (body.go, status.go)
//	exchanges.go  ids of exchanges, and whose they are
//	post.go       one message that brings none in return
//	stream.go     one event stream over many exchanges (cursor.go, seen.go)
//	liveness.go   when a connection counts as dead; heads.go: when an attempt does
//	backoff.go    how long to wait before an attempt (policy.go, retryafter.go, loopguard.go)
//	waits.go      what waits in a client, and what it hears of its page (news.go, visits.go)
//	bearer.go     the bearer token
//	requestid.go  ids of requests, which no two pages give twice
//
// It knows HTTP, event streams and time. It does not know what a message
// means, which method a request has, or what an app wants: core/mcp and
// core/acp decide that. A part of this package is told what happened and
// answers what should be done; it emits no effects of its own, so that the
// order of effects has one author.
package link
