//go:build !js

package acp_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// TestAnAnswerThatACutAte: what may be asked twice is asked again once the stream
// has been quiet; what may not ends of unknown outcome, and soon.
func TestAnAnswerThatACutAte(t *testing.T) {
	m := quiet()
	s, _, _ := opened(t, m)
	m.silent["session/list"], m.silent["session/new"] = true, true
	list, another := s.request(0, "session/list", `{}`), s.request(0, "session/new", `{"cwd":"/w"}`)
	s.cut(m.reading(""), 0)
	m.silent["session/list"] = false
	s.settle(link.ProveWithin + 5_000)
	s.expect(len(m.of("session/list")) == 2 && s.settled(list).Outcome == engine.OutcomeRPCError,
		"not asked again")
	s.settle(20_000)
	e := s.settled(another)
	s.expect(e.Failure != nil && e.Failure.Code == engine.CodeOutcomeUnknown && len(m.of("session/new")) == 2,
		"session/new: %v", e.Failure)
}

// TestAnAnswerThatTheHostRefuses is asked for again, a few times.
func TestAnAnswerThatTheHostRefuses(t *testing.T) {
	s, _, a := opened(t, quiet())
	a.ask(func() {})
	s.settle(0)
	lost := a.conn.boxes
	for i := range 3 {
		a.m.connections["c1"] = &modelConnection{id: "c1", boxes: lost, refuses: true}
		s.respond(s.open()[len(s.open())-1], yes)
		s.settle(0)
		s.expect(len(s.events(engine.EventWithdrawn, "refused")) == i+1, "not told")
	}
	s.expect(len(s.open()) == 0 && len(s.events(engine.EventQuestion, "")) == 3, "asked %d times",
		len(s.events(engine.EventQuestion, "")))
}

// TestARestoredQuestionNobodyWaitsFor is withdrawn with its connection.
func TestARestoredQuestionNobodyWaitsFor(t *testing.T) {
	s, _, a := opened(t, quiet())
	a.ask(func() {})
	s.settle(0)
	s.load()
	s.expect(len(s.open()) == 1, "not restored")
	a.asking = ""
	a.m.forget(s)
	s.settle(60_000)
	s.expect(len(s.open()) == 0, "it is still asked")
}

// TestInitializeRefusedLater is tried again for as long as it takes.
func TestInitializeRefusedLater(t *testing.T) {
	s, handle, a := opened(t, newModel())
	a.m.refuse = 404
	a.m.forget(s)
	s.settle(600_000)
	tried := len(a.m.of("initialize"))
	s.expect(tried > 5 && tried < 60, "%d tries in ten minutes", tried)
	a.m.refuse = 0
	s.settle(60_000)
	call := s.prompt(handle, "hi")
	s.settle(0)
	s.expect(s.settled(call).Outcome == engine.OutcomeResult, "it is not open")
}

// TestAHostThatForgetsAtOnce is not asked in a loop.
func TestAHostThatForgetsAtOnce(t *testing.T) {
	s, _, a := opened(t, newModel())
	for range 60 {
		a.m.forget(s)
		s.settle(1_000)
	}
	s.expect(len(a.m.of("initialize")) < 30, "%d initializes in a minute", len(a.m.of("initialize")))
}

// TestAHistoryWithoutEnd becomes a gap, and what was there stays.
func TestAHistoryWithoutEnd(t *testing.T) {
	s, handle, a := opened(t, newModel())
	s.prompt(handle, "hi")
	s.settle(0)
	before := said(s.effects, handle)
	a.m.silent["session/resume"] = true
	s.cut(a.m.reading(a.id), 0)
	s.settle(120_000)
	s.expect(len(s.events(engine.EventResumed, `"gap"`)) == 1 && said(s.effects, handle) == before,
		"shown %q", said(s.effects, handle))
	for range 20 {
		if x := a.m.reading(a.id); x != 0 {
			s.cut(x, 0)
		}
		s.settle(31_000)
	}
	s.expect(len(a.m.of("session/resume")) < 30, "%d replays were asked for", len(a.m.of("session/resume")))
}

// TestFault26_RetryAfterFromAnAgent is a floor, of an hour at most: for a POST, and for the
// stream, which was cut.
func TestFault26_RetryAfterFromAnAgent(t *testing.T) {
	s, handle, a := opened(t, quiet())
	a.m.later = "70000"
	s.cancel(handle)
	s.cut(a.m.reading(a.id), 0)
	s.settle(1_000)
	cancels := len(a.m.of("session/cancel"))
	a.m.later = ""
	s.settle(3_590_000)
	s.expect(cancels == 1 && len(a.m.of("session/cancel")) == 1 && a.m.reading(a.id) == 0,
		"asked again too early")
	s.settle(70_000) // all that were told so are spread over a minute
	s.expect(len(a.m.of("session/cancel")) == 2 && a.m.reading(a.id) != 0, "not asked again in an hour")
}

