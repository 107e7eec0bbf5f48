//go:build !js

package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestFault496_ResumedByTheNextPage: the page is loaded again, and its app resumes the session by its id, as
// it did the first time, while the client reads the history again by itself. It is shown once.
func TestFault496_ResumedByTheNextPage(t *testing.T) {
	for _, version := range []int{2, 1} {
		s, handle, a := afterATurn(t, version, `"messageId":"m1",`)
		want := said(s.effects, handle)
		s.load() // which reads the session again by itself
		method := map[int]string{1: "session/load", 2: "session/resume"}[version]
		call := s.request(0, method, `{"sessionId":"`+a.id+
			`","cwd":"/w","mcpServers":[],"replayFrom":{"type":"start"}}`)
		s.settle(60_000)
		s.expect(s.settled(call).Outcome == engine.OutcomeResult, "not resumed")
		if got := said(s.effects, s.handle(a.id)); got != want {
			t.Errorf("version %d: shown %s, want %s", version, got, want)
		}
	}
}

// TestFault496_LoadedTwice: a session that the client does not have yet is loaded twice, as by an effect that
// runs twice.
func TestFault496_LoadedTwice(t *testing.T) {
	for _, version := range []int{2, 1} {
		m := quiet()
		m.version = version
		s := newSim(t, acp.Config{}, m)
		a := &modelSession{m: m, id: "listed", state: `"state":"idle"`}
		m.sessions["listed"] = a
		for _, u := range []string{"user", "agent"} {
			a.history = append(a.history, fmt.Sprintf(`{"sessionUpdate":"%s_message_chunk","messageId":"m1",`+
				`"content":{"type":"text","text":"<%s>"}}`, u, u))
		}
		method := map[int]string{1: "session/load", 2: "session/resume"}[version]
		for range 2 {
			s.input("load", func(c *acp.Client, now engine.Time) {
				c.Request(now, 0, method,
					[]byte(`{"sessionId":"listed","cwd":"/w","mcpServers":[],"replayFrom":{"type":"start"}}`))
			})
		}
		s.pump()
		s.settle(60_000)
		items := transcript(s.effects, s.handle("listed"))
		if len(items) != 2 || items[0].text != "<user>" || items[1].text != "<agent>" {
			t.Errorf("version %d: shown %v", version, items)
		}
	}
}

// TestFault496_LoadedTwiceAtOnce: the same of a session that it has.
func TestFault496_LoadedTwiceAtOnce(t *testing.T) {
	m := newModel()
	s, handle, a := opened(t, m)
	s.prompt(handle, "one")
	s.settle(0)
	want := said(s.effects, handle)
	for range 2 {
		s.input("load", func(c *acp.Client, now engine.Time) {
			c.Request(now, 0, "session/resume",
				[]byte(`{"sessionId":"`+a.id+`","cwd":"/w","mcpServers":[],"replayFrom":{"type":"start"}}`))
		})
	}
	s.pump()
	s.settle(60_000)
	if got := said(s.effects, handle); got != want {
		t.Errorf("shown %s, want %s", got, want)
	}
}

// TestFault496_BeforeTheConnectionIsGone: the same, where the connection turns out to be gone before the
// request has left; and where the page rests meanwhile.
func TestFault496_BeforeTheConnectionIsGone(t *testing.T) {
	for _, how := range []string{"gone", "frozen"} {
		for _, version := range []int{2, 1} {
			s, handle, a := afterATurn(t, version, "")
			want := said(s.effects, handle)
			method := map[int]string{1: "session/load", 2: "session/resume"}[version]
			load := func() engine.CallID {
				return s.request(0, method, `{"sessionId":"`+a.id+
					`","cwd":"/w","mcpServers":[],"replayFrom":{"type":"start"}}`)
			}
			var call engine.CallID
			if how == "gone" {
				a.m.forget(s)
				call = load()
			} else {
				call = load()
				s.do("rest", func(c *acp.Client, now engine.Time) { c.Rest(now, true) })
				s.settle(1_000)
				s.do("rest", func(c *acp.Client, now engine.Time) { c.Rest(now, false) })
			}
			s.settle(60_000)
			s.expect(s.settled(call).Outcome == engine.OutcomeResult, "not resumed")
			if got := said(s.effects, handle); got != want {
				t.Errorf("%s, version %d: shown %s, want %s", how, version, got, want)
			}
		}
	}
}

// TestFault496_OverA404: an app loads a session that it has once more, and the agent's server, which was
// restarted, answers 404.
func TestFault496_OverA404(t *testing.T) {
	m := newModel()
	s, handle, a := opened(t, m)
	s.prompt(handle, "one")
	s.settle(0)
	want := said(s.effects, handle)
	clear(m.connections)
	call := s.request(0, "session/resume", `{"sessionId":"`+a.id+
		`","cwd":"/w","replayFrom":{"type":"start"}}`)
	s.settle(60_000)
	s.expect(s.settled(call).Outcome == engine.OutcomeResult, "not resumed")
	got := said(s.effects, handle)
	s.expect(got == want, "shown %s, want %s", got, want)
}

// TestFault496_DuringAReplay: an app loads a session once more while the client reads its history again by
// itself.
func TestFault496_DuringAReplay(t *testing.T) {
	m := newModel()
	s, handle, a := opened(t, m)
	s.prompt(handle, "one")
	s.settle(0)
	want := said(s.effects, handle)
	s.post = func(body string) delivery {
		if strings.Contains(body, "session/resume") {
			return travels
		}
		return arrives
	}
	s.cut(m.reading(a.id), 0)
	s.settle(1_000)
	s.expect(len(s.onTheWay) == 1, "%d on the way", len(s.onTheWay))
	s.post = nil
	call := s.request(0, "session/resume", `{"sessionId":"`+a.id+
		`","cwd":"/w","mcpServers":[],"replayFrom":{"type":"start"}}`)
	s.arrive()
	s.settle(60_000)
	s.expect(s.settled(call).Outcome == engine.OutcomeResult, "not resumed")
	if got := said(s.effects, handle); got != want {
		t.Errorf("shown %s, want %s", got, want)
	}
}

// afterATurn is a session that has had one; id is the member that names a message of version 1's, if it does.
func afterATurn(t *testing.T, version int, id string) (s *sim, handle uint32, a *modelSession) {
	if version == 2 {
		s, handle, a = opened(t, newModel())
		s.prompt(handle, "one")
		s.settle(0)
		return s, handle, a
	}
	m := quiet()
	m.version = 1
	s, handle, a = opened(t, m)
	for _, said := range [][2]string{{"user", "hi"}, {"agent", "hello"}} {
		a.update(fmt.Sprintf(`{"sessionUpdate":"%s_message_chunk",%s"content":{"type":"text","text":%q}}`,
			said[0], id, said[1]))
	}
	s.settle(0)
	return s, handle, a
}
