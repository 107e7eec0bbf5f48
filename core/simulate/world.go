//go:build !js

package simulate

import (
	"math/rand/v2"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Config is how large a World is. Zero fields mean the default.
type Config struct {
	Clients  int // 1,000 by default
	Calls    int // in flight per client; 2 by default
	Capacity int // requests per second that the service can serve; a tenth of the clients by default
	Seed     uint64
	Retry    link.Policy // how clients space attempts; link.BuiltIn by default
}

// World is one service, its clients, and the time that passes for them.
type World struct {
	queue
	cfg      Config
	scenario Scenario
	rng      *rand.Rand
	now      int64
	cost     int64 // us of an instance's time that a request takes

	pages     []*page
	jobs      []*job
	instances [instances]instance
	scratch   []byte

	incident  int64 // when it begins
	mended    int64 // when the last instance is up again
	until     int64 // give up
	finishing bool
	broken    int // calls without their stream
	open      int // calls without their result
	result    Result
}

const (
	openWithin = 10 * second // the pages are opened over so long
	settleTime = 15 * second // and then live in peace for so long
)

// NewWorld returns a World in which nothing has happened.
func NewWorld(cfg Config, s Scenario) *World {
	return newWorld(cfg, newQueue(max(cfg.Clients, 1000)), s)
}

func newWorld(cfg Config, q queue, s Scenario) *World {
	if cfg.Clients == 0 {
		cfg.Clients = 1000
	}
	if cfg.Calls == 0 {
		cfg.Calls = 2
	}
	if cfg.Capacity == 0 {
		cfg.Capacity = max(cfg.Clients/10, instances)
	}
	w := &World{queue: q, cfg: cfg, scenario: s, rng: rand.New(rand.NewPCG(cfg.Seed, uint64(len(s.Name))))}
	w.cost = max(int64(1_000_000*instances/cfg.Capacity), 1)
	w.incident = openWithin + settleTime
	w.mended = w.incident + s.Outage
	w.until = w.mended + 20*minute + s.RollEvery*instances
	w.result = Result{Scenario: s, Config: cfg, Failures: map[string]int{}}
	w.broken, w.open = cfg.Clients*cfg.Calls, cfg.Clients*cfg.Calls
	for i := range w.instances {
		w.instances[i].up = true
	}
	for i := range cfg.Clients {
		p := &page{w: w, index: i, away: oneWay(w.rng), calls: make([]call, cfg.Calls), asleep: -1,
			broken: cfg.Calls}
		p.still, p.noisy = w.rng.IntN(2) == 0, w.rng.IntN(2) == 0
		w.pages = append(w.pages, p)
		w.push(event{at: between(w.rng, 0, openWithin), kind: evConnect, page: p})
	}
	w.plan()
	return w
}

// plan books the incident.
func (w *World) plan() {
	s := w.scenario
	for i := range instances {
		switch {
		case s.Outage > 0:
			w.push(event{at: w.incident, kind: evDown, n: uint32(i)})
			w.push(event{at: w.mended, kind: evUp, n: uint32(i)})
		case s.RollEvery > 0:
			at := w.incident + int64(i)*s.RollEvery
			w.push(event{at: at, kind: evDown, n: uint32(i)})
			w.push(event{at: at + s.RollDown, kind: evUp, n: uint32(i)})
			w.until = at + s.RollDown + 20*minute
		}
	}
	if s.Asleep > 0 {
		w.until += s.Asleep
		for _, p := range w.pages {
			w.push(event{at: w.incident + between(w.rng, 0, second), kind: evSleep, page: p})
			// Nobody wakes more than four deviations early or late.
			skew := min(max(w.rng.NormFloat64(), -4), 4) + 4
			w.push(event{at: w.incident + s.Asleep + int64(skew*float64(s.WakeSpread)), kind: evWake,
				page: p})
		}
		w.incident += s.Asleep
	}
}

// began reports whether the incident had begun by t.
func (w *World) began(t int64) bool { return t >= w.incident }

// last returns when the last thing of the incident happens.
func (w *World) last() int64 {
	s := w.scenario
	switch {
	case s.RollEvery > 0:
		return w.incident + instances*s.RollEvery
	case s.Asleep > 0:
		return w.incident + 8*s.WakeSpread + 10*second
	}
	return w.mended + 1
}

// connect opens a page.
func (p *page) connect() {
	w := p.w
	p.client = mcp.New(mcp.Config{
		URL: "https://service.test/mcp", ClientInfo: []byte(`{"name":"page","version":"1"}`),
		Revision: "2025-11-25",
		Journal:  true, Epoch: 1, Wall: 1_767_225_600_000, Seed: w.rng.Uint64(), Retry: w.cfg.Retry,
	})
	p.driver = engine.NewDriver(p.client, p)
	p.client.Start(p.now())
}
