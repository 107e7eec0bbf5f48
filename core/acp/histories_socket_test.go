//go:build !js

package acp_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// wire is the model behind a WebSocket.
type wire struct {
	*sim
	m     *model
	conns map[engine.ExchangeID]*modelConnection
	seen  int
}

func (w *wire) run() {
	for {
		progress := false
		for w.seen < len(w.sim.effects) {
			e := w.sim.effects[w.seen]
			w.seen++
			switch e.Kind {
			case engine.Socket:
				progress = true
				x := e.X
				w.m.made++
				c := &modelConnection{socket: true, id: fmt.Sprintf("c%d", w.m.made),
					boxes: map[string]*modelBox{}}
				w.m.connections[c.id] = c
				w.conns[x] = c
				w.input("opened", func(c *acp.Client, now engine.Time) { c.SocketOpened(now, x) })
			case engine.Frame:
				progress = true
				var q modelRequest
				_ = json.Unmarshal(e.Data, &q)
				c := w.conns[e.X]
				if c == nil {
					continue
				}
				var named struct{ SessionID string }
				_ = json.Unmarshal(q.Params, &named)
				q.Session = named.SessionID
				if q.Method == "" {
					for _, s := range w.m.sessions {
						if s.askID == string(q.ID) && s.conn == c {
							q.Session = s.id
						}
					}
				}
				w.m.requests = append(w.m.requests, q)
				if q.Method == "initialize" {
					version, answers := 2, `"info":{"name":"m","version":"1"},"capabilities":{"session":{}}`
					if w.m.version == 1 {
						version, answers = 1, `"agentCapabilities":{"loadSession":true}`
					}
					c.say("", `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%d,%s}}`, q.ID, version,
						answers)
					continue
				}
				w.m.handle(c, q)
			case engine.Abort:
				delete(w.conns, e.X)
			}
		}
		if len(w.sim.queue) > 0 {
			progress = true
			w.pump()
		}
		if !progress {
			return
		}
	}
}

// one brings one frame: those of one socket come in their order, so all boxes are one queue here.
func (w *wire) one() bool {
	w.run()
	for x, c := range w.conns {
		for _, name := range c.order {
			box := c.boxes[name]
			if len(box.frames) == 0 {
				continue
			}
			frame := box.frames[0]
			box.frames = box.frames[1:]
			w.input("hear "+frame,
				func(c *acp.Client, now engine.Time) { c.SocketMessage(now, x, []byte(frame)) })
			w.run()
			return true
		}
	}
	return false
}

func (w *wire) close(lost bool) {
	for x, c := range w.conns {
		if !lost {
			for w.one() {
			}
		}
		delete(w.conns, x)
		delete(w.m.connections, c.id)
		w.input("closed", func(c *acp.Client, now engine.Time) { c.SocketClosed(now, x, 1006, "") })
		w.run()
		return
	}
}

func (w *wire) wait(ms int64) {
	until := w.Now.After(ms)
	for range 10_000 {
		if w.one() {
			continue
		}
		at, ok := w.Client.Deadline()
		if !ok || at > until {
			w.Now = until
			return
		}
		w.Now = max(w.Now, at)
		w.input("advance", func(c *acp.Client, now engine.Time) { c.Advance(now) })
		w.run()
	}
	w.fatal("it never settles")
}

func (w *wire) reload() {
	for x, c := range w.conns {
		delete(w.conns, x)
		delete(w.m.connections, c.id)
	}
	w.load()
	w.seen = 0
	w.run()
}

// TestSocketHistories: over a WebSocket, whose sockets close, with a store that is slow, pages that are
// loaded again and prompts at any time. Nothing is lost, shown twice, sent twice or asked twice, in both
// versions.
func TestSocketHistories(t *testing.T) {
	for _, version := range []int{2, 1} {
		seeded(t, 150, func(t *testing.T, seed uint64) { socketHistory(t, version, seed) })
	}
}

func socketHistory(t *testing.T, version int, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 7))
	m := newModel()
	m.version = version
	m.onPrompt = func(s *modelSession, r modelRequest) {
		if version == 2 {
			s.turn(r, 6, random.IntN(3) == 0 && s.asking == "")
			return
		}
		s.turns++
		s.history = append(s.history,
			fmt.Sprintf(
				`{"sessionUpdate":"user_message_chunk","messageId":"u%d","content":{"type":"text",`+
					`"text":"x"}}`,
				s.turns))
		for i := range 4 {
			s.chunk(fmt.Sprintf("a%d", s.turns), fmt.Sprintf("<%d.%d>", s.turns, i))
		}
		s.conn.say(s.id, `{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn"}}`, r.ID)
	}
	w := &wire{sim: newSim(t, acp.Config{Transport: acp.TransportWebSocket}, m), m: m,
		conns: map[engine.ExchangeID]*modelConnection{}}
	w.run()
	w.wait(0)
	w.request(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
	w.wait(0)
	id := m.newest
	handle := w.handle(id)
	prompts := 0
	for range 10 + random.IntN(60) {
		switch choice := random.IntN(20); {
		case choice < 9:
			w.one()
		case choice < 11:
			w.close(random.IntN(2) == 0)
		case choice < 12:
			w.reload()
			handle = w.handle(id)
		case choice < 15 && prompts < 6:
			prompts++
			w.input("prompt", func(c *acp.Client, now engine.Time) {
				c.Request(now, handle, "session/prompt",
					[]byte(fmt.Sprintf(`{"prompt":[{"type":"text","text":"p%d"}]}`, prompts)))
			})
			if random.IntN(3) > 0 {
				w.run()
			}
		case choice < 17:
			for _, q := range w.open() {
				w.input("respond", func(c *acp.Client, now engine.Time) {
					c.Respond(now, q.Position, true, []byte(yes))
				})
			}
			w.run()
		case choice < 18:
			w.slow = !w.slow
			w.queue = append(w.queue, w.landed)
			w.run()
		default:
			w.wait(int64(random.IntN(8)) * 300)
		}
	}
	w.slow = false
	w.queue = append(w.queue, w.landed)
	w.run()
	for range 10 {
		w.wait(60_000)
		for _, q := range w.open() {
			w.input("respond",
				func(c *acp.Client, now engine.Time) { c.Respond(now, q.Position, true, []byte(yes)) })
		}
		w.run()
	}
	if shown, want := said(w.sim.effects, handle), m.said(id); shown != want {
		w.fatal("version %d seed %d: shown %q, said %q", version, seed, shown, want)
	}
	seen := map[string]int{}
	for _, r := range m.of("session/prompt") {
		if seen[string(r.Params)]++; seen[string(r.Params)] > 1 {
			w.fatal("seed %d: sent twice: %s", seed, r.Params)
		}
	}
	for q, n := range m.answered {
		w.expect(n == 1 || w.forgetful, "seed %d: question %s was answered %d times", seed, q, n)
	}
	w.expect(m.sessions[id].asking == "", "seed %d: a question was never answered", seed)
	if turns := w.events(engine.EventPhase, ""); len(turns) > 0 {
		w.expect(strings.Contains(string(turns[len(turns)-1].Data), `"idle"`),
			"version %d seed %d: the last turn is told as %s", version, seed, turns[len(turns)-1].Data)
	}
}