// TestFault26_NotAllAtOnce: whoever was refused in the same second was told the same,
// and does not come again in the same second.
func TestFault26_NotAllAtOnce(t *testing.T) {
	times := map[string]map[engine.Time]bool{"GET": {}, "POST": {}}
	for load := range 8 {
		s, handle, a := opened(t, quiet())
		for range load {
			s.load() // another seed
			s.settle(0)
		}
		handle = s.handle(a.id)
		a.m.later = "10"
		s.cancel(handle)
		s.cut(a.m.reading(a.id), 0)
		s.settle(500)
		a.m.later = ""
		told := s.Now
		posts := len(a.m.of("session/cancel"))
		seen := map[string]bool{}
		for range 20_000 {
			s.settle(1)
			if !seen["GET"] && a.m.reading(a.id) != 0 {
				seen["GET"], times["GET"][s.Now] = true, true
			}
			if !seen["POST"] && len(a.m.of("session/cancel")) > posts {
				seen["POST"], times["POST"][s.Now] = true, true
			}
		}
		s.expect(seen["GET"] && seen["POST"], "not asked again: %v", seen)
		for _, all := range times {
			for at := range all {
				s.expect(at.Since(told) > 9_000, "asked again after %d ms", at.Since(told))
			}
		}
	}
	if len(times["GET"]) < 6 || len(times["POST"]) < 6 {
		t.Errorf("8 pages came again at %d and %d times", len(times["GET"]), len(times["POST"]))
	}
}

// TestForget drops a session from the store; the agent hears nothing of it.
func TestForget(t *testing.T) {
	s, handle, a := opened(t, newModel())
	s.do("forget", func(c *acp.Client, now engine.Time) { c.Forget(now, handle) })
	a.chunk("a1", "late")
	s.load()
	s.settle(1_000)
	s.expect(len(s.Store.Heads()) == 0 && len(a.m.of("session/close"))+len(a.m.of("session/delete")) == 0 &&
		len(s.events(engine.EventIntegrity, "")) == 0, "it is still there")
	s.expect(len(s.find(func(e engine.Effect) bool { return e.Kind == engine.Recall })) == 0,
		"it was recalled")
}

// socketPage returns a page over a WebSocket that is open, and its socket.
func socketPage(t *testing.T) (*sim, engine.ExchangeID) {
	s := newSim(t, acp.Config{Transport: acp.TransportWebSocket}, newModel())
	x := s.find(func(e engine.Effect) bool { return e.Kind == engine.Socket })[0].X
	s.do("opened", func(c *acp.Client, now engine.Time) { c.SocketOpened(now, x) })
	s.do("answer", func(c *acp.Client, now engine.Time) {
		c.SocketMessage(now, x,
			[]byte(
				`{"jsonrpc":"2.0","id":16777217,"result":{"protocolVersion":2,"capabilities":{"session":{}}}}`))
	})
	return s, x
}

// TestASocketHasToAnswer after a sleep, or it is given up.
func TestASocketHasToAnswer(t *testing.T) {
	s, x := socketPage(t)
	s.do("woke", func(c *acp.Client, now engine.Time) { c.Woke(now, 60_000) })
	s.do("alive", func(c *acp.Client, now engine.Time) {
		c.SocketMessage(now, x, []byte(`{"jsonrpc":"2.0","method":"_x"}`))
	})
	s.settle(10_000)
	sockets := func() int {
		return len(s.find(func(e engine.Effect) bool { return e.Kind == engine.Socket }))
	}
	s.expect(sockets() == 1, "a socket that lives was given up")
	s.do("answered", func(c *acp.Client, now engine.Time) {
		c.SocketMessage(now, x, []byte(`{"jsonrpc":"2.0","id":16777218,"result":{"sessions":[]}}`))
	})
	s.do("woke", func(c *acp.Client, now engine.Time) { c.Woke(now, 60_000) })
	s.settle(link.ProveWithin)
	s.expect(sockets() == 2, "a dead socket was kept")
}

// TestASocketHasToOpen: where nothing answers, not even with an error, the first is
// the client's failure, and a later one is followed by the next.
func TestASocketHasToOpen(t *testing.T) {
	s := newSim(t, acp.Config{Transport: acp.TransportWebSocket}, newModel())
	s.settle(19_000)
	failed := func() []engine.Effect {
		return s.find(func(e engine.Effect) bool { return e.Kind == engine.State && e.Failure != nil })
	}
	s.expect(len(failed()) == 0, "given up too early")
	s.settle(2_000)
	s.expect(len(failed()) == 1 && failed()[0].Failure.Code == engine.CodeNetwork &&
		failed()[0].Failure.Retryable, "it hangs")

	s, x := socketPage(t)
	s.do("closed", func(c *acp.Client, now engine.Time) { c.SocketClosed(now, x, 1006, "") })
	s.settle(60_000)
	sockets := len(s.find(func(e engine.Effect) bool { return e.Kind == engine.Socket }))
	s.expect(sockets >= 3 && len(failed()) == 0, "%d sockets", sockets)
}

