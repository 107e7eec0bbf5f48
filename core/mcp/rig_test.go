package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// rig is a World that keeps what each call was told, and holds the client to what it
// owes its app after every input: one Settle for each call and no event after it,
// positions without a hole. (What it owes its host World checks.)
type rig struct {
	coretest.MCP
	t         testing.TB
	calls     map[engine.CallID]*record
	states    []string
	statuses  []string // of the GET stream for unasked messages
	integrity []string // what was dropped, as integrity events say it
	tokens    int      // times the provider was asked
}

// record is what an app knows of one call.
type record struct {
	progress []string // params of progress events
	events   []engine.Effect
	settled  *engine.Effect
	position uint32
	recalled bool // from the store, where requests for input that are over are left out
}

func newRig(t testing.TB, cfg mcp.Config) *rig {
	if cfg.Revision == "" {
		cfg.Revision = "2025-11-25"
	}
	return &rig{MCP: coretest.NewMCP(t, cfg), t: t, calls: map[engine.CallID]*record{}}
}

// connected returns a rig whose client is open with a server of the newest
// revision, which offers no GET stream; no exchange is left.
func connected(t testing.TB, cfg mcp.Config) *rig {
	return newRig(t, cfg).connect("2025-11-25")
}

// connect does the handshake with a server that offers no GET stream.
func (r *rig) connect(revision string) *rig {
	r.t.Helper()
	initialized := r.handshake(revision)
	if r.Newest() != initialized {
		r.Head(r.Newest(), 405)
	}
	r.End(initialized, engine.EndClean)
	if r.Open() != 0 {
		r.t.Fatalf("after the handshake %d exchanges are open\n%s", r.Open(), r.Log())
	}
	return r
}

// connectListening does the handshake with a server whose GET stream is the
// newest exchange then.
func (r *rig) connectListening() *rig {
	r.t.Helper()
	initialized := r.handshake("2025-11-25")
	r.Head(r.Newest(), 200, "content-type", coretest.Stream)
	r.End(initialized, engine.EndClean)
	return r
}

// handshake takes the client to open and returns the exchange that carried
// notifications/initialized.
func (r *rig) handshake(revision string) engine.ExchangeID {
	r.t.Helper()
	r.Start()
	if r.tokens > 0 {
		r.token("t1")
	}
	x := r.Newest()
	id := coretest.RequestID(r.Exchange(x).Request)
	r.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", "s1")
	r.Chunk(x, coretest.Result(id, `{"protocolVersion":"`+revision+
		`","capabilities":{},"serverInfo":{"name":"rig","version":"1"}}`))
	r.End(x, engine.EndClean)
	initialized := r.Newest()
	r.Head(initialized, 202)
	return initialized
}

func (r *rig) Start() { r.World.Start(); r.audit() }

func (r *rig) Head(x engine.ExchangeID, status int, fields ...string) {
	r.World.Head(x, status, fields...)
	r.audit()
}

func (r *rig) Chunk(x engine.ExchangeID, text string) {
	r.World.Chunk(x, text)
	r.audit()
}

func (r *rig) End(x engine.ExchangeID, how engine.Ending) {
	r.World.End(x, how)
	r.audit()
}

func (r *rig) Call(method, params string, o mcp.CallOptions) engine.CallID {
	id, _ := r.MCP.Call(method, params, o)
	r.calls[id] = &record{}
	r.audit()
	return id
}

// notify sends a notification.
func (r *rig) notify(method string) engine.CallID {
	var id engine.CallID
	r.World.Input("notify "+method,
		func(c *mcp.Client, now engine.Time) { id = c.Notify(now, method, nil, mcp.CallOptions{}) })
	r.calls[id] = &record{}
	r.audit()
	return id
}

func (r *rig) Advance(ms int64) { r.World.Advance(ms); r.audit() }

// input runs any other input.
func (r *rig) input(line string, do func(c *mcp.Client, now engine.Time)) {
	r.World.Input(line, do)
	r.audit()
}

func (r *rig) pause(c engine.CallID, paused bool) {
	r.input(fmt.Sprintf("pause c%d %v", c, paused),
		func(m *mcp.Client, now engine.Time) { m.Pause(now, c, paused) })
}

func (r *rig) online()  { r.input("online", (*mcp.Client).Online) }
func (r *rig) visited() { r.input("visited", (*mcp.Client).Visited) }
func (r *rig) offline() { r.input("offline", (*mcp.Client).Offline) }
func (r *rig) close()   { r.input("close", (*mcp.Client).Close) }

