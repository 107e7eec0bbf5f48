//go:build !js

package acp_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// sim is a page without a network: its client, under a virtual clock, talks to a
// model of an agent, and stores in what outlives the page. It holds the client to
// its contract with a host: a Read only for an exchange that lives, has a head and
// no other Read; a prompt only while its session is being read.
type sim struct {
	t         testing.TB
	c         *acp.Client
	cfg       acp.Config
	now       engine.Time
	agent     *model
	store     *store
	exchanges map[engine.ExchangeID]*simExchange
	newest    engine.ExchangeID
	queue     []func()
	effects   []engine.Effect // that this page was told
	trace     []string
	slow      bool                   // the store waits for landed
	forgetful bool                   // it was so slow at some time that a client gave it up
	post      func(body string) fate // what becomes of the next POSTs, nil: they arrive
	sockets   int                    // connections that the browser has for an origin; 0: no limit
	blocked   []func()               // requests that wait for one, oldest first
	onTheWay  []func()               // POSTs that travel
	deaf      fate                   // what becomes of GETs
	shares    bool                   // the page shares connections with others
	share     int                    // streams of sessions that it may hold then
}

// fate is what becomes of a POST.
type fate uint8

const (
	arrives    fate = iota
	neverLeft       // the network failed before the agent's host had it
	unreported      // and after
	travels         // it gets there when arrive says so
)

type simExchange struct {
	request             *engine.Request
	head, reading, over bool
	body                string // of a JSON answer
}

func newSim(t testing.TB, cfg acp.Config, m *model) *sim {
	s := &sim{t: t, cfg: cfg, agent: m, now: 1_000, store: &store{}}
	s.cfg.URL, s.cfg.Journal = "https://agent.test/acp", true
	s.load()
	return s
}

// load is a page, or the next one.
func (s *sim) load() {
	s.store.epoch++
	s.cfg.Epoch, s.cfg.Seed = s.store.epoch, uint64(s.store.epoch)
	s.c, s.exchanges, s.newest = acp.New(s.cfg), map[engine.ExchangeID]*simExchange{}, 0
	s.queue, s.effects, s.blocked = nil, nil, nil
	s.store.Drop()
	s.agent.leaveAll()
	s.do("load", func(c *acp.Client, now engine.Time) {
		c.Restore(now, s.store.Loaded())
		s.collect()
		if s.shares {
			s.share = c.Streams(now, s.share)
			s.collect()
		}
		c.Start(now)
	})
}

// streamsOf tells the client how many streams its sessions may hold.
func (s *sim) streamsOf(n int) int {
	s.do(fmt.Sprint("streams ", n), func(c *acp.Client, now engine.Time) { s.shares, s.share = true, c.Streams(now, n) })
	return s.share
}

func (s *sim) do(line string, input func(c *acp.Client, now engine.Time)) {
	s.trace = append(s.trace, "> "+line)
	input(s.c, s.now)
	s.pump()
}