// Fault 270: a socket that the agent has accepted twice, and that was cut twice before it
// was of use, is followed by the next within a second.
func TestFault270_SocketCutAgain(t *testing.T) {
	s, x := socketPage(t)
	for cut := range 3 {
		s.do("closed", func(c *acp.Client, now engine.Time) { c.SocketClosed(now, x, 1006, "") })
		wait := []int64{0, 900, 2_400}[cut]
		s.settle(wait)
		sockets := s.find(func(e engine.Effect) bool { return e.Kind == engine.Socket })
		s.expect(len(sockets) == cut+2, "%d sockets %d ms after cut %d", len(sockets), wait, cut+1)
		x = sockets[len(sockets)-1].X
		s.do("opened", func(c *acp.Client, now engine.Time) { c.SocketOpened(now, x) })
		frames := s.find(func(e engine.Effect) bool {
			return e.Kind == engine.Frame && strings.Contains(string(e.Data), `"initialize"`)
		})
		id, _ := jsonrpc.Member(frames[len(frames)-1].Data, "id")
		s.do("answer", func(c *acp.Client, now engine.Time) {
			c.SocketMessage(now, x,
				[]byte(`{"jsonrpc":"2.0","id":`+string(id)+
					`,"result":{"protocolVersion":2,"capabilities":{"session":{}}}}`))
		})
	}
}

// TestASocketThatCannotBe is the app's mistake, and not tried again.
func TestASocketThatCannotBe(t *testing.T) {
	s := newSim(t, acp.Config{Transport: acp.TransportWebSocket}, newModel())
	s.do("closed",
		func(c *acp.Client, now engine.Time) { c.SocketClosed(now, 1, engine.CloseInvalid, "mixed content") })
	s.settle(600_000)
	failed := s.find(func(e engine.Effect) bool { return e.Kind == engine.State && e.Failure != nil })
	s.expect(len(failed) == 1 && failed[0].Failure.Code == engine.CodeBadArgument, "it goes on")
	s.expect(len(s.find(func(e engine.Effect) bool { return e.Kind == engine.Socket })) == 1, "tried again")
}

// TestAnotherTabAnswers: a tab that follows forwards its answer to the one that
// carries the session; the first answer counts, and both know.
func TestAnotherTabAnswers(t *testing.T) {
	s, _, a := opened(t, quiet())
	a.ask(func() {})
	s.settle(0)
	follower := acp.New(acp.Config{Journal: true, Epoch: 77, URL: s.cfg.URL})
	var told []engine.Effect
	feed := func(do func()) {
		do()
		for e, ok := follower.Next(); ok; e, ok = follower.Next() {
			e.Data = append([]byte(nil), e.Data...)
			told = append(told, e)
		}
	}
	feed(func() { follower.Restore(1, s.Store.Followed()) })
	var q, forwarded engine.Effect
	for _, e := range told {
		if e.Event == engine.EventQuestion {
			q = e
		}
	}
	told = nil
	feed(func() { follower.Respond(2, q.Position, true, []byte(yes)) })
	feed(func() { follower.Respond(2, q.Position, true, []byte(yes)) })
	s.expect(len(told) == 1 && told[0].Event == engine.EventForward && told[0].Position == q.Position,
		"told %v", told)
	forwarded = told[0]
	s.expect(strings.Contains(string(forwarded.Data), `,"ok":true,"data":`+yes), "forwarded %s",
		forwarded.Data)
	record := s.Store.Calls()[0]
	own := s.open()[0]
	number := forwarded.Data[bytes.Index(forwarded.Data, []byte(`"answer":`))+len(`"answer":`):]
	by, _ := strconv.ParseUint(string(number[:bytes.IndexByte(number, ',')]), 10, 64)
	s.do("respond", func(c *acp.Client, now engine.Time) {
		c.RespondRecord(now, record, []byte("1001"), 0, by, true, []byte(yes))
	})
	s.respond(own, yes)
	s.expect(a.m.answered["1001"] == 1 && len(s.events(engine.EventWithdrawn, "answered")) == 1,
		"answered %d times", a.m.answered["1001"])
	told = nil
	feed(func() { follower.Restore(3, s.Store.Followed()) })
	withdrawn := 0
	for _, e := range told {
		if e.Event == engine.EventWithdrawn {
			withdrawn++
		}
	}
	s.expect(withdrawn == 1, "the other tab is not told: %v", told)
}
