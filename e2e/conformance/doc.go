//go:build !js

// Package conformance runs the client scenarios of the official MCP
// conformance suite against Holdfast in a page of a real Chrome.
//
// The suite wants a command that it can start with a server's URL. It gets this
// program again ([Client]), which tells the runner's desk about the URL and waits;
// the desk opens a page that does what the scenario asks for, with nothing but
// the public API, and what comes of it is the command's exit status:
//
//	runner ── starts ──> suite ── starts ──> Client ── URL ──> desk ──> page
//	                       ^                                              |
//	                       └───────────── MCP, by way of the proxy ───────┘
//
// The suite's servers send no CORS headers, because the clients they have in
// mind are no pages. A forward proxy in front of Chrome adds what a server that
// welcomes pages would send, so the URLs stay true and CORS stays in force.
//
// A pass is judged more strictly than by the suite, for which a client that does
// nothing passes some scenarios: see judge.go.
package conformance