// pump carries out what the client asks for until it asks for nothing more.
func (s *sim) pump() {
	for {
		s.collect()
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

func (s *sim) collect() {
	for {
		e, ok := s.c.Next()
		if !ok {
			return
		}
		e.Data = bytes.Clone(e.Data)
		x := s.exchanges[e.X]
		switch e.Kind {
		case engine.Fetch:
			if e.X <= s.newest {
				s.fatal("exchange %d after %d", e.X, s.newest)
			}
			s.newest = e.X
			s.exchanges[e.X] = &simExchange{request: e.Request}
			s.trace = append(s.trace, fmt.Sprintf("  fetch x%d %s %s", e.X, e.Request.Method, e.Request.Body))
			s.queue = append(s.queue, func() { s.serve(e.X, e.Request) })
		case engine.Read:
			if x == nil || !x.head || x.over || x.reading {
				s.fatal("Read of x%d: %+v", e.X, x)
			}
			x.reading = true
			if x.body != "" {
				s.queue = append(s.queue, func() { s.answer(e.X) })
			}
		case engine.Abort:
			if x != nil {
				x.over = true
			}
			s.agent.leave(e.X)
		case engine.Socket, engine.Frame:
			s.trace = append(s.trace, fmt.Sprintf("  kind %d x%d %s", e.Kind, e.X, e.Data))
			s.effects = append(s.effects, e)
		case engine.Store:
			s.store.Begin(e)
			if !s.slow {
				s.queue = append(s.queue, s.landed)
			}
		default:
			s.trace = append(s.trace, fmt.Sprintf("  kind %d event %d c%d #%d %s %v", e.Kind, e.Event, e.C, e.Position, e.Data, e.Failure))
			s.effects = append(s.effects, e)
			s.forgetful = s.forgetful || e.Event == engine.EventDurability && bytes.Contains(e.Data, []byte(`"memory"`))
		}
	}
}

// landed answers the commits that wait.
func (s *sim) landed() {
	for range s.store.Waiting() {
		s.c.Stored(s.now, s.store.Land(), journal.ResultOK, "")
	}
}

// serve is the agent's host.
func (s *sim) serve(x engine.ExchangeID, r *engine.Request) {
	e := s.exchanges[x]
	if e.over {
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

func (s *sim) serveAs(x engine.ExchangeID, r *engine.Request, what fate) {
	e := s.exchanges[x]
	if e.over {
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
	e.head, e.body = true, body
	s.c.Head(s.now, x, engine.Head{Status: status, Header: fields})
	if status == 202 {
		s.collect()
		s.end(x, engine.EndClean)
	}
}

// streams counts the event streams that are open, each on a connection of its own.
func (s *sim) streams() int {
	n := 0
	for _, e := range s.exchanges {
		if e.head && !e.over {
			n++
		}
	}
	return n
}

// answer brings the body of a JSON answer.
func (s *sim) answer(x engine.ExchangeID) {
	if e := s.exchanges[x]; !e.over {
		e.reading = false
		s.c.Chunk(s.now, x, []byte(e.body))
		s.collect()
		s.end(x, engine.EndClean)
	}
}

func (s *sim) end(x engine.ExchangeID, how engine.Ending) {
	if e := s.exchanges[x]; !e.over {
		e.over = true
		s.agent.leave(x)
		s.c.End(s.now, x, how, "")
	}
}

// chunk brings a frame on an event stream, in memory that is used again at once.
func (s *sim) chunk(x engine.ExchangeID, frame string) {
	e := s.exchanges[x]
	if e.over || !e.reading {
		return
	}
	e.reading = false
	p := []byte("data: " + frame + "\n\n")
	if strings.HasPrefix(frame, "id: ") {
		p = []byte(frame + "\n\n")
	}
	s.trace = append(s.trace, fmt.Sprintf("> chunk x%d %s", x, frame))
	s.c.Chunk(s.now, x, p)
	s.collect()
	for i := range p {
		p[i] = 0xdd
	}
	s.pump()
}

// cut ends an event stream; lost frames are on their way, and are no more.
func (s *sim) cut(x engine.ExchangeID, lost int) {
	s.agent.lose(x, lost)
	s.trace = append(s.trace, fmt.Sprintf("> cut x%d, %d lost", x, lost))
	s.end(x, engine.EndNetwork)
	s.pump()
}

// settle delivers what the agent has said, and lets time pass for so many ms.
func (s *sim) settle(ms int64) {
	until := s.now.After(ms)
	for range 100_000 {
		if x, frame, ok := s.agent.take(s); ok {
			s.chunk(x, frame)
			continue
		}
		at, ok := s.c.Deadline()
		if !ok || at > until {
			s.now = until
			return
		}
		s.now = max(s.now, at)
		s.do("advance", func(c *acp.Client, now engine.Time) { c.Advance(now) })
	}
	s.fatal("it never settles")
}

func (s *sim) request(session uint32, method, params string) engine.CallID {
	var id engine.CallID
	s.do("request "+method, func(c *acp.Client, now engine.Time) { id = c.Request(now, session, method, []byte(params)) })
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
		if e := s.effects[i]; e.Kind == engine.Recall && strings.Contains(string(e.Data), `"sessionId":"`+id+`"`) {
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
		return e.Kind == engine.Deliver && e.Event == engine.EventQuestion && len(s.find(func(w engine.Effect) bool {
			return w.Kind == engine.Deliver && w.Event == engine.EventWithdrawn && w.Position == e.Position
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
	if len(s.trace) > 400 {
		s.trace = s.trace[len(s.trace)-400:]
	}
	s.t.Fatalf(format+"\n%s", append(args, strings.Join(s.trace, "\n"))...)
}
