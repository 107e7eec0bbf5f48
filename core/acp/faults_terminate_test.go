//go:build !js

package acp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Fault 159: a client that ends its connection leaves no dead one in the store: it is
// out of it before the DELETE leaves. The next page makes a connection, and finds its
// sessions, with no 404. Where the store fails the connection is ended all the same.
func TestFault159_TerminatedConnectionIsNotUsed(t *testing.T) {
	for _, fails := range []bool{false, true} {
		s, handle, _ := opened(t, quiet())
		s.prompt(handle, "hi")
		s.settle(0)
		handshakes := len(s.agent.of("initialize"))
		s.slow = true
		s.do("terminate", (*acp.Client).Terminate)
		s.expect(len(s.Store.Waiting()) == 1 && s.deletes() == 0,
			"the DELETE leaves while the connection is stored")
		if fails {
			ticket := s.Store.Waiting()[0]
			s.Store.Drop()
			s.do("fails", func(c *acp.Client, now engine.Time) {
				c.Stored(now, ticket, journal.ResultFailed, durable.ReasonFailed)
			})
		} else {
			s.do("stored", func(*acp.Client, engine.Time) { s.landed() })
		}
		s.settle(0)
		s.expect(s.deletes() == 1, "%d DELETEs leave", s.deletes())
		if fails {
			continue
		}
		before := len(s.agent.requests)
		s.slow = false
		s.load()
		s.settle(0)
		s.session()
		s.settle(0)
		s.expect(len(s.agent.of("initialize")) == handshakes+1, "the next page makes %d connections",
			len(s.agent.of("initialize"))-handshakes)
		for _, r := range s.agent.requests[before:] {
			s.expect(r.Connection != "c1", "%s %s on the connection that is ended", r.HTTP, r.Method)
		}
	}
}

// deletes are how many connections the client has ended.
func (s *sim) deletes() (n int) {
	for _, r := range s.agent.requests {
		if r.HTTP == "DELETE" {
			n++
		}
	}
	return n
}
