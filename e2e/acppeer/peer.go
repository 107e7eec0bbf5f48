//go:build !js

package acppeer

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/internal/oldport"
)

// patience bounds every wait that has no context of its own. Only a real hang
// reaches it.
const patience = 60 * time.Second

// Options choose what kind of agent a Peer is. The zero value speaks the newest
// draft of v2 as the official server does: events without ids, updates buffered
// while nobody receives, 409 for a second receiver, open CORS.
type Options struct {
	// Version is the newest protocol version spoken; 0 means 2. A client that
	// asks for less gets that.
	Version int
	// EmptyAck answers session/prompt with {} as the drafts up to August do, and
	// not with {"messageId": ...}.
	EmptyAck bool
	// State is the discriminator of state notifications; "" means state_update.
	// The first draft says state_change.
	State string
	// OptIn is the _meta object of the answer to initialize, and with Version 1
	// makes an agent that sends v2 updates all the same: prompts are acknowledged,
	// states end turns.
	OptIn string
	// Capabilities is the JSON object sent by initialize; "" means one that fits
	// the version.
	Capabilities string
	// Answer changes the result of initialize, session/new or session/list before
	// it leaves; nil leaves it as it is.
	Answer func(method, result string) string
	// NoReplay answers session/resume without any replay, NoResume with -32601;
	// in v1 the latter means session/load, and loadSession is not advertised.
	NoReplay, NoResume bool
	// Early are updates that leave before the answer to session/new, on the
	// session's stream; on the connection's if EarlyOnConnection.
	Early             []string
	EarlyOnConnection bool
	// EventIDs numbers events and replays from Last-Event-ID.
	EventIDs bool
	// NoBuffer loses what is sent while nobody receives.
	NoBuffer bool
	// NewestWins ends the receiver of before instead of answering 409.
	NewestWins bool
	// ForgetOnCut gives up on a connection as soon as one of its streams is cut.
	ForgetOnCut bool
	// ConnectionInResult puts connectionId in initialize's result as well, as the
	// transport's draft has it and the official server has not.
	ConnectionInResult bool
	// KeepAlive is the interval of comment lines on open streams; 0 means none.
	KeepAlive time.Duration
	// Prefix goes before the ids of connections and sessions, so that an agent that
	// is started again does not hand out those that clients still have.
	Prefix string
	// CORS is what browsers of other origins are told.
	CORS CORS
}

// A Peer is one scripted agent on a loopback port of its own. All its methods may
// be called from any goroutine.
type Peer struct {
	t    reporter
	opts Options
	addr string
	ctx  context.Context
	stop context.CancelFunc
	work sync.WaitGroup

	mu          sync.Mutex // guards everything below
	moved       chan struct{}
	server      *http.Server
	conns       map[net.Conn]struct{}
	connections map[string]*connection
	made        int // connections, over all times
	sessions    map[string]*session
	order       []string // their ids
	questions   map[string]*Question
	asked       int
	gates       map[string]*gate
	requests    []*Request
	rules       []*Rule
	cuts        *dice
	limits      []limit
	onPrompt    func(*Turn)
	answers     []Answer
	cancelled   []string // requests, by connection and id
}

// New starts a Peer on a free loopback port and closes it when t ends.
func New(t testing.TB, o Options) *Peer {
	t.Helper()
	p := prepare(t, o)
	p.Up()
	t.Cleanup(p.Close)
	return p
}

// prepare makes a Peer that nobody can reach.
func prepare(t reporter, o Options) *Peer {
	if o.Version == 0 {
		o.Version = 2
	}
	if o.State == "" {
		o.State = "state_update"
	}
	p := &Peer{
		t: t, opts: o, moved: make(chan struct{}), connections: make(map[string]*connection),
		sessions: make(map[string]*session), questions: make(map[string]*Question),
		gates:    make(map[string]*gate),
		onPrompt: Commands,
	}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// URL is the endpoint's address. It stays the same over Down and Up.
func (p *Peer) URL() string { return "http://" + p.addr + "/acp" }

// WebSocketURL is the same endpoint's address for WebSockets.
func (p *Peer) WebSocketURL() string { return "ws://" + p.addr + "/acp" }

type connKey struct{}

// Up listens, on the same port as before if there was one.
func (p *Peer) Up() {
	p.t.Helper()
	listener, err := oldport.Listen(p.ctx, p.addr, patience)
	if err != nil {
		p.t.Fatalf("acppeer: %v", err)
	}
	p.addr = listener.Addr().String()
	server := &http.Server{
		Handler: http.HandlerFunc(p.serve),
		ConnContext: func(ctx context.Context,
			c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
		ConnState: p.track,
	}
	p.change(func() { p.server, p.conns = server, make(map[net.Conn]struct{}) })
	p.work.Add(1)
	go func() {
		defer p.work.Done()
		server.Serve(listener)
	}()
}

func (p *Peer) track(c net.Conn, state http.ConnState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch state {
	case http.StateNew:
		p.conns[c] = struct{}{}
	case http.StateClosed:
		delete(p.conns, c)
	}
}

// Down closes the port and resets every TCP connection. Connections and sessions
// of the protocol live on; see Forget.
func (p *Peer) Down() {
	p.mu.Lock()
	server, conns := p.server, p.conns
	for c := range conns {
		reset(c)
	}
	for _, c := range p.connections {
		if c.socket != nil {
			reset(c.socket.conn)
		}
	}
	p.mu.Unlock()
	if server != nil { // a mounted Peer has none
		server.Close()
	}
}

// Close ends everything. New arranges for it; calling it twice is fine.
func (p *Peer) Close() {
	p.stop()
	p.Down()
	p.work.Wait()
}

// Forget gives up on a connection, or on all if id is "": what comes for it gets
// 404. Sessions live on.
func (p *Peer) Forget(id string) {
	p.change(func() {
		for _, c := range p.connections {
			if id == "" || c.id == id {
				p.drop(c)
			}
		}
	})
}

// Connections are the ids of those that live, oldest first.
func (p *Peer) Connections() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for n := range p.made {
		if id := p.connectionID(n + 1); p.connections[id] != nil {
			all = append(all, id)
		}
	}
	return all
}

func (p *Peer) connectionID(n int) string { return fmt.Sprintf("%sconnection-%d", p.opts.Prefix, n) }

// change does something to what the mutex guards and wakes everybody who waits.
func (p *Peer) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	close(p.moved)
	p.moved = make(chan struct{})
}

// await returns true once ok does, false when ctx or the Peer ends first. ok runs
// with the mutex held.
func (p *Peer) await(ctx context.Context, ok func() bool) bool {
	for {
		p.mu.Lock()
		yes, moved := ok(), p.moved
		p.mu.Unlock()
		if yes {
			return true
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return false
		case <-p.ctx.Done():
			return false
		}
	}
}
