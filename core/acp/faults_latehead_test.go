//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// headless is a client whose streams have no head before the first byte behind it, and an
// agent that says nothing until it is asked.
type headless struct {
	coretest.ACP
	t     *testing.T
	own   engine.ExchangeID // the connection's stream
	heard engine.ExchangeID // the session's
}

// newHeadless has the connection initialized, and its stream asked for.
func newHeadless(t *testing.T, cfg acp.Config) *headless {
	w := &headless{ACP: coretest.NewACP(t, cfg), t: t}
	w.Start()
	x := w.Fetched()
	id := coretest.RequestID(w.Request(x))
	w.Head(x, 200, "content-type", coretest.JSON, "acp-connection-id", "k1")
	w.Chunk(x,
		coretest.Result(id,
			`{"protocolVersion":2,"info":{"name":"agent","version":"1"},"capabilities":{"session":{}}}`))
	w.End(x, engine.EndClean)
	w.own = w.Newest()
	return w
}

// post waits for a request of that method for at most within ms, has it accepted, and returns its id with
// how long that took; -1 for none.
func (w *headless) post(method string, within int64) (id string, after int64) {
	for began := w.Now; w.Now.Since(began) <= within; w.Advance(1) {
		x := w.Newest()
		if r := w.Exchange(x).Request; r != nil && r.Method == "POST" &&
			strings.Contains(string(r.Body), `"method":"`+method+`"`) && !w.Exchange(x).Head {
			id = coretest.RequestID(r)
			w.Head(x, 202)
			w.End(x, engine.EndClean)
			return id, w.Now.Since(began)
		}
	}
	return "", -1
}

// session makes a session: the answer comes on the connection's stream, whose first byte it may be.
func (w *headless) session() {
	w.t.Helper()
	w.Call(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
	id, after := w.post("session/new", 6_000)
	if after < 0 {
		w.t.Fatal("session/new does not leave")
	}
	if !w.Exchange(w.own).Head {
		w.Head(w.own, 200, "content-type", coretest.Stream)
	}
	w.Chunk(w.own, "data: "+coretest.Result(id, `{"sessionId":"s1"}`)+"\n\n")
	w.heard = w.Newest()
}

// Fault 436: the client is open, and a prompt leaves, although no stream has a head: soon
// where the host is known to show heads late, else once one has been waited for.
func TestFault436_NoHeadBeforeTheFirstByte(t *testing.T) {
	for _, host := range []struct {
		late bool
		wait int64
	}{{true, 250}, {false, 5_000}} {
		w := newHeadless(t, acp.Config{LateHeads: host.late})
		open := func() bool { return strings.Contains(w.Log(), `state {"state":"open"`) }
		w.Advance(host.wait - 1)
		if open() {
			t.Fatalf("late %t: open before the request for the stream had time to get there", host.late)
		}
		w.Advance(1)
		if !open() {
			t.Fatalf("late %t: not open after %d ms", host.late, host.wait)
		}
		if !host.late {
			w.Advance(1_000) // its head comes after more than headSoon, so that it says nothing
		}
		w.session()
		prompt, _ := w.Call(1, "session/prompt", `{"prompt":[{"type":"text","text":"Hello"}]}`)
		id, after := w.post("session/prompt", 60_000)
		if after != host.wait {
			t.Fatalf("late %t: the prompt leaves after %d ms, want %d", host.late, after, host.wait)
		}
		w.Head(w.heard, 200, "content-type", coretest.Stream)
		w.Chunk(w.heard, "data: "+coretest.Result(id, `{"messageId":"u1"}`)+"\n\n")
		if end := w.Settled(prompt); end == nil || end.Outcome != engine.OutcomeResult {
			t.Fatalf("late %t: the prompt ended with %+v", host.late, end)
		}
	}
}

// Fault 436: where the server sends heads at once and the host shows them, a stream without
// one is no stream: a prompt waits for the next, as before.
func TestFault436_AHeadThatIsMissedIsWaitedFor(t *testing.T) {
	w := newHeadless(t, acp.Config{})
	w.Head(w.own, 200, "content-type", coretest.Stream)
	w.session()
	w.Call(1, "session/prompt", `{"prompt":[{"type":"text","text":"Hello"}]}`)
	if _, after := w.post("session/prompt", 60_000); after >= 0 {
		t.Fatalf("the prompt left after %d ms", after)
	}
	w.Head(w.heard, 200, "content-type", coretest.Stream)
	if _, after := w.post("session/prompt", 0); after != 0 {
		t.Fatal("the prompt does not leave once there is a head")
	}
}

// Fault 436: a stream that was taken for open breaks without ever having had a head. The
// prompt is not sent twice: what became of it the history says.
func TestFault436_TakenForOpenAndRefused(t *testing.T) {
	w := newHeadless(t, acp.Config{LateHeads: true})
	w.Advance(250)
	w.session()
	w.Call(1, "session/prompt", `{"prompt":[{"type":"text","text":"Hello"}]}`)
	if _, after := w.post("session/prompt", 1_000); after < 0 {
		t.Fatal("the prompt does not leave")
	}
	w.End(w.heard, engine.EndNetwork)
	if _, after := w.post("session/resume", 60_000); after < 0 {
		t.Fatal("the history is not asked for")
	}
	if _, after := w.post("session/prompt", 10_000); after >= 0 {
		t.Fatal("the prompt was sent twice")
	}
}
