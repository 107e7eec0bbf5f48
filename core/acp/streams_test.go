//go:build !js

package acp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestAStreamThatIsStillRead: after a reload the agent's server has not noticed yet that
// the page before is gone, and answers 409. The next page comes again, on the same
// connection.
func TestAStreamThatIsStillRead(t *testing.T) {
	s, handle, a := opened(t, newModel())
	s.prompt(handle, "hi")
	s.settle(0)
	a.m.taken = 4
	s.load()
	a.chunk("later", "meanwhile")
	s.settle(60_000)
	s.expect(a.m.taken == 0 && strings.HasSuffix(said(s.effects, s.handle(a.id)), "meanwhile"),
		"shown %q, %d more", said(s.effects, s.handle(a.id)), a.m.taken)
	s.expect(len(a.m.of("initialize")) == 1 && len(a.m.of("session/prompt")) == 1 &&
		len(a.m.of("DELETE")) == 0, "on another connection")
}

// TestAHistoryIsSwappedIn when it is whole: until the agent has said so, what was
// there is shown.
func TestAHistoryIsSwappedIn(t *testing.T) {
	s, handle, a := opened(t, newModel())
	s.prompt(handle, "hi")
	s.settle(0)
	before := said(s.effects, handle)
	s.expect(before != "", "nothing was said")
	a.m.silent["session/resume"] = true
	s.cut(a.m.reading(a.id), 0)
	s.settle(1_000)
	asked := a.m.of("session/resume")
	for _, update := range a.history {
		a.tell(update)
	}
	a.tell(`{"sessionUpdate":"agent_message_chunk","messageId":"later","content":{"type":"text",` +
		`"text":" and more"}}`)
	s.settle(0)
	s.expect(said(s.effects, handle) == before, "half told it shows %q", said(s.effects, handle))
	a.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"result":{}}`, asked[len(asked)-1].ID)
	s.settle(0)
	s.expect(said(s.effects, handle) == before+" and more", "in the end it shows %q", said(s.effects, handle))
	s.expect(len(s.events(engine.EventResumed, "continued")) == 1, "not told")
}

// TestForgottenWithoutAHistory: the host has forgotten the connection, and the agent
// has no history: that is a gap, and what was there stays.
func TestForgottenWithoutAHistory(t *testing.T) {
	m := newModel()
	m.answers = `"info":{"name":"m","version":"1"},"capabilities":{}`
	s, handle, a := opened(t, m)
	s.prompt(handle, "hi")
	s.settle(0)
	before := said(s.effects, handle)
	m.forget(s)
	s.settle(60_000)
	s.expect(len(s.events(engine.EventResumed, `"gap"`)) == 1 && len(s.events(engine.EventResumed, "")) == 1,
		"not told")
	s.expect(said(s.effects, s.handle(a.id)) == before && before != "", "shown %q",
		said(s.effects, s.handle(a.id)))
}

// TestSessionsThatNobodyKnows: an update for one is a breach, unless a session is
// being made; then it is kept, up to a bound, and a breach if it was for another.
func TestSessionsThatNobodyKnows(t *testing.T) {
	m := quiet()
	s := newSim(t, acp.Config{}, m)
	s.settle(0)
	tell := func(session string, size int) {
		m.connections["c1"].say("",
			`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, session,
			fmt.Sprintf(
				`{"sessionUpdate":"agent_message_chunk","messageId":"a","content":{"type":"text","text":%q}}`,
				strings.Repeat("x", size)))
		s.settle(0)
	}
	breaches := func() int { return len(s.events(engine.EventIntegrity, "unknown_session")) }
	tell("s9", 1)
	s.expect(breaches() == 1, "%d breaches", breaches())
	m.silent["session/new"] = true
	s.request(0, "session/new", `{"cwd":"/w"}`)
	s.settle(0)
	tell("s8", 1)
	s.expect(breaches() == 1, "what came early is a breach")
	for range 40 {
		tell("s1", 100_000)
	}
	over := breaches()
	s.expect(over > 1 && over < 41, "of 4 MB %d of 40 are kept", 41-over)
	made := m.of("session/new")
	m.connections["c1"].say("", `{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"s1"}}`, made[len(made)-1].ID)
	s.settle(0)
	s.expect(breaches() == over+1, "the one for another session is no breach")
	counted := string(s.Client.AppendCounters(nil))
	s.expect(strings.Contains(counted, fmt.Sprintf(`"unknownSessions":%d`, over+1)),
		"%d breaches are counted as %s", over+1, counted)
	s.expect(len(said(s.effects, s.handle("s1"))) == (41-over)*100_000, "shown are %d bytes",
		len(said(s.effects, s.handle("s1"))))
}

