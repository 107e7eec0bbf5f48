//go:build !js

// Package tsserver runs the official TypeScript server, version 2
// (@modelcontextprotocol/server 2.4.0 with @modelcontextprotocol/node 2.1.2,
// which the project's package.json pins), serving both eras on one endpoint with
// CORS for every origin:
//
//	s := tsserver.Start(t, tsserver.Options{})
//	... connect a client to s.URL ...
//	s.Announce("tools")               // notifications/tools/list_changed
//	s.Updated("file:///notes.txt")
//	strings.Contains(s.Output(), "slow: cancelled at step 3")
//
// Tools: echo, add (with outputSchema), slow (steps, delayMs: progress and a
// log message), greet (elicitation as input_required, modern era only), write (waits
// for Release), look (the same, read-only), routed (argument region mirrored in Mcp-Param-Region). Resource file:///notes.txt,
// template file:///notes/{name}, prompt greet (argument who).
//
// # What the SDK does on the wire
//
// Measured here; the tests of this package hold the parts that matter.
//
//   - Modern requests are answered with JSON, and nothing at all leaves, not
//     even headers, until the result is there; only if the tool sends a
//     notification first does the answer become an event stream, with its
//     headers at that moment. The default keep-alive, a comment every 15 s,
//     starts then. A silent tool is silent on the wire.
//   - Events are "event: message" and one data line; never an id or a retry.
//   - discover lists modern versions only, although the same endpoint serves
//     initialize: a client learns of the other era by trying.
//   - serverInfo is in _meta of every complete or input_required result, not of
//     discover alone. Lists and read always carry ttlMs and cacheScope (0 and
//     private unless configured).
//   - Closing the connection aborts the tool, before the answer has headers too.
//   - A missing or wrong header is 400 with -32020 and data.mismatch; a missing
//     _meta member 400 with -32602; another version 400 with -32022; input that
//     the request's capabilities do not cover 400 with -32021; an unknown method
//     404 with -32601. An unknown tool is in band, 200 with -32602; bad
//     arguments are an isError result.
//   - Accept is not checked for modern requests. A modern notification, even
//     without Mcp-Method, is 202.
//   - An argument that x-mcp-header mirrors is demanded in the modern era only.
//   - listen acknowledges the filter cut to what it knows: taskIds is dropped,
//     not refused. Closing the handler ends the subscription with its result.
//   - Legacy requests are served stateless: no session id, every answer an event
//     stream without priming event or ids, notifications 202, log messages
//     without logging/setLevel; GET and DELETE are 405 with -32000. Nothing can
//     be resumed, and a tool cannot ask the client.
package tsserver

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
	"github.com/holdfast-mcp/holdfast/e2e/internal/nodeserver"
)

// Options choose how the server behaves.
type Options struct {
	// KeepAlive is the interval of comment lines on event streams; 0 means the
	// SDK's own, 15 seconds.
	KeepAlive time.Duration
	// AllowHeaders is the list of request headers that browsers are allowed;
	// nil means whatever they ask for.
	AllowHeaders []string
	// Stateful is a server of the legacy era alone that keeps sessions
	// (sessionIdGenerator), and answers in one JSON piece.
	Stateful bool
}

// A Server is the TypeScript server, running.
type Server struct {
	// URL is the endpoint.
	URL string

	t       testing.TB
	process *nodeserver.Process
}

// Start runs the server on a free loopback port until t ends. The test fails if
// the packages are not installed or the server does not come up.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	if _, err := nodeserver.Installed("@modelcontextprotocol", "server", "package.json"); err != nil {
		t.Fatal("tsserver: ", err)
	}
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal("tsserver: ", err)
	}
	var extra []string
	if o.KeepAlive > 0 {
		extra = append(extra, fmt.Sprintf("KEEP_ALIVE_MS=%d", o.KeepAlive.Milliseconds()))
	}
	if o.AllowHeaders != nil {
		extra = append(extra, "ALLOW_HEADERS="+strings.Join(o.AllowHeaders, ", "))
	}
	if o.Stateful {
		extra = append(extra, "STATEFUL=1")
	}
	s := &Server{t: t, process: nodeserver.Start(t, extra,
		filepath.Join(root, "e2e", "tsserver", "server.mjs"))}
	port, err := s.process.Line()
	if err != nil {
		t.Fatalf("tsserver: %v\n%s", err, s.process.Output())
	}
	s.URL = "http://127.0.0.1:" + port + "/mcp"
	return s
}

// Announce tells every subscription that the list of "tools", "prompts" or
// "resources" changed.
func (s *Server) Announce(list string) { s.tell(list) }

// Updated tells the subscriptions of a resource that it changed.
func (s *Server) Updated(uri string) { s.tell("updated " + uri) }

// Close ends every modern request under way, subscriptions included, as the
// SDK's handler does when it shuts down. The server goes on.
func (s *Server) Close() { s.tell("close") }

// Release lets the runs of the tool write end, which say "write: run 1" as they begin.
func (s *Server) Release() { s.tell("go") }

// Output is what the server printed: "slow: cancelled at step 3" and errors.
func (s *Server) Output() string { return s.process.Output() }

func (s *Server) tell(line string) {
	s.t.Helper()
	if err := s.process.Tell(line); err != nil {
		s.t.Errorf("tsserver: %v", err)
	}
}
