//go:build !js

package acp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// crowded is a page whose browser has six connections for an origin, as over
// HTTP/1.1, with n sessions of a model.
func crowded(t testing.TB, m *model, n int) (*sim, []uint32, []*modelSession) {
	t.Helper()
	s := newSim(t, acp.Config{}, m)
	s.sockets = 6
	var handles []uint32
	var sessions []*modelSession
	for range n {
		handle, id := s.session()
		handles, sessions = append(handles, handle), append(sessions, m.sessions[id])
	}
	return s, handles, sessions
}

// atWork is a model whose turns begin and go on until somebody ends them.
func atWork() *model {
	m := newModel()
	m.onPrompt = func(s *modelSession, r modelRequest) {
		s.turns++
		s.echo(r, fmt.Sprintf("u%d", s.turns))
		s.accept(r, fmt.Sprintf("u%d", s.turns))
		s.is(`"state":"running"`)
	}
	return m
}

// TestAllAtWork: more sessions are at work at once than there may be streams.
// Every prompt leaves, every word of every session comes, and every end.
func TestAllAtWork(t *testing.T) {
	s, handles, sessions := crowded(t, atWork(), 9)
	var calls []engine.CallID
	for i, handle := range handles {
		calls = append(calls, s.prompt(handle, fmt.Sprint("work ", i)))
	}
	s.settle(60_000)
	s.expect(len(s.agent.of("session/prompt")) == 9, "%d prompts left", len(s.agent.of("session/prompt")))
	for _, call := range calls {
		s.expect(s.settled(call).Outcome == engine.OutcomeResult, "not accepted")
	}
	for i, a := range sessions {
		a.chunk("a1", fmt.Sprint("word of ", i))
	}
	s.settle(60_000)
	for i, handle := range handles {
		s.expect(said(s.effects, handle) == fmt.Sprint("word of ", i), "at work %d shows %q", i,
			said(s.effects, handle))
	}
	for _, a := range sessions {
		a.is(`"state":"idle","stopReason":"end_turn"`)
	}
	s.settle(60_000)
	s.expect(s.ended() == 9, "%d turns ended", s.ended())
	s.expect(s.streams() <= 4, "%d streams", s.streams())
}

// TestAllAtWorkInVersion1: the answer that ends a turn comes once, so that only
// sessions that are quiet lend their streams.
func TestAllAtWorkInVersion1(t *testing.T) {
	m := newModel()
	m.version = 1
	asked := map[string]modelRequest{}
	m.onPrompt = func(s *modelSession, r modelRequest) { asked[s.id] = r }
	s, handles, sessions := crowded(t, m, 7)
	for i, handle := range handles {
		s.prompt(handle, fmt.Sprint("work ", i))
	}
	for range 60 {
		s.settle(1_000)
		sessions[0].tell(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"."}}`)
	}
	s.expect(len(asked) == 7, "%d prompts left", len(asked))
	s.expect(len(s.find(func(e engine.Effect) bool {
		return e.Kind == engine.Deliver && e.Event == engine.EventStatus && uint32(e.C) == handles[0] &&
			strings.Contains(string(e.Data), "parked")
	})) <= 1, "one that is being told of lost its stream")
	for id, r := range asked {
		sessions[0].conn.say(id, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn"}}`, r.ID)
	}
	s.settle(60_000)
	s.expect(s.ended() == 7, "%d turns ended", s.ended())
}

// TestAParkedSessionAsks: its question comes only on its own stream, which it is
// given in its turn; the answer needs none.
func TestAParkedSessionAsks(t *testing.T) {
	s, handles, sessions := crowded(t, atWork(), 6)
	for i, handle := range handles {
		s.prompt(handle, fmt.Sprint("work ", i))
		s.settle(10)
	}
	for i, a := range sessions {
		a.ask(func() { a.chunk("a1", fmt.Sprint("allowed ", i)) })
	}
	s.settle(60_000)
	s.expect(len(s.open()) == 6, "%d questions came", len(s.open()))
	for _, q := range s.open() {
		s.respond(q, yes)
	}
	s.settle(0)
	for _, a := range sessions {
		s.expect(a.asking == "", "%s still waits for its answer", a.id)
	}
	s.settle(60_000)
	for i, handle := range handles {
		s.expect(said(s.effects, handle) == fmt.Sprint("allowed ", i), "%d shows %q", i,
			said(s.effects, handle))
	}
}

