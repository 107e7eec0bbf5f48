//go:build !js

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// Fault 171: a page takes over a session of a page that is gone, in whatever state its
// own connection is: the session is read on the connection that it had, and goes on.
func TestFault171_TakeoverWhileConnecting(t *testing.T) {
	for _, when := range []string{"before Start", "before the token", "while initialize is under way",
		"after initialize has failed", "when it is open"} {
		for _, held := range []int{0, 3} { // GETs that get a 409, as long as the old page's streams stand
			t.Run(fmt.Sprint(when, ", ", held, " refusals"), func(t *testing.T) {
				m := quiet()
				gone := newSim(t, acp.Config{}, m)
				session, id := gone.session()
				gone.prompt(session, "Hello")
				gone.settle(0)
				m.leaveAll()

				s := unloaded(t, acp.Config{Epoch: 2, Seed: 2, HasTokenProvider: when == "before the token"},
					m)
				takeOver := func() {
					m.taken = held
					s.do("take over",
						func(c *acp.Client, now engine.Time) {
							c.Restore(now,
								inEpoch(gone.Store.Loaded(), 3))
						})
				}
				s.do("follow", func(c *acp.Client, now engine.Time) { c.Restore(now, gone.Store.Followed()) })
				if when == "before Start" {
					takeOver()
				}
				switch when {
				case "while initialize is under way":
					s.post = func(body string) delivery { return travels }
				case "after initialize has failed":
					s.post = func(body string) delivery { return neverLeft }
				}
				s.do("start", func(c *acp.Client, now engine.Time) { c.Start(now) })
				if when != "before Start" {
					takeOver()
				}
				if when == "before the token" {
					s.do("token", func(c *acp.Client, now engine.Time) { c.Token(now, "t", nil) })
				}
				s.post = nil
				s.arrive()
				for x, e := range s.Exchanges() {
					s.expect(when != "before the token" ||
						e.Request.Header[len(e.Request.Header)-1].Name == "Authorization", "x%d has no token",
						x)
				}
				s.settle(60_000)
				s.expect(m.reading(id) != 0, "nobody reads the session")
				s.expect(strings.Contains(fmt.Sprint(s.Trace), `"state":"open"`), "the client does not open")
				call := s.prompt(s.handle(id), "more")
				s.settle(60_000)
				s.expect(s.settled(call).Outcome == engine.OutcomeResult, "the prompt ended with %+v",
					s.settled(call))
			})
		}
	}
}

// Fault 171: two pages are gone, each with a session on a connection of its own. The
// next page finds both when it is loaded, and reads both.
func TestFault171_SessionsOfTwoConnections(t *testing.T) {
	m := quiet()
	first := newSim(t, acp.Config{}, m)
	_, one := first.session()
	second := newSim(t, acp.Config{}, m)
	second.load() // in an epoch of its own
	_, other := second.session()
	next := unloaded(t, acp.Config{Epoch: 4, Seed: 4}, m)
	next.Store.Join(first.Store)
	next.Store.Join(second.Store)
	next.load()
	next.settle(60_000)
	next.expect(m.sessions[one].conn != m.sessions[other].conn, "both sessions are on one connection")
	for _, id := range []string{one, other} {
		next.expect(m.reading(id) != 0, "nobody reads session %s", id)
	}
}

// Fault 171: a page that has taken a session over reads its connection as long as it
// carries the session. Then another page wants to, which would get a 409 for ever.
func TestFault171_ConnectionOfSessionThatIsGone(t *testing.T) {
	for name, end := range map[string]func(s *sim, stored *coretest.Store, id string){
		"another page carries the session": func(s *sim, stored *coretest.Store, _ string) {
			s.do("hand on",
				func(c *acp.Client, now engine.Time) { c.Restore(now, inEpoch(stored.Followed(), 4)) })
		},
		"the app forgets the session": func(s *sim, _ *coretest.Store, id string) {
			handle := s.handle(id)
			s.do("forget", func(c *acp.Client, now engine.Time) { c.Forget(now, handle) })
		},
	} {
		m := quiet()
		gone := newSim(t, acp.Config{}, m)
		_, id := gone.session()
		m.leaveAll()
		s := newSim(t, acp.Config{}, m)
		s.load() // in an epoch of its own
		take := func(epoch uint32) {
			s.do("take over",
				func(c *acp.Client, now engine.Time) { c.Restore(now, inEpoch(gone.Store.Loaded(), epoch)) })
			s.settle(60_000)
		}
		take(3)
		conn := m.sessions[id].conn
		s.expect(m.reading(id) != 0 && conn.boxes[""].x != 0, "%s: the session is not read", name)
		end(s, gone.Store, id)
		s.settle(60_000)
		s.expect(m.reading(id) == 0 && conn.boxes[""].x == 0, "%s: the page reads the connection", name)
		take(5)
		s.expect(m.reading(id) != 0 && conn.boxes[""].x != 0,
			"%s: the session is not read when it comes back", name)
	}
}