func (r *rig) cancel(c engine.CallID) {
	r.input("cancel", func(m *mcp.Client, now engine.Time) { m.Cancel(now, c, "") })
}

func (r *rig) token(value string) {
	r.input("token", func(m *mcp.Client, now engine.Time) { m.Token(now, value, nil) })
}

func (r *rig) tokenFails() {
	r.input("tokenfail", func(m *mcp.Client, now engine.Time) {
		m.Token(now, "", &engine.Error{Code: engine.CodeUnauthorized, Op: "token", Message: "no"})
	})
}

func (r *rig) woke(gap int64) {
	r.input("woke", func(m *mcp.Client, now engine.Time) { m.Woke(now, gap) })
}

// call returns what is known of a call, which the app must have made: the
// handshake is a call as well, and none of its business.
func (r *rig) call(c engine.CallID) *record {
	r.t.Helper()
	if r.calls[c] == nil {
		r.fatal("call %d was never made", c)
	}
	return r.calls[c]
}

// audit books the effects of the last input and checks the contract.
func (r *rig) audit() {
	r.t.Helper()
	if !r.Client.DueHolds() {
		r.fatal("a call is due before Deadline says so")
	}
	r.Client.Deadline()
	for i := range r.Effects {
		e := r.Effects[i]
		switch e.Kind {
		case engine.Deliver:
			r.book(e)
		case engine.Settle:
			c := r.call(e.C)
			if c.settled != nil {
				r.fatal("call %d settles twice", e.C)
			}
			c.settled = &e
		case engine.State:
			r.states = append(r.states, string(e.Data))
		case engine.Token:
			r.tokens++
		}
	}
}

// book takes an event.
func (r *rig) book(e engine.Effect) {
	r.t.Helper()
	if e.Event == engine.EventIntegrity {
		r.integrity = append(r.integrity, string(e.Data))
	}
	if e.C == 0 {
		if e.Event == engine.EventStatus {
			r.statuses = append(r.statuses, string(e.Data))
		}
		return
	}
	c := r.call(e.C)
	if c.settled != nil {
		r.fatal("call %d gets an event after it has settled: %s", e.C, e.Data)
	}
	c.events = append(c.events, e)
	switch e.Event {
	case engine.EventStatus, engine.EventResumed, engine.EventGuarantee, engine.EventTask,
		engine.EventRequest, engine.EventPeek:
	default:
		if e.Event == engine.EventInput && c.recalled {
			c.position = e.Position // asked again
			return
		}
		if c.position++; e.Position != c.position && !(c.recalled && e.Position > c.position) {
			r.fatal("call %d: event %d has position %d", e.C, c.position, e.Position)
		}
		c.position = e.Position
	}
	if e.Event == engine.EventProgress {
		c.progress = append(c.progress, string(e.Data))
	}
}

func (r *rig) fatal(format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf(format+"\n%s", append(args, r.Log())...)
}

// nextFetch moves the clock until the client starts an exchange, at most limit
// ms, and returns it with the time that took; 0 for none.
func (r *rig) nextFetch(limit int64) (engine.ExchangeID, int64) {
	r.t.Helper()
	before, began := r.Newest(), r.Now
	for r.Newest() == before {
		d := r.NextDeadline()
		if d < 0 || r.Now.Since(began)+d > limit {
			return 0, r.Now.Since(began)
		}
		r.Advance(d)
	}
	return r.Newest(), r.Now.Since(began)
}

// field returns a header field of a request.
func (r *rig) field(x engine.ExchangeID, name string) (string, bool) {
	for _, f := range r.Exchange(x).Request.Header {
		if f.Name == name {
			return f.Value, true
		}
	}
	return "", false
}

// posted returns how many POSTs held all of the texts.
func (r *rig) posted(texts ...string) int {
	n := 0
	for _, e := range r.Exchanges() {
		ok := e.Request.Method == "POST"
		for _, text := range texts {
			ok = ok && strings.Contains(string(e.Request.Body), text)
		}
		if ok {
			n++
		}
	}
	return n
}

// storeIsBack lets a store that fails now work again: what is alive is rewritten.
func (r *rig) storeIsBack() {
	r.input("storeback", func(m *mcp.Client, now engine.Time) {
		m.StoreGone(now, durable.ReasonLost)
		m.Stored(now, 0, journal.ResultOK, 0)
	})
}
