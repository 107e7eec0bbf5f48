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

// tally is a host of a client that is to cost nothing itself.
type tally struct{ *coretest.Tally[*mcp.Client] }

// newTally returns a host whose client has been given ops, the store's content,
// and is open with a server of 2025-11-25 that offers no GET stream.
func newTally(tb testing.TB, kept bool) *tally {
	tb.Helper()
	client := mcp.New(mcp.Config{URL: "https://server.test/mcp",
		ClientInfo: []byte(`{"name":"tally","version":"1"}`),
		Revision:   "2025-11-25", NoListen: true, Journal: kept, Epoch: 1, Seed: 1,
		Limits: mcp.Limits{Calls: 1 << 20, Stored: 1 << 40}})
	return &tally{coretest.NewTally(client, 1_000_000)}
}

func (h *tally) connect(tb testing.TB) *tally {
	tb.Helper()
	h.Client.Start(h.Now)
	h.Drain()
	h.answer(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"rig","version":"1"}}`)
	initialized := h.Take().X
	h.Client.Head(h.Now, initialized, engine.Head{Status: 202})
	h.Client.End(h.Now, initialized, engine.EndClean, "")
	h.Drain()
	h.Store()
	if len(h.Sent) != 0 {
		tb.Fatalf("%d requests after the handshake", len(h.Sent))
	}
	return h
}

// answer answers the request that was sent first with a JSON body.
func (h *tally) answer(result string) {
	e := h.Take()
	h.Client.Head(h.Now, e.X, engine.Head{Status: 200, Header: []engine.Field{
		{Name: "content-type", Value: coretest.JSON}, {Name: "mcp-session-id", Value: "s1"}}})
	h.Drain()
	h.Client.Chunk(h.Now, e.X, []byte(coretest.Result(coretest.RequestID(e.Request), result)))
	h.Drain()
	h.Client.End(h.Now, e.X, engine.EndClean, "")
	h.Drain()
}

// streamed is a call that an event stream carries.
type streamed struct {
	x       engine.ExchangeID
	request string
}

// open makes a durable call, whose answer is an event stream.
func (h *tally) open() streamed {
	h.Client.Call(h.Now, "tools/call", []byte(`{"name":"work","arguments":{"n":7}}`),
		mcp.CallOptions{Durable: true, Flags: journal.ManualAck})
	h.Drain()
	h.Store()
	e := h.Take()
	h.Client.Head(h.Now, e.X, engine.Head{Status: 200,
		Header: []engine.Field{{Name: "content-type", Value: coretest.Stream}}})
	h.Drain()
	return streamed{e.X, coretest.RequestID(e.Request)}
}

// feed hands text over as a host does, in chunks of at most size, each at a time
// of its own, and lands what is to be stored every few chunks.
func (h *tally) feed(x engine.ExchangeID, text []byte, size int) {
	for n := 0; len(text) > 0; n++ {
		k := min(size, len(text))
		h.Now++
		h.Client.Chunk(h.Now, x, text[:k])
		h.Drain()
		if text = text[k:]; n%3 == 2 {
			h.Store() // a commit takes longer than a chunk
		}
	}
	h.Store()
}

// end answers the call, and has its stream end.
func (h *tally) end(o streamed) {
	h.Client.Chunk(h.Now, o.x, []byte(coretest.Message("last", coretest.Result(o.request, `{"content":[]}`))))
	h.Drain()
	h.Client.End(h.Now, o.x, engine.EndClean, "")
	h.Drain()
	h.Store()
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
			head := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` +
				request + `,"progress":` + strconv.Itoa(n) + `,"message":"`
			return "data: " + head + strings.Repeat("x", size-len(head)-3) + `"}}` + "\n\n"
		}
	}
	withID := func(event func(string, int) string) func(string, int) string {
		return func(request string, n int) string { return id(n) + event(request, n) }
	}
	log := func(_ string, n int) string {
		return id(n) +
			`data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` +
			strings.Repeat("x", 100) + `"}}` + "\n\n"
	}
	other := func(_ string, n int) string {
		return id(n) +
			`data: {"jsonrpc":"2.0","method":"notifications/an/extension/of/the/servers/own","params":{"n":` +
			strconv.Itoa(n) + `}}` + "\n\n"
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