// TestCancelOfAParkedTurn: the word leaves at once, and what comes of it is heard
// before anybody's time is up.
func TestCancelOfAParkedTurn(t *testing.T) {
	s, handles, sessions := crowded(t, atWork(), 6)
	for i, handle := range handles {
		s.prompt(handle, fmt.Sprint("work ", i))
		s.settle(10)
	}
	for i, a := range sessions {
		if s.agent.reading(a.id) != 0 {
			continue
		}
		s.do("cancel",
			func(c *acp.Client, now engine.Time) { c.Notify(now, handles[i], "session/cancel", nil) })
		s.expect(len(s.agent.of("session/cancel")) == 1, "it waits")
		a.is(`"state":"idle","stopReason":"cancelled"`)
		s.settle(0)
		s.expect(len(s.events(engine.EventPhase, `"stopReason":"cancelled"`)) == 1, "its end is not heard")
		return
	}
	s.fatal("none is parked")
}

// TestAnIdleSessionIsVisited: agents begin turns by themselves, and one whose
// stream was lent is heard all the same.
func TestAnIdleSessionIsVisited(t *testing.T) {
	s, handles, sessions := crowded(t, quiet(), 6)
	for i, a := range sessions {
		a.chunk("a1", fmt.Sprint("news ", i))
	}
	s.settle(600_000)
	for i, handle := range handles {
		s.expect(said(s.effects, handle) == fmt.Sprint("news ", i), "%d shows %q", i, said(s.effects, handle))
	}
}

// TestManySessionsOverAReload: of each the page asks what became of it, at once and
// not when its turn to be visited comes.
func TestManySessionsOverAReload(t *testing.T) {
	s, handles, sessions := crowded(t, quiet(), 12)
	for _, a := range sessions {
		a.update(
			`{"sessionUpdate":"user_message","messageId":"u0","content":[{"type":"text","text":"hello"}]}`)
	}
	s.settle(600_000)
	s.prompt(handles[11], "hi") // accepted, and nothing said yet
	s.settle(60_000)
	s.load()
	for _, a := range sessions {
		a.chunk("a9", "meanwhile "+a.id)
	}
	s.settle(10_000)
	for _, a := range sessions {
		handle := s.handle(a.id)
		s.expect(said(s.effects, handle) == "meanwhile "+a.id, "%s shows %q", a.id, said(s.effects, handle))
	}
}

// TestParkedIsTold, and that it is over.
func TestParkedIsTold(t *testing.T) {
	s, handles, _ := crowded(t, quiet(), 4)
	parked := s.events(engine.EventStatus, `"parked"`)
	s.expect(len(parked) == 1 && uint32(parked[0].C) == handles[0], "parked: %v", parked)
	s.prompt(handles[0], "hi")
	s.settle(0)
	open := s.events(engine.EventStatus, `"open"`)
	s.expect(len(open) == 1 && uint32(open[0].C) == handles[0], "open: %v", open)
}

// TestAHoleThatParkingMakes is told as such where the agent has no history.
func TestAHoleThatParkingMakes(t *testing.T) {
	m := atWork()
	m.answers = `"info":{"name":"m","version":"1"},"capabilities":{}`
	s, handles, _ := crowded(t, m, 5)
	for _, handle := range handles {
		s.prompt(handle, "work")
	}
	s.settle(60_000)
	s.expect(len(s.events(engine.EventResumed, `"gap"`)) > 0 &&
		len(s.events(engine.EventResumed, `"continued"`)) == 0, "not told")
}

// reads counts the sessions that are being read.
func reads(m *model, sessions []*modelSession) int {
	n := 0
	for _, a := range sessions {
		if m.reading(a.id) != 0 {
			n++
		}
	}
	return n
}

