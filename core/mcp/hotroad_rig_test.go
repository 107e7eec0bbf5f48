package mcp_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// feedBytes is how much a host hands over at a time (MEASURED 3).
const feedBytes = 64 << 10

// tally is a host that keeps nothing but counts and what a test must answer: a
// World copies and describes each effect, and would be all that is measured.
type tally struct {
	client   *mcp.Client
	driver   *engine.Driver
	now      engine.Time
	fetches  []engine.Effect
	told     [32]int // events by kind
	settled  int
	ended    map[engine.CallID]bool // those, until they are acknowledged
	recalled int
	ticket   uint32
	commits  int
}

func (h *tally) Do(e engine.Effect) {
	switch e.Kind {
	case engine.Fetch:
		h.fetches = append(h.fetches, e)
	case engine.Deliver, engine.Replay:
		for one := range engine.Unpacked(e) {
			h.told[one.Event]++
		}
	case engine.Settle:
		h.settled++
		h.ended[e.C] = true
	case engine.Recall:
		h.recalled++
	case engine.Store:
		h.ticket = e.Ticket
		h.commits++
	}
}

func (h *tally) Wake(int64) {}

func (h *tally) drain() { h.driver.Drain(h.now) }

// store lands the commit under way, if there is one, and those that follow it.
func (h *tally) store() {
	for h.ticket != 0 {
		ticket := h.ticket
		h.ticket = 0
		h.client.Stored(h.now, ticket, journal.ResultOK, 0)
		h.drain()
	}
}

// newTally returns a host whose client has been given ops, the store's content,
// and is open with a server of 2025-11-25 that offers no GET stream.
func newTally(tb testing.TB, kept bool) *tally {
	tb.Helper()
	h := &tally{now: 1_000_000, ended: map[engine.CallID]bool{}}
	h.client = mcp.New(mcp.Config{URL: "https://server.test/mcp", ClientInfo: []byte(`{"name":"tally","version":"1"}`),
		Revision: "2025-11-25", NoListen: true, Journal: kept, Epoch: 1, Seed: 1,
		Limits: mcp.Limits{Calls: 1 << 20, Stored: 1 << 40}})
	h.driver = engine.NewDriver(h.client, h)
	return h
}

func (h *tally) connect(tb testing.TB) *tally {
	tb.Helper()
	h.client.Start(h.now)
	h.drain()
	h.answer(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"rig","version":"1"}}`)
	initialized := h.fetches[0].X
	h.fetches = h.fetches[:0]
	h.client.Head(h.now, initialized, engine.Head{Status: 202})
	h.client.End(h.now, initialized, engine.EndClean, "")
	h.drain()
	h.store()
	if len(h.fetches) != 0 {
		tb.Fatalf("%d requests after the handshake", len(h.fetches))
	}
	return h
}

// answer answers the request that was sent first with a JSON body.
func (h *tally) answer(result string) {
	e := h.fetches[0]
	h.fetches = append(h.fetches[:0], h.fetches[1:]...)
	h.client.Head(h.now, e.X, engine.Head{Status: 200, Header: []engine.Field{
		{Name: "content-type", Value: coretest.JSON}, {Name: "mcp-session-id", Value: "s1"}}})
	h.drain()
	h.client.Chunk(h.now, e.X, []byte(coretest.Result(coretest.RequestID(e.Request), result)))
	h.drain()
	h.client.End(h.now, e.X, engine.EndClean, "")
	h.drain()
}

// streamed is a call that an event stream carries.
type streamed struct {
	x       engine.ExchangeID
	request string
}

// open makes a durable call, whose answer is an event stream.
func (h *tally) open() streamed {
	h.client.Call(h.now, "tools/call", []byte(`{"name":"work","arguments":{"n":7}}`), mcp.CallOptions{Durable: true, Flags: journal.ManualAck})
	h.drain()
	h.store()
	e := h.fetches[0]
	h.fetches = append(h.fetches[:0], h.fetches[1:]...)
	h.client.Head(h.now, e.X, engine.Head{Status: 200, Header: []engine.Field{{Name: "content-type", Value: coretest.Stream}}})
	h.drain()
	return streamed{e.X, coretest.RequestID(e.Request)}
}

// feed hands text over as a host does, in chunks of at most size, each at a time
// of its own, and lands what is to be stored every few chunks.
func (h *tally) feed(x engine.ExchangeID, text []byte, size int) {
	for n := 0; len(text) > 0; n++ {
		k := min(size, len(text))
		h.now++
		h.client.Chunk(h.now, x, text[:k])
		h.drain()
		if text = text[k:]; n%3 == 2 {
			h.store() // a commit takes longer than a chunk
		}
	}
	h.store()
}

// end answers the call, and has its stream end.
func (h *tally) end(o streamed) {
	h.client.Chunk(h.now, o.x, []byte(coretest.Message("last", coretest.Result(o.request, `{"content":[]}`))))
	h.drain()
	h.client.End(h.now, o.x, engine.EndClean, "")
	h.drain()
	h.store()
}

// held returns the bytes of the heap that are in use.
func held() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// hotShape is one kind of traffic of the hot road.
type hotShape struct {
	name  string
	kind  engine.EventKind
	chunk int // at which it is handed over, in bytes
	event func(request string, n int) string
}

// hotShapes are what streams are made of: progress in large chunks and one at a
// time, log messages, and notifications that no rule knows.
func hotShapes() []hotShape {
	id := func(n int) string { return "id: " + strconv.Itoa(1_000_000+n) + "\n" }
	progress := func(size int) func(string, int) string {
		return func(request string, n int) string {
			head := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + request + `,"progress":` + strconv.Itoa(n) + `,"message":"`
			return "data: " + head + strings.Repeat("x", size-len(head)-3) + `"}}` + "\n\n"
		}
	}
	withID := func(event func(string, int) string) func(string, int) string {
		return func(request string, n int) string { return id(n) + event(request, n) }
	}
	log := func(_ string, n int) string {
		return id(n) + `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("x", 100) + `"}}` + "\n\n"
	}
	other := func(_ string, n int) string {
		return id(n) + `data: {"jsonrpc":"2.0","method":"notifications/an/extension/of/the/servers/own","params":{"n":` + strconv.Itoa(n) + `}}` + "\n\n"
	}
	return []hotShape{
		{"200B", engine.EventProgress, feedBytes, progress(200)},
		{"200B-with-ids", engine.EventProgress, feedBytes, withID(progress(200))},
		{"2KB-with-ids", engine.EventProgress, feedBytes, withID(progress(2000))},
		{"200B-one-per-chunk", engine.EventProgress, 0, withID(progress(200))},
		{"log", engine.EventLog, feedBytes, log},
		{"notification", engine.EventNotification, feedBytes, other},
	}
}

// burst returns n events for a call, and the size of the chunks to feed them in.
func (s *hotShape) burst(o streamed, n int) ([]byte, int) {
	var b []byte
	for i := range n {
		b = append(b, s.event(o.request, i)...)
	}
	if s.chunk == 0 {
		return b, len(b) / n
	}
	return b, s.chunk
}
