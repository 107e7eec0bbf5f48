package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// tally is a host of a client on a socket that is to cost nothing itself.
type tally struct {
	*coretest.Tally[*acp.Client]
	x engine.ExchangeID // the socket
}

func (h *tally) say(text []byte) {
	h.Now++
	h.Client.SocketMessage(h.Now, h.x, text)
	h.Drain()
}

// answer answers the oldest request.
func (h *tally) answer(result string) {
	h.say([]byte(`{"jsonrpc":"2.0","id":` + idOf(string(h.Take().Data)) + `,"result":` + result + `}`))
}

// updates is how many operations on the transcript there were.
func (h *tally) updates() int { return h.Events[engine.EventItem] }

// broken is how many updates were refused.
func (h *tally) broken() int { return h.Events[engine.EventIntegrity] }

// idOf is the id of a request that was sent.
func idOf(frame string) string {
	_, rest, _ := strings.Cut(frame, `"id":`)
	return rest[:strings.IndexAny(rest, ",}")]
}

// newTally returns a host with one session, named S.
func newTally(tb testing.TB, kept bool) *tally {
	tb.Helper()
	client := acp.New(acp.Config{URL: "wss://agent.test/acp", Transport: acp.TransportWebSocket,
		Journal: kept, Epoch: 1, Seed: 1,
		Limits: acp.Limits{Item: 1 << 40, Stored: 1 << 40}})
	h := &tally{Tally: coretest.NewTally(client, 1_000)}
	client.Start(h.Now)
	h.Drain()
	h.x = h.Take().X
	client.SocketOpened(h.Now, h.x)
	h.Drain()
	h.answer(`{"protocolVersion":2,"capabilities":{"session":{}}}`)
	client.Request(h.Now, 0, "session/new", []byte(`{"cwd":"/w","mcpServers":[]}`))
	h.Drain()
	h.answer(`{"sessionId":"S"}`)
	h.Store()
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
			return fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","messageId":"m",`+
				`"content":{"type":"text","text":" word %d"}}`, n)
		}},
		{"thought", func(n int) string {
			return fmt.Sprintf(`{"sessionUpdate":"agent_thought_chunk","messageId":"t",`+
				`"content":{"type":"text","text":" word %d"}}`, n)
		}},
		{"tool", func(n int) string {
			return fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress",`+
				`"title":"step %d"}`, n)
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
		list[i] = []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":` +
			s.update(i) + `}}`)
	}
	return list
}

// feed gives the client all of them, and lands what is to be stored now and then.
func (h *tally) feed(frames [][]byte) {
	for i, f := range frames {
		if h.say(f); i%16 == 15 {
			h.Store()
		}
	}
	h.Store()
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
				if h.updates() != 5*each || h.broken() > 0 {
					t.Errorf("%d operations, want %d; %d updates were refused", h.updates(), 5*each,
						h.broken())
				}
				if kept != (h.Commits > 5) {
					t.Errorf("%d commits", h.Commits)
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
				h.Events = [32]int{}
				b.ReportAllocs()
				for b.Loop() {
					h.feed(frames)
				}
				if h.updates() != b.N*each {
					b.Fatalf("%d operations, want %d", h.updates(), b.N*each)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*each), "ns/update")
			})
		}
	}
}
