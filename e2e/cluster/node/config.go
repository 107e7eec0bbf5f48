package node

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// Config is what a Node is made from. Zero fields mean the default.
type Config struct {
	Log     store.Log
	Records store.Records
	// Bus carries between the nodes what clients say to whoever runs their calls: answers and cancellations.
	// Without one they reach only what runs on the node that they come to.
	Bus *nats.Conn
	// Backend runs the calls.
	Backend Backend
	// Modern serves requests of 2026-07-28, which have no session and are not resumed; none are served by
	// default.
	Modern http.Handler
	// User says who a request is from, authenticated by something in front of the node; "" by default.
	User func(*http.Request) string
	// Lease is how long a node may say nothing before the others go on with its calls; 10 seconds by default.
	Lease time.Duration
	// Reconnect is called while the node has no lease, once for each Lease: where the store is several
	// servers it is to connect to another one. The one that it is connected to may be cut off from the
	// others, and live. Nothing is done by default.
	Reconnect func()
	// KeepAlive is how often a quiet stream gets a comment; 15 seconds by default.
	KeepAlive time.Duration
	// Clock is the node's; time.Now by default. Its times are compared with each other only, never with
	// another node's.
	Clock func() time.Time
	// Logger hears what an operator has to know; nobody by default.
	Logger *slog.Logger
}

// A Backend runs calls.
type Backend interface {
	// Run carries a call out: it appends what there is to say, the answer at last. It returns when that is
	// done, or ctx ends: then somebody else runs the call, or nobody may. An error is answered in its stead.
	Run(ctx context.Context, call *Call) error
	// Said is told of a notification, or an answer, of a client's, and reports whether that has reached whom
	// it was for: else the other nodes are told of it.
	Said(ctx context.Context, session *Session, message []byte) (done bool)
	// Closed is told that a session is over.
	Closed(session string)
}

// A Node is an http.Handler. Close or Kill ends it.
type Node struct {
	cfg Config

	ctx    context.Context // of all that it does
	end    context.CancelFunc
	work   sync.WaitGroup
	subs   []*nats.Subscription
	member member
	runs   sync.Map // the streams of the calls that run here
}

// Start makes a node and has it join the others.
func Start(ctx context.Context, cfg Config) (*Node, error) {
	if cfg.User == nil {
		cfg.User = func(*http.Request) string { return "" }
	}
	if cfg.Lease == 0 {
		cfg.Lease = 10 * time.Second
	}
	if cfg.KeepAlive == 0 {
		cfg.KeepAlive = 15 * time.Second
	}
	if cfg.Reconnect == nil {
		cfg.Reconnect = func() {}
	}
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	n := &Node{cfg: cfg}
	n.ctx, n.end = context.WithCancel(context.Background())
	if err := n.listen(); err != nil {
		return nil, err
	}
	if err := n.join(ctx); err != nil {
		return nil, err
	}
	n.work.Go(n.watch)
	return n, nil
}

// Close leaves: streams end, and the calls that run here are left to the other nodes, at once.
func (n *Node) Close(ctx context.Context) error {
	n.end()
	n.work.Wait()
	for _, s := range n.subs {
		_ = s.Unsubscribe()
	}
	return n.leave(ctx)
}
