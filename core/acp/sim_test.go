//go:build !js

package acp_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// sim is a page without a network: a World whose client talks to a model of an agent.
type sim struct {
	coretest.ACP
	t         testing.TB
	cfg       acp.Config
	agent     *model
	loads     int
	bodies    map[engine.ExchangeID]string // of JSON answers
	queue     []func()
	effects   []engine.Effect            // that this page was told
	slow      bool                       // the store waits for landed
	forgetful bool                       // it was so slow at some time that a client gave it up
	post      func(body string) delivery // what becomes of the next POSTs, nil: they arrive
	sockets   int                        // connections that the browser has for an origin; 0: no limit
	blocked   []func()                   // requests that wait for one, oldest first
	onTheWay  []func()                   // POSTs that travel
	deaf      delivery                   // what becomes of GETs
	// what becomes of a stream that the client ends, nil: nothing of it is lost
	aborted func(x engine.ExchangeID)
	also    func(e engine.Effect) // who else wants to know of each effect, nil: nobody
	lands   func()                // and that the oldest commit is stored
	shares  bool                  // the page shares connections with others
	share   int                   // streams of sessions that it may hold then
}

// delivery is what becomes of a POST.
type delivery uint8

const (
	arrives    delivery = iota
	neverLeft           // the network failed before the agent's server had it
	unreported          // and after
	travels             // it gets there when arrive says so
)

func newSim(t testing.TB, cfg acp.Config, m *model) *sim {
	s := unloaded(t, cfg, m)
	s.load()
	return s
}

// unloaded is a page whose client has been given nothing yet.
func unloaded(t testing.TB, cfg acp.Config, m *model) *sim {
	cfg.URL, cfg.Journal = "https://agent.test/acp", true
	return &sim{ACP: coretest.NewACP(t, cfg), t: t, cfg: cfg, agent: m,
		bodies: map[engine.ExchangeID]string{}}
}

// load is a page, or the next one.
func (s *sim) load() {
	s.queue, s.effects, s.blocked = nil, nil, nil
	clear(s.bodies)
	s.agent.leaveAll()
	if s.loads++; s.loads == 1 {
		s.input("load", func(c *acp.Client, now engine.Time) { c.Restore(now, s.Store.Loaded()) })
	} else {
		s.Reload()
		s.collect()
	}
	if s.shares {
		s.input("streams", func(c *acp.Client, now engine.Time) { s.share = c.Streams(now, s.share) })
	}
	s.do("start", (*acp.Client).Start)
}

// streamsOf tells the client how many streams its sessions may hold.
func (s *sim) streamsOf(n int) int {
	s.do(fmt.Sprint("streams ", n),
		func(c *acp.Client, now engine.Time) { s.shares, s.share = true, c.Streams(now, n) })
	return s.share
}

func (s *sim) do(line string, input func(c *acp.Client, now engine.Time)) {
	s.input(line, input)
	s.pump()
}

// input runs one input, and takes what the client asks for because of it.
func (s *sim) input(line string, input func(c *acp.Client, now engine.Time)) {
	s.Input(line, input)
	s.collect()
}

// pump carries out what the client asks for until it asks for nothing more.
func (s *sim) pump() {
	for {
		if len(s.queue) == 0 && len(s.blocked) > 0 && s.streams() < s.sockets {
			s.queue, s.blocked = s.blocked[:1:1], s.blocked[1:]
		}
		if len(s.queue) == 0 {
			return
		}
		next := s.queue[0]
		s.queue = s.queue[1:]
		next()
	}
}

// collect takes the effects of the last input.
func (s *sim) collect() {
	effects := s.Effects
	s.Effects = nil
	for _, e := range effects {
		if s.also != nil {
			s.also(e)
		}
		switch e.Kind {
		case engine.Fetch:
			s.queue = append(s.queue, func() { s.serve(e.X, e.Request) })
		case engine.Read:
			if s.bodies[e.X] != "" {
				s.queue = append(s.queue, func() { s.answer(e.X) })
			}
		case engine.Abort:
			if s.aborted != nil {
				s.aborted(e.X)
			}
			s.agent.leave(e.X)
		case engine.Store:
			if !s.slow {
				s.queue = append(s.queue, s.landed)
			}
		default:
			s.effects = append(s.effects, e)
			s.forgetful = s.forgetful || e.Event == engine.EventDurability &&
				bytes.Contains(e.Data, []byte(`"memory"`))
		}
	}
}

// landed answers the commits that wait.
func (s *sim) landed() {
	for range s.Store.Waiting() {
		if s.lands != nil {
			s.lands()
		}
		s.input("landed",
			func(c *acp.Client, now engine.Time) { c.Stored(now, s.Store.Land(), journal.ResultOK, 0) })
	}
}

// serve is the agent's server.
func (s *sim) serve(x engine.ExchangeID, r *engine.Request) {
	if s.Exchange(x).Over {
		return
	}
	if s.sockets > 0 && s.streams() >= s.sockets {
		s.blocked = append(s.blocked, func() { s.serve(x, r) })
		return
	}
	what := arrives
	if r.Method == "GET" {
		what = s.deaf
	} else if r.Method == "POST" && s.post != nil {
		what = s.post(string(r.Body))
	}
	if what == travels {
		s.onTheWay = append(s.onTheWay, func() { s.serveAs(x, r, arrives) })
		return
	}
	s.serveAs(x, r, what)
}

// arrive has the POSTs that travel get there.
func (s *sim) arrive() {
	s.queue, s.onTheWay = append(s.queue, s.onTheWay...), nil
	s.pump()
}

