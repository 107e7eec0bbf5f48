//go:build !js

// Package sdktasks runs the official TypeScript SDK, version 1
// (@modelcontextprotocol/sdk 1.32.2), serving the core tasks of 2025-11-25 with
// its own task store, message queue and event store, and CORS for every origin:
//
//	s := sdktasks.Start(t)
//	... connect a client to s.URL, call optional {call: "a", gate: "go"} ...
//	s.Waiting("go")
//	s.Open("go")
//	s.Count("ran a") == 1
//
// Tools: plain answers at once and forbids tasks; optional and required have
// taskSupport of those names. Their arguments are call (a label), gate (waited at
// in the middle), ask (a question to the user on the way) and fail ("tool" ends
// with isError, "error" with an exception). The result says "<call> is done" and
// structuredContent.answer what the user said.
//
// # What the SDK does on the wire
//
//   - A call of an optional tool that is no task becomes one all the same, which
//     the SDK polls itself; the client gets the plain result.
//   - A required tool that is called without a task is refused in band, as a
//     result with isError that quotes -32601.
//   - Questions leave on the stream of tasks/result only, and tasks/result
//     answers with an event stream whose events have ids.
//   - An exception makes the task failed with nothing stored: tasks/result then
//     answers -32603 "Task ... has no result stored", and only the statusMessage
//     says why.
//   - tasks/result looks for the end of the task once in a poll interval; a status
//     notification on the standalone stream is faster.
package sdktasks

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
	"github.com/holdfast-mcp/holdfast/e2e/internal/nodeserver"
)

// waitLimit bounds how long Wait waits for a line of the log.
const waitLimit = 60 * time.Second

// A Server is the SDK's server, running.
type Server struct {
	// URL is the endpoint.
	URL string

	t       testing.TB
	process *nodeserver.Process
}

// Start runs the server on a free loopback port until t ends. The test fails if
// the SDK is not installed or the server does not come up.
func Start(t testing.TB) *Server {
	t.Helper()
	if _, err := nodeserver.Installed("@modelcontextprotocol", "sdk", "package.json"); err != nil {
		t.Fatal("sdktasks: ", err)
	}
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal("sdktasks: ", err)
	}
	s := &Server{t: t, process: nodeserver.Start(t, nil,
		filepath.Join(root, "e2e", "sdktasks", "server.mjs"))}
	port, err := s.process.Line()
	if err != nil {
		t.Fatalf("sdktasks: %v\n%s", err, s.process.Output())
	}
	s.URL = "http://127.0.0.1:" + port + "/mcp"
	return s
}

// Open lets whoever waits at a gate, or comes to it later, go on.
func (s *Server) Open(gate string) {
	s.t.Helper()
	if err := s.process.Tell(gate); err != nil {
		s.t.Errorf("sdktasks: %v", err)
	}
}

// Waiting returns once a task waits at the gate.
func (s *Server) Waiting(gate string) { s.t.Helper(); s.Wait("waiting " + gate) }

// Wait returns once the log has the line. The lines are "inline <call>" and
// "task <call>" for each tools/call, "initialize" and "tasks/..." for these
// requests, "taken up" where a later page has resumed a request's stream, or taken
// the request back, "ran <call>", "waiting <gate>", "answered <call> <answer>", and
// "stopped <call>" for work whose task was cancelled.
func (s *Server) Wait(line string) {
	s.t.Helper()
	limit := time.Now().Add(waitLimit)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for s.Count(line) == 0 {
		if time.Now().After(limit) {
			s.t.Fatalf("sdktasks: no line %q within %v", line, waitLimit)
		}
		<-tick.C
	}
}

// Count is how often the log has the line.
func (s *Server) Count(line string) int {
	lines := strings.Split(s.process.Output(), "\n")
	return len(slices.DeleteFunc(lines, func(l string) bool { return l != line }))
}
