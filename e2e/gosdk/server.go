//go:build !js

package gosdk

import (
	"cmp"
	"context"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/holdfast-mcp/holdfast/e2e/internal/cuts"
	"github.com/holdfast-mcp/holdfast/e2e/internal/gate"
)

// Options choose how the server behaves. The zero value has sessions and an
// event store and is silent.
type Options struct {
	// Logf gets one line per notable thing that happens in a tool: "slow:
	// began", "slow: cancelled after 2s", "add_note: note 3". nil drops them.
	Logf func(format string, args ...any)
	// Instructions is the text that initialize sends for the model; "" sends
	// one that says what the server is.
	Instructions string
	// JSON answers POSTs with application/json instead of an event stream;
	// nothing can be resumed then.
	JSON bool
	// Stateless serves the modern era, 2026-07-28, which the SDK does without
	// sessions only; older revisions are then served stateless as well. The
	// tools greet (asks for input) and routed (wants its argument in a header)
	// are there in addition.
	Stateless bool
	// Propagate lets a closed response cancel the tool of a modern request. The
	// specification demands it; the SDK does it only when told to.
	Propagate bool
	// SignedIn adds whoami and sign_log, for a server that is mounted behind the
	// SDK's auth.RequireBearerToken.
	SignedIn bool
	// Haste is how many times faster than they are asked to tools go; 0 means 1.
	Haste float64
}

// A Server is the official Go SDK's Streamable HTTP server behind an
// http.Handler that can drop its connections and forget its sessions. It has
// no path of its own: mount it where the endpoint is to be.
type Server struct {
	opts Options
	cuts cuts.Cuts
	gate gate.Gate

	mu  sync.Mutex
	now *generation
}

// A generation is everything that Restart throws away.
type generation struct {
	sdk     *mcp.Server
	handler http.Handler
	gate    *gate.Gate
	ctx     context.Context // tools stop when it ends
	end     context.CancelFunc
	notes   notes
	haste   float64
}

// New makes a server that nobody is connected to.
func New(o Options) *Server {
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.Instructions == "" {
		o.Instructions = "A demonstration server whose calls take long enough to be interrupted."
	}
	s := &Server{opts: o}
	s.now = s.begin()
	return s
}

func (s *Server) begin() *generation {
	g := &generation{gate: &s.gate, haste: cmp.Or(s.opts.Haste, 1)}
	g.ctx, g.end = context.WithCancel(context.Background())
	about := &mcp.ServerOptions{
		Instructions:      s.opts.Instructions,
		CompletionHandler: complete,
		// The prompts stay what they are, unlike the tools: see Announce.
		Capabilities: &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{},
			Prompts: &mcp.PromptCapabilities{}},
	}
	subscriptions(about)
	g.sdk = mcp.NewServer(
		&mcp.Implementation{Name: "holdfast-go-sdk-demo", Title: "Holdfast demo server", Version: "1.0.0"},
		about,
	)
	g.sdk.AddReceivingMiddleware(g.bound)
	s.addTools(g)
	if s.opts.SignedIn {
		addSignedIn(g)
	}
	addResources(g)
	addPrompts(g)
	options := &mcp.StreamableHTTPOptions{
		JSONResponse:                 s.opts.JSON,
		Stateless:                    s.opts.Stateless,
		PropagateRequestCancellation: s.opts.Propagate,
		// Pages come from another loopback origin; Host is loopback too, so the
		// rebinding check stays on.
	}
	if s.opts.Stateless {
		addGreet(g)
		addRouted(g)
	} else {
		options.EventStore = mcp.NewMemoryEventStore(nil)
	}
	g.handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return g.sdk }, options)
	return g
}

// bound ends what a client asked for with the generation: a question that
// nobody answers would keep its session from being closed.
func (g *generation) bound(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(g.ctx, cancel)()
		return next(ctx, method, r)
	}
}

func (s *Server) current() *generation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// ServeHTTP serves the endpoint, CORS included.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if cors(w, r) {
		return
	}
	s.cuts.Serve(s.current().handler, w, r)
}

// CutStreams drops the connection of every answer under way and returns how
// many there were. Browsers see a network error; sessions, running tools and
// the event store live on, so that a client can resume.
func (s *Server) CutStreams() int { return s.cuts.All() }

// OpenStreams is the number of answers under way.
func (s *Server) OpenStreams() int { return s.cuts.Open() }

// Gate is where the tools stop before each delay of theirs while a test holds it,
// over restarts too; else everything passes.
func (s *Server) Gate() *gate.Gate { return &s.gate }

// Restart puts a new server in the place of the old one: connections are
// dropped, running tools stopped, sessions, events and notes forgotten.
func (s *Server) Restart() {
	fresh := s.begin()
	s.mu.Lock()
	old := s.now
	s.now = fresh
	s.mu.Unlock()
	s.stop(old)
}

// Close stops running tools and drops every connection.
func (s *Server) Close() { s.stop(s.current()) }

func (s *Server) stop(g *generation) {
	// Connections first: a tool that was stopped answers with an error result,
	// which nobody is to see.
	s.cuts.All()
	g.end()
	for session := range g.sdk.Sessions() {
		session.Close()
	}
}