func (s *sim) serveAs(x engine.ExchangeID, r *engine.Request, what delivery) {
	if s.Exchange(x).Over {
		return
	}
	if what == neverLeft {
		s.end(x, engine.EndNetwork)
		return
	}
	if s.agent.silent[r.Method] {
		return
	}
	status, fields, body := s.agent.serve(s, x, r)
	if what == unreported {
		s.end(x, engine.EndNetwork)
		return
	}
	s.bodies[x] = body
	var head []string
	for _, f := range fields {
		head = append(head, f.Name, f.Value)
	}
	s.Head(x, status, head...)
	s.collect()
	if status == 202 {
		s.end(x, engine.EndClean)
	}
}

// streams counts the event streams that are open, each on a connection of its own.
func (s *sim) streams() int {
	n := 0
	for _, e := range s.Exchanges() {
		if e.Head && !e.Over {
			n++
		}
	}
	return n
}

// answer brings the body of a JSON answer.
func (s *sim) answer(x engine.ExchangeID) {
	if !s.Exchange(x).Over {
		s.Chunk(x, s.bodies[x])
		s.collect()
		s.end(x, engine.EndClean)
	}
}

func (s *sim) end(x engine.ExchangeID, how engine.Ending) {
	if !s.Exchange(x).Over {
		s.agent.leave(x)
		s.End(x, how)
		s.collect()
	}
}

// chunk brings a frame on an event stream.
func (s *sim) chunk(x engine.ExchangeID, frame string) {
	if e := s.Exchange(x); e.Over || !e.Reading {
		return
	}
	if strings.HasPrefix(frame, "id: ") {
		frame += "\n\n"
	} else {
		frame = "data: " + frame + "\n\n"
	}
	s.Chunk(x, frame)
	s.collect()
	s.pump()
}

// cut ends an event stream; lost frames are on their way, and are no more.
func (s *sim) cut(x engine.ExchangeID, lost int) {
	s.agent.lose(x, lost)
	s.Trace = append(s.Trace, fmt.Sprintf("> cut x%d, %d lost", x, lost))
	s.end(x, engine.EndNetwork)
	s.pump()
}

// settle delivers what the agent has said, and lets time pass for so many ms.
func (s *sim) settle(ms int64) {
	until := s.Now.After(ms)
	for range 100_000 {
		if x, frame, ok := s.agent.take(s); ok {
			s.chunk(x, frame)
			continue
		}
		at, ok := s.Client.Deadline()
		if !ok || at > until {
			s.Now = until
			return
		}
		s.Now = max(s.Now, at)
		s.do("advance", func(c *acp.Client, now engine.Time) { c.Advance(now) })
	}
	s.fatal("it never settles")
}

func (s *sim) request(session uint32, method, params string) engine.CallID {
	var id engine.CallID
	s.do("request "+method,
		func(c *acp.Client, now engine.Time) { id = c.Request(now, session, method, []byte(params)) })
	return id
}

// session makes a session.
func (s *sim) session() (uint32, string) {
	s.t.Helper()
	s.request(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
	s.settle(0)
	id := s.agent.newest
	return s.handle(id), id
}

func (s *sim) handle(id string) uint32 {
	s.t.Helper()
	for i := len(s.effects) - 1; i >= 0; i-- {
		if e := s.effects[i]; e.Kind == engine.Recall &&
			strings.Contains(string(e.Data), `"sessionId":"`+id+`"`) {
			return uint32(e.C)
		}
	}
	s.fatal("no session %q", id)
	return 0
}

func (s *sim) prompt(session uint32, text string) engine.CallID {
	return s.request(session, "session/prompt", `{"prompt":[{"type":"text","text":"`+text+`"}]}`)
}

// settled returns how a call was settled; it fails where it was twice, or is not.
func (s *sim) settled(id engine.CallID) engine.Effect {
	s.t.Helper()
	all := s.find(func(e engine.Effect) bool { return e.Kind == engine.Settle && e.C == id })
	if len(all) != 1 {
		s.fatal("call %d was settled %d times", id, len(all))
	}
	return all[0]
}

func (s *sim) find(ok func(engine.Effect) bool) []engine.Effect {
	var all []engine.Effect
	for _, e := range s.effects {
		if ok(e) {
			all = append(all, e)
		}
	}
	return all
}

// events returns the events of that kind whose data holds text.
func (s *sim) events(kind engine.EventKind, text string) []engine.Effect {
	return s.find(func(e engine.Effect) bool {
		return e.Kind == engine.Deliver && e.Event == kind && strings.Contains(string(e.Data), text)
	})
}

// open returns the questions that wait, oldest first.
func (s *sim) open() []engine.Effect {
	return s.find(func(e engine.Effect) bool {
		return e.Kind == engine.Deliver && e.Event == engine.EventQuestion &&
			len(s.find(func(w engine.Effect) bool {
				return w.Kind == engine.Deliver && w.Event == engine.EventWithdrawn &&
					w.Position == e.Position
			})) == 0
	})
}

func (s *sim) respond(q engine.Effect, data string) {
	s.do("respond", func(c *acp.Client, now engine.Time) { c.Respond(now, q.Position, true, []byte(data)) })
}

func (s *sim) expect(ok bool, format string, args ...any) {
	s.t.Helper()
	if !ok {
		s.fatal(format, args...)
	}
}

func (s *sim) fatal(format string, args ...any) {
	s.t.Helper()
	trace := s.Trace[max(0, len(s.Trace)-400):]
	s.t.Fatalf(format+"\n%s", append(args, strings.Join(trace, "\n"))...)
}