// TestAKnownSessionIsLoadedAgain: the app asks for the history of a session that it
// has. What comes is that history, not more of it.
func TestAKnownSessionIsLoadedAgain(t *testing.T) {
	for version, method := range map[int]string{1: "session/load", 2: "session/resume"} {
		m := quiet()
		m.version = version
		s, handle, a := opened(t, m)
		a.update(
			`{"sessionUpdate":"user_message_chunk","messageId":"u1","content":{"type":"text","text":"hi"}}`)
		a.chunk("a1", "hello")
		s.settle(0)
		before := said(s.effects, handle)
		for range 2 {
			call := s.request(0, method,
				fmt.Sprintf(`{"sessionId":%q,"cwd":"/w","mcpServers":[],"replayFrom":{"type":"start"}}`,
					a.id))
			s.settle(0)
			s.expect(s.settled(call).Outcome == engine.OutcomeResult, "not joined")
		}
		call := s.request(0, "session/resume",
			fmt.Sprintf(`{"sessionId":%q,"cwd":"/w","mcpServers":[]}`, a.id))
		s.settle(0)
		s.settled(call)
		s.expect(said(s.effects, handle) == "hello", "version %d, without a history: %q", version,
			said(s.effects, handle))
		s.expect(before == "hello" && said(s.effects, handle) == before, "version %d: before %q, then %q",
			version, before, said(s.effects, handle))
	}
}

// TestAHistoryWithoutAnEnd: the agent tells it, and never says that this was all.
// One that has all that was there is better than what was there, and one that has
// less is not: nothing that was shown goes, and nothing is shown twice.
func TestAHistoryWithoutAnEnd(t *testing.T) {
	for name, test := range map[string]struct {
		tells int // of the two items that there were
		want  string
	}{
		"all of it":  {2, "hello and more"},
		"half of it": {1, "hello"},
	} {
		s, handle, a := opened(t, quiet())
		a.update(`{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"hi"}]}`)
		a.chunk("a1", "hello")
		s.settle(0)
		a.m.silent["session/resume"] = true
		s.cut(a.m.reading(a.id), 0)
		s.settle(1_000)
		asked := a.m.of("session/resume")
		s.expect(len(asked) == 1, "%s: %d histories are asked for", name, len(asked))
		for _, update := range a.history[:test.tells] {
			a.tell(update)
		}
		if test.tells == 2 {
			a.tell(`{"sessionUpdate":"agent_message_chunk","messageId":"a1","content":{"type":"text",` +
				`"text":" and more"}}`)
		}
		s.settle(0)
		a.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no"}}`, asked[0].ID)
		s.settle(0)
		s.expect(said(s.effects, handle) == test.want, "%s: shown %q", name, said(s.effects, handle))
	}
}

// TestOneIsForgottenAndTheHostForgetsAll: a session that the app has dropped is not
// heard of again, whatever becomes of the connection that it was on.
func TestOneIsForgottenAndTheHostForgetsAll(t *testing.T) {
	m := quiet()
	s := newSim(t, acp.Config{}, m)
	dropped, _ := s.session()
	kept, id := s.session()
	m.sessions[id].chunk("a", "hello")
	s.settle(0)
	s.do("forget", func(c *acp.Client, now engine.Time) { c.Forget(now, dropped) })
	s.settle(0)
	s.effects = s.effects[:0:0]
	m.forget(s)
	s.settle(60_000)
	heard := func(handle uint32) int {
		return len(
			s.find(func(e engine.Effect) bool { return e.Kind == engine.Deliver && uint32(e.C) == handle }))
	}
	s.expect(heard(dropped) == 0 && heard(kept) > 0, "of the dropped one %d events, of the other %d",
		heard(dropped), heard(kept))
}

// TestAHistoryOfTheAgentsAlone begins with its first item, too: what the stream had
// kept in front of it is in it once more, and is shown once.
func TestAHistoryOfTheAgentsAlone(t *testing.T) {
	s, handle, a := opened(t, quiet())
	a.chunk("a1", "hello")
	s.settle(0)
	s.cut(a.m.reading(a.id), 0)
	a.chunk("a2", " and more")
	s.settle(60_000)
	s.expect(said(s.effects, handle) == "hello and more", "shown %q", said(s.effects, handle))
}