// TestStreams: other tabs have some of the connections. The sessions lend each
// other those that are left, and have all of them again when they are given back.
func TestStreams(t *testing.T) {
	m := atWork()
	s, handles, sessions := crowded(t, m, 3)
	s.expect(s.streamsOf(3) == 3 && reads(m, sessions) == 3, "%d of 3 are read", reads(m, sessions))
	for i, handle := range handles {
		s.prompt(handle, fmt.Sprint("work ", i))
	}
	s.settle(0)
	s.expect(s.streamsOf(1) == 1 && reads(m, sessions) == 1, "%d of 1 are read", reads(m, sessions))
	for i, a := range sessions {
		a.chunk("a1", fmt.Sprint("word of ", i))
	}
	s.settle(60_000)
	for i, handle := range handles {
		s.expect(said(s.effects, handle) == fmt.Sprint("word of ", i), "%d shows %q", i,
			said(s.effects, handle))
	}
	s.expect(s.streamsOf(0) == 0 && reads(m, sessions) == 0, "%d of 0 are read", reads(m, sessions))
	s.prompt(handles[0], "more")
	s.settle(60_000)
	s.expect(len(m.of("session/prompt")) == 3, "a prompt left that nobody would hear the answer to")
	s.streamsOf(1)
	s.settle(0)
	s.expect(len(m.of("session/prompt")) == 4 && m.reading(sessions[0].id) != 0,
		"the session that waits does not come first")
	s.streamsOf(3)
	s.settle(0)
	s.expect(reads(m, sessions) == 3, "%d of 3 are read again", reads(m, sessions))
	s.streamsOf(9)
	s.settle(60_000)
	s.expect(s.streams() <= 4, "%d streams", s.streams())
}

// TestStreamsThatCannotBeLent: in version 1 the answer that ends the turn may be on
// its way, and comes once.
func TestStreamsThatCannotBeLent(t *testing.T) {
	m := newModel()
	m.version = 1
	m.onPrompt = func(*modelSession, modelRequest) {}
	s, handles, sessions := crowded(t, m, 2)
	s.prompt(handles[0], "work")
	s.settle(0)
	s.expect(s.streamsOf(0) == 1, "%d are held", s.share)
	s.expect(m.reading(sessions[0].id) != 0 && m.reading(sessions[1].id) == 0, "the wrong one is held")
	s.settle(20_000)
	s.expect(s.streamsOf(0) == 0 && reads(m, sessions) == 0, "it is not lent when it is quiet")
}

// TestStreamsAreDemanded: the page is told what the sessions would have, once each
// time that it changes.
func TestStreamsAreDemanded(t *testing.T) {
	m := atWork()
	s, handles, sessions := crowded(t, m, 2)
	told := func() string {
		var all []string
		for _, e := range s.events(engine.EventStreams, "") {
			all = append(all, string(e.Data))
		}
		s.effects = nil
		return strings.Join(all, " ")
	}
	s.expect(told() == "", "before it asks")
	s.streamsOf(2)
	s.streamsOf(3)
	got := told()
	s.expect(got == `{"wanted":2,"needed":0}`, "at first it is told %s", got)
	s.prompt(handles[0], "work")
	s.settle(60_000)
	got = told()
	s.expect(strings.HasSuffix(got, `{"wanted":2,"needed":1}`), "at work it is told %s", got)
	sessions[0].is(`"state":"idle","stopReason":"end_turn"`)
	s.do("forget", func(c *acp.Client, now engine.Time) { c.Forget(now, handles[1]) })
	s.settle(0)
	got = told()
	s.expect(got == `{"wanted":1,"needed":1} {"wanted":1,"needed":0}`, "one is forgotten, one idle: %s", got)
	s.do("close", func(c *acp.Client, now engine.Time) { c.Close(now) })
	got = told()
	s.expect(got == `{"wanted":0,"needed":0}`, "in the end %s", got)
	s.streamsOf(3)
	_, due := s.Client.Deadline()
	s.expect(!due && s.streams() == 0, "what is closed goes on")
}

// TestCrowds: any number of sessions, at work in any way, cut and answered: what
// is shown is what was said, once, and every prompt that nobody has taken back left
// once.
func TestCrowds(t *testing.T) {
	for range length(30) {
		crowd(t, rand.Uint64())
	}
}

func FuzzCrowd(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { crowd(t, seed) })
}

