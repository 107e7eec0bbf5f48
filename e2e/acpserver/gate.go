//go:build !js

package acpserver

import "context"

// Release opens a gate for everyone who waits at it and everyone to come.
func (s *Server) Release(gate string) {
	s.t.Helper()
	s.do("release", map[string]any{"gate": gate}, nil)
}

// Pass lets as many waiters through, those to come if fewer are waiting.
func (s *Server) Pass(gate string, times int) {
	s.t.Helper()
	s.do("pass", map[string]any{"gate": gate, "times": times}, nil)
}

// Hold closes a gate that Release opened. A gate nobody has touched is closed.
func (s *Server) Hold(gate string) {
	s.t.Helper()
	s.do("hold", map[string]any{"gate": gate}, nil)
}

// Waiting returns once the agent waits at the gate; the test fails if it does
// not come.
func (s *Server) Waiting(gate string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	if !s.news.await(ctx, func(n *news) bool { return n.waiting[gate] > 0 }) {
		s.t.Fatalf("acpserver: nobody reached gate %q within %v", gate, patience)
	}
}
