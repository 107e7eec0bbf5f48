package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// tally is a host that keeps nothing but counts, on a socket: what it did for
// an effect would be measured too.
type tally struct {
	c       *acp.Client
	driver  *engine.Driver
	now     engine.Time
	x       engine.ExchangeID
	frames  []string
	updates int // operations on the transcript
	broken  int // integrity events
	ticket  uint32
	commits int
}

func (h *tally) Do(e engine.Effect) {
	switch e.Kind {
	case engine.Socket:
		h.x = e.X
	case engine.Frame:
		h.frames = append(h.frames, string(e.Data))
	case engine.Store:
		h.ticket = e.Ticket
		h.commits++
	case engine.Deliver:
		switch e.Event {
		case engine.EventTranscript:
			h.updates++
		case engine.EventIntegrity:
			h.broken++
		}
	}
}

func (h *tally) Wake(int64) {}

func (h *tally) say(text []byte) {
	h.now++
	h.c.SocketMessage(h.now, h.x, text)
	h.driver.Drain(h.now)
}

func (h *tally) store() {
	for h.ticket != 0 {
		ticket := h.ticket
		h.ticket = 0
		h.c.Stored(h.now, ticket, journal.ResultOK, 0)
		h.driver.Drain(h.now)
	}
}

// idOf is the id of a request that was sent.
func idOf(frame string) string {
	_, rest, _ := strings.Cut(frame, `"id":`)
	return rest[:strings.IndexAny(rest, ",}")]
}

// newTally returns a host with one session, named S.
func newTally(tb testing.TB, kept bool) *tally {
	tb.Helper()
	h := &tally{now: 1_000}
	h.c = acp.New(acp.Config{URL: "wss://agent.test/acp", Transport: acp.TransportWebSocket, Journal: kept, Epoch: 1, Seed: 1,
		Limits: acp.Limits{Item: 1 << 40, Stored: 1 << 40}})
	h.driver = engine.NewDriver(h.c, h)
	h.c.Start(h.now)
	h.driver.Drain(h.now)
	h.c.SocketOpened(h.now, h.x)
	h.driver.Drain(h.now)
	h.say([]byte(`{"jsonrpc":"2.0","id":` + idOf(h.frames[0]) + `,"result":{"protocolVersion":2,"capabilities":{"session":{}}}}`))
	h.c.Request(h.now, 0, "session/new", []byte(`{"cwd":"/w","mcpServers":[]}`))
	h.driver.Drain(h.now)
	h.say([]byte(`{"jsonrpc":"2.0","id":` + idOf(h.frames[len(h.frames)-1]) + `,"result":{"sessionId":"S"}}`))
	h.store()
	return h
}

// spoken is one kind of what agents say most, n-th of its kind.
type spoken struct {
	name   string
	update func(n int) string
}

func hotUpdates() []spoken {
	return []spoken{
		{"chunk", func(n int) string {
			return fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":" word %d"}}`, n)
		}},
		{"thought", func(n int) string {
			return fmt.Sprintf(`{"sessionUpdate":"agent_thought_chunk","messageId":"t","content":{"type":"text","text":" word %d"}}`, n)
		}},
		{"tool", func(n int) string {
			return fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress","title":"step %d"}`, n)
		}},
		{"terminal", func(int) string {
			return `{"sessionUpdate":"terminal_output_chunk","terminalId":"o","data":"AAAA"}`
		}},
	}
}

// frames are n updates as an agent sends them, one message each.
func (s *spoken) frames(n int) [][]byte {
	list := make([][]byte, n)
	for i := range list {
		list[i] = []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":` + s.update(i) + `}}`)
	}
	return list
}

// feed gives the client all of them, and lands what is to be stored now and then.
func (h *tally) feed(frames [][]byte) {
	for i, f := range frames {
		if h.say(f); i%16 == 15 {
			h.store()
		}
	}
	h.store()
}

// hotAllocations is how often memory may be taken for all of a burst: buffers that
// grow once more, never an update.
const hotAllocations = 20

// From the frame to the operation on the transcript and the row that is stored,
// an update takes no memory.
func TestHotRoadAllocatesNothing(t *testing.T) {
	const each = 5_000
	for _, kept := range []bool{false, true} {
		for _, shape := range hotUpdates() {
			t.Run(fmt.Sprintf("%s/journal=%v", shape.name, kept), func(t *testing.T) {
				h := newTally(t, kept)
				frames := shape.frames(each)
				h.feed(frames)
				if n := testing.AllocsPerRun(3, func() { h.feed(frames) }); n > hotAllocations {
					t.Errorf("%v allocations for %d updates", n, each)
				}
				if h.updates != 5*each || h.broken > 0 {
					t.Errorf("%d operations, want %d; %d updates were refused", h.updates, 5*each, h.broken)
				}
				if kept != (h.commits > 5) {
					t.Errorf("%d commits", h.commits)
				}
			})
		}
	}
}

// BenchmarkHotRoad is what an agent's updates cost the core, all of it.
func BenchmarkHotRoad(b *testing.B) {
	const each = 1_000
	for _, kept := range []bool{false, true} {
		for _, shape := range hotUpdates() {
			b.Run(fmt.Sprintf("%s/journal=%v", shape.name, kept), func(b *testing.B) {
				h := newTally(b, kept)
				frames := shape.frames(each)
				h.feed(frames)
				h.updates = 0
				b.ReportAllocs()
				for b.Loop() {
					h.feed(frames)
				}
				if h.updates != b.N*each {
					b.Fatalf("%d operations, want %d", h.updates, b.N*each)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*each), "ns/update")
			})
		}
	}
}
