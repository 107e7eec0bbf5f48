package mcp_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// room is what a client may hold beyond what its options allow, in bytes.
const room = 16 << 20

// asker is a client with a call on whose stream the server asks, and what is asked
// of its app. It keeps nothing itself.
type asker struct {
	coretest.MCP
	c       engine.CallID
	x       engine.ExchangeID
	id      string
	handles []uint32
	told    []string
	settled bool
}

func newAsker(t *testing.T, kept bool) *asker {
	cfg := mcp.Config{NoListen: true, Journal: kept, Handles: []string{"elicitation/create"}}
	w := coretest.NewMCP(t, cfg)
	w.Handshake("2025-11-25")
	if kept {
		w.Stored(journal.ResultOK, 0)
	}
	c, _ := w.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true})
	if kept {
		w.Stored(journal.ResultOK, 0)
	}
	x := w.Fetched()
	w.Head(x, 200, "content-type", coretest.Stream)
	return &asker{MCP: w, c: c, x: x, id: coretest.RequestID(w.Request(x))}
}

// chunk gives the client bytes of the stream, and stores what it writes.
func (a *asker) chunk(text string) {
	a.Client.Chunk(a.Now, a.x, []byte(text))
	a.drain()
}

func (a *asker) drain() {
	for e, ok := a.Client.Next(); ok; e, ok = a.Client.Next() {
		switch {
		case e.Kind == engine.Store:
			a.Client.Stored(a.Now, e.Ticket, journal.ResultOK, 0)
		case e.Event == engine.EventRequest:
			a.handles = append(a.handles, e.Position)
		case e.Kind == engine.Settle && e.C == a.c:
			a.settled = e.Outcome == engine.OutcomeResult
		case e.Event == engine.EventIntegrity:
			a.told = append(a.told, string(e.Data))
		case e.Kind == engine.Fetch && strings.Contains(string(e.Request.Body), `"result":{"action"`):
			a.Client.Head(a.Now, e.X, engine.Head{Status: 202})
			a.Client.End(a.Now, e.X, engine.EndClean, "")
		}
	}
}

// heap returns how many bytes are in use.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// asks is a message that asks for input, with so many bytes in it.
func asks(id string, bytes int) string {
	return "data: " +
		fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","method":"elicitation/create","params":{"message":"%s"}}`, id,
			strings.Repeat("m", bytes)) + "\n\n"
}

// Fault 140: a request whose id is longer than 1 KiB is refused and told: as many
// as a server likes take no memory. The call lives on.
func TestFault140_LongIDs(t *testing.T) {
	a := newAsker(t, false)
	before := heap()
	for n := range 300 {
		a.chunk(asks(strings.Repeat("i", 1<<20-4)+fmt.Sprintf("%04d", n), 1))
	}
	if grown := heap() - before; grown > room {
		t.Errorf("300 requests with ids of a megabyte take %d bytes", grown)
	}
	if n := a.Client.Counters().UnreadableMessages; n != 300 || len(a.handles) > 0 || len(a.told) != 300 {
		t.Errorf("%d are counted, %d told, %d asked", n, len(a.told), len(a.handles))
	}
	a.chunk(asks(strings.Repeat("i", 1_024), 1))
	if len(a.handles) != 1 {
		t.Error("an id of 1 KiB is refused")
	}
	a.chunk(coretest.Message("", coretest.Result(a.id, `{}`)))
	if !a.settled {
		t.Error("the call has no result")
	}
}

// Fault 140: what waits for the app has a budget in bytes; what does not fit is
// answered with an error, and counted.
func TestFault140_LargeQuestions(t *testing.T) {
	for _, kept := range []bool{false, true} {
		a := newAsker(t, kept)
		before := heap()
		for n := range 64 {
			a.chunk(asks(fmt.Sprintf("q%d", n), 1<<20))
		}
		if grown := heap() - before; grown > 2*room {
			t.Errorf("kept %v: 64 questions of a megabyte take %d bytes", kept, grown)
		}
		if n := int(a.Client.Counters().RefusedRequests); len(a.handles) != 15 || n != 64-15 {
			t.Errorf("kept %v: %d are asked, %d refused", kept, len(a.handles), n)
		}
		// There is room again once they are answered.
		for _, handle := range a.handles {
			a.Client.Respond(a.Now, handle, true, []byte(`{"action":"decline"}`))
			a.drain()
		}
		a.handles = nil
		a.chunk(asks("one more", 1<<20))
		if len(a.handles) != 1 {
			t.Errorf("kept %v: one more is refused", kept)
		}
	}
}

// Fault 140: of a question that is answered next to nothing is left, however many
// there were. The latest are known when a replay repeats them.
func TestFault140_AnsweredQuestions(t *testing.T) {
	a := newAsker(t, true)
	before := heap()
	id := func(n int) string { return strings.Repeat("i", 1_016) + fmt.Sprintf("%08d", n) }
	for n := range 2_000 {
		a.chunk(asks(id(n), 64<<10))
		a.Client.Respond(a.Now, a.handles[0], true, []byte(`{"action":"decline"}`))
		a.drain()
		a.handles = a.handles[:0]
	}
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("2,000 answered questions take %d bytes", grown)
	}
	a.chunk(asks(id(1_999), 64<<10))
	if len(a.handles) > 0 {
		t.Error("the last is asked again")
	}
}
