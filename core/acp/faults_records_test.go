//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// TestFault508_TakenOverWhileAsked: another tab carries a session, and is closed; this one, which does not
// know it yet, asks something of it, or loads it, and takes its record over meanwhile. That record stays.
func TestFault508_TakenOverWhileAsked(t *testing.T) {
	for _, how := range []string{"load that fails", "passing"} {
		m := quiet()
		gone := newSim(t, acp.Config{}, m)
		handle, id := gone.session()
		m.sessions[id].chunk("a1", "what was said")
		gone.settle(1_000)
		_ = handle
		m.leaveAll()
		s := newSim(t, acp.Config{Epoch: 2, Seed: 2, Tabs: true}, m)
		s.settle(1_000)
		forgotten := false
		s.also = func(e engine.Effect) {
			if e.Kind == engine.Store {
				for r := journal.ReadOps(e.Data); ; {
					op, ok := r.Next()
					if !ok {
						break
					}
					forgotten = forgotten || op.Kind == journal.OpForget
				}
			}
		}
		method := "session/resume"
		if how == "passing" {
			method = "session/status"
		}
		m.silent[method] = true
		call := s.request(0, method, `{"sessionId":"`+id+`","cwd":"/w","replayFrom":{"type":"start"}}`)
		s.settle(100)
		s.do("take over",
			func(c *acp.Client, now engine.Time) { c.Restore(now, inEpoch(gone.Store.Loaded(), 3)) })
		s.settle(100)
		r := m.of(method)
		c := m.connections[r[len(r)-1].Connection]
		c.say(id, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"busy"}}`, r[len(r)-1].ID)
		s.settle(60_000)
		s.expect(s.settled(call).Outcome == engine.OutcomeRPCError, "settled with %+v", s.settled(call))
		known := false
		s.do("look", func(c *acp.Client, now engine.Time) {})
		for _, e := range s.find(func(e engine.Effect) bool { return e.Kind == engine.Recall }) {
			known = known || strings.Contains(string(e.Data), `"record"`)
		}
		if forgotten {
			t.Errorf("%s: the session's record is deleted from the store, with all that was said; known "+
				"here with a record: %v", how, known)
		}
	}
}

// TestFault508_ThirdTab: two tabs have loaded one session at once. A third looks on at the record of one of
// them, which is closed: the other takes over, and the session goes on.
func TestFault508_ThirdTab(t *testing.T) {
	m := quiet()
	_, _, a := opened(t, m)
	m.leaveAll()
	load := func(epoch uint32) *sim {
		s := newSim(t, acp.Config{Epoch: epoch, Seed: uint64(epoch), Tabs: true}, m)
		s.request(0, "session/resume", `{"sessionId":"`+a.id+`","cwd":"/w","replayFrom":{"type":"start"}}`)
		s.settle(0)
		return s
	}
	one := load(2)
	m.leaveAll()
	two := load(3)
	third := two.look(77) // has heard of two's record first
	third.do(func(c *acp.Client) { c.Restore(third.Now, unsealed(one.Store.Followed())) })
	closed := func() (all []string) {
		for _, e := range third.told {
			if e.Kind == engine.Deliver && e.Event == engine.EventStatus {
				all = append(all, string(e.Data))
			}
		}
		return all
	}
	var rows []byte
	one.also = func(e engine.Effect) {
		if e.Kind == engine.Store {
			rows = append(rows, unsealed(broadcast(e.Data))...)
		}
	}
	one.do("take over",
		func(c *acp.Client, now engine.Time) { c.Restore(now, inEpoch(two.Store.Loaded(), 9)) })
	one.settle(1_000)
	third.do(func(c *acp.Client) { c.Restore(third.Now, rows) })
	third.do(func(c *acp.Client) { c.Restore(third.Now, unsealed(one.Store.Followed())) })
	recalls := 0
	for _, e := range third.told {
		if e.Kind == engine.Recall {
			recalls++
		}
	}
	t.Logf("third was told %v, recalled %d", closed(), recalls)
	if len(closed()) > 0 && strings.Contains(closed()[len(closed())-1], "closed") && recalls == 1 {
		t.Errorf("the session is told as closed in the third tab")
	}
}