func crowd(t testing.TB, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	m := newModel()
	m.onPrompt = func(s *modelSession, r modelRequest) { s.turn(r, 6, random.IntN(3) == 0 && s.asking == "") }
	s, handles, sessions := crowded(t, m, 1+random.IntN(12))
	prompts, calls := map[string]int{}, map[string][]engine.CallID{}
	for range 40 {
		i := random.IntN(len(handles))
		switch random.IntN(9) {
		case 7:
			s.streamsOf(random.IntN(5))
		case 0, 1, 2:
			if sessions[i].asking == "" {
				prompts[sessions[i].id]++
				id := s.prompt(handles[i], fmt.Sprintf("p%d", prompts[sessions[i].id]))
				calls[sessions[i].id] = append(calls[sessions[i].id], id)
			}
		case 3:
			if x := m.reading(sessions[i].id); x != 0 {
				s.cut(x, random.IntN(3))
			}
		case 4:
			for _, q := range s.open() {
				s.respond(q, yes)
			}
		case 5:
			s.do("cancel",
				func(c *acp.Client, now engine.Time) { c.Notify(now, handles[i], "session/cancel", nil) })
		case 6:
			if random.IntN(4) == 0 {
				s.load()
				clear(calls)
				for i, a := range sessions {
					handles[i] = s.handle(a.id)
					prompts[a.id] = sent(m, a.id) // what had not left by then nobody sends
				}
			}
		}
		s.settle(random.Int64N(4_000))
		s.expect(s.streams() <= 4, "seed %d: %d streams", seed, s.streams())
		s.expect(!s.shares || reads(m, sessions) <= s.share, "seed %d: %d sessions are read, of %d", seed,
			reads(m, sessions), s.share)
	}
	if s.shares {
		s.streamsOf(1 + random.IntN(4))
	}
	for range 12 {
		s.settle(120_000)
		for _, q := range s.open() {
			s.respond(q, yes)
		}
	}
	for i, a := range sessions {
		if shown, want := said(s.effects, handles[i]), m.said(a.id); shown != want {
			s.fatal("seed %d: %s shows %q, said %q", seed, a.id, shown, want)
		}
		s.expect(a.asking == "", "seed %d: a question was never answered", seed)
		for _, id := range calls[a.id] {
			if f := s.settled(id).Failure; f != nil && f.Code == engine.CodeCancelled {
				prompts[a.id]-- // taken back before it left
			}
		}
		s.expect(sent(m, a.id) == prompts[a.id], "seed %d: %s has %d prompts of %d", seed, a.id,
			sent(m, a.id), prompts[a.id])
	}
	s.expect(len(m.of("DELETE")) == 0, "seed %d: a DELETE", seed)
}

// sent counts the prompts of a session that have left.
func sent(m *model, session string) int {
	n := 0
	for _, r := range m.of("session/prompt") {
		if strings.Contains(string(r.Params), `"sessionId":"`+session+`"`) {
			n++
		}
	}
	return n
}

// TestAnEarlyLookLendsNothing: a host may look before anything is due, and a stream
// changes hands no sooner for that; nor while the client is closing.
func TestAnEarlyLookLendsNothing(t *testing.T) {
	m := quiet()
	s, _, _ := crowded(t, m, 6)
	gets := func() int {
		n := 0
		for _, e := range s.Exchanges() {
			if e.Request.Method == "GET" {
				n++
			}
		}
		return n
	}
	s.settle(0)
	opened := gets()
	for range 50 {
		s.Now += 1_000
		s.do("advance", func(c *acp.Client, now engine.Time) { c.Advance(now) })
	}
	s.expect(gets() == opened, "%d streams are opened in 50 s", gets()-opened)
	s.settle(60_000)
	opened = gets()
	s.expect(opened > 7, "nothing is lent in a minute more")
	m.silent["DELETE"] = true // the client is closing until it is answered
	s.do("terminate", func(c *acp.Client, now engine.Time) { c.Terminate(now) })
	s.streamsOf(3)
	s.do("rest", func(c *acp.Client, now engine.Time) { c.Rest(now, false) })
	s.do("advance", func(c *acp.Client, now engine.Time) { c.Advance(now) })
	s.settle(1_000)
	s.expect(gets() == opened, "%d streams are opened while it closes", gets()-opened)
}