// TestAnAnswerToAnEarlierPage: the agent answers a prompt after the page that made it
// has gone. It has the prompt, or it does not: the next page shows which.
func TestAnAnswerToAnEarlierPage(t *testing.T) {
	for _, accepted := range []bool{true, false} {
		m := newModel()
		var asked modelRequest
		m.onPrompt = func(_ *modelSession, r modelRequest) { asked = r }
		s, handle, a := opened(t, m)
		s.prompt(handle, "hi")
		s.settle(0)
		s.load()
		s.settle(1_000)
		if accepted {
			a.accept(asked, "u1")
		} else {
			a.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no"}}`, asked.ID)
		}
		s.settle(1_000)
		unsent := len(s.events(engine.EventItem, `"op":"unsent"`))
		s.expect((unsent == 0) == accepted && unsent < 2, "accepted %v: %d times unsent", accepted, unsent)
		s.expect(len(s.events(engine.EventIntegrity, "")) == 0, "accepted %v: a breach", accepted)
	}
}

// TestEarlyUpdatesWaitForWhoeverMayWantThem: while two sessions are being made, an
// answer to something else drops nothing that came early; up to the bound, and no
// byte beyond.
func TestEarlyUpdatesWaitForWhoeverMayWantThem(t *testing.T) {
	m := quiet()
	s := newSim(t, acp.Config{}, m)
	other, _ := s.session()
	m.silent["session/new"] = true
	s.request(0, "session/new", `{"cwd":"/w"}`)
	s.settle(0)
	const update = `{"sessionUpdate":"agent_message_chunk","messageId":"a","content":{"type":"text","text":%q}}`
	tell := func(size int) {
		text := strings.Repeat("x", size-len(fmt.Sprintf(update, "")))
		m.connections["c1"].say("",
			`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s9","update":%s}}`,
			fmt.Sprintf(update, text))
		s.settle(0)
	}
	breaches := func() int { return len(s.events(engine.EventIntegrity, "unknown_session")) }
	tell(1<<20 - 200)
	tell(200)
	s.expect(breaches() == 0, "of 1 MiB %d are dropped", breaches())
	tell(100)
	s.expect(breaches() == 1, "more than 1 MiB is kept")
	call := s.request(other, "session/set_config_option", `{"configId":"c","value":"v"}`)
	s.settle(0)
	s.settled(call)
	s.expect(breaches() == 1, "another answer drops what came early")
	made := m.of("session/new")
	m.connections["c1"].say("", `{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"s9"}}`, made[len(made)-1].ID)
	s.settle(0)
	want := 1<<20 - 2*len(fmt.Sprintf(update, ""))
	s.expect(len(said(s.effects, s.handle("s9"))) == want, "shown are %d bytes of %d",
		len(said(s.effects, s.handle("s9"))), want)
}

// TestOneOfTwoConnectionsIsForgotten: a page that has taken over another one's session
// has its connection, too. The host forgets one of the two: the session on the other
// one is read on, and is not asked for again.
func TestOneOfTwoConnectionsIsForgotten(t *testing.T) {
	for _, home := range []bool{true, false} {
		m := quiet()
		gone := newSim(t, acp.Config{}, m)
		_, taken := gone.session()
		s := newSim(t, acp.Config{}, m)
		s.load() // in an epoch of its own
		_, own := s.session()
		s.do("take over",
			func(c *acp.Client, now engine.Time) { c.Restore(now, inEpoch(gone.Store.Loaded(), 3)) })
		s.settle(60_000)
		lost, stays := taken, own
		if home {
			lost, stays = own, taken
		}
		asked := func(id string) (n int) {
			for _, r := range m.of("session/resume") {
				if r.Session == id {
					n++
				}
			}
			return n
		}
		stream, before := m.reading(stays), [2]int{asked(stays), asked(lost)}
		s.expect(stream != 0 && m.reading(lost) != 0 && m.sessions[lost].conn != m.sessions[stays].conn,
			"the sessions are not read on two connections")
		delete(m.connections, m.sessions[lost].conn.id)
		for x, e := range s.Exchanges() {
			on := engine.Field{Name: "Acp-Connection-Id", Value: m.sessions[lost].conn.id}
			if e.Request.Method == "GET" && slices.Contains(e.Request.Header, on) {
				s.end(x, engine.EndNetwork)
			}
		}
		s.pump()
		s.settle(60_000)
		s.expect(asked(lost) == before[1]+1 && m.reading(lost) != 0,
			"home %v: its session is asked for %d times", home, asked(lost)-before[1])
		s.expect(asked(stays) == before[0] && m.reading(stays) == stream,
			"home %v: the other one is asked for %d times", home, asked(stays)-before[0])
	}
}
