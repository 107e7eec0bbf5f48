//go:build !js

package peer

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/internal/authority"
)

// patience bounds every wait that has no context of its own. It is far above
// what a healthy run needs, so that only a real hang reaches it.
const patience = 60 * time.Second

// The protocol revisions that a Peer can speak, newest first: the modern one
// (spec 3.1), those of legacy Streamable HTTP (3.2) and HTTP+SSE (3.3).
const (
	Revision20260728 = "2026-07-28"
	Revision20251125 = "2025-11-25"
	Revision20250618 = "2025-06-18"
	Revision20250326 = "2025-03-26"
	Revision20241105 = "2024-11-05"
)

// Options choose what kind of server a Peer is. The zero value is a
// well-behaved 2025-11-25 server with sessions, an event store, a standalone
// GET stream and open CORS.
type Options struct {
	// Revision is the newest revision spoken; "" means 2025-11-25. A client
	// that asks for an older known one gets that one. 2026-07-28 is a modern
	// server, which has no sessions and answers 405 to GET and DELETE, unless
	// Legacy says more. 2024-11-05 is an HTTP+SSE server.
	Revision string
	// Legacy, next to Revision 2026-07-28, makes the server dual-era: whoever
	// opens with initialize gets this revision or an older one. "" means none.
	Legacy string
	// Candidate makes a modern server speak the release candidate of 2026-05:
	// error codes -32001, -32003 and -32004, serverInfo at the top level of
	// discover without cache hints, clientInfo required, no result at the end
	// of a subscription.
	Candidate bool
	// Sessionless servers hand out no Mcp-Session-Id and ask for none.
	Sessionless bool
	// NoStandalone answers 405 to a GET without Last-Event-ID.
	NoStandalone bool
	// NoEventIDs is a server without event store: events carry no id and a
	// GET with Last-Event-ID gets 400.
	NoEventIDs bool
	// NoResume gives events their ids and answers 405 to every GET all the same:
	// nothing comes of the cursors that the client keeps.
	NoResume bool
	// NoReuse closes every TCP connection after one answer. Chrome resends a
	// request by itself, POSTs included, when a reused connection dies before
	// the headers: one fetch of a tools/call ran its tool three times here. On a
	// fresh connection it does not, so tests that cut before the headers choose
	// which of the two they mean.
	NoReuse bool
	// IgnoreCancel lets scripts go on after notifications/cancelled.
	IgnoreCancel bool
	// Conflict answers 409 to a GET for a stream that another connection still
	// carries, as the official SDKs do; without it the newest connection wins.
	Conflict bool
	// KeepAlive is the interval of comment lines on every open event stream;
	// 0 means none.
	KeepAlive time.Duration
	// CRLF ends the lines of events with carriage return and line feed.
	CRLF bool
	// PageSize is the number of entries per answer to a list request; 0 means
	// all. See also Paging.
	PageSize int
	// Capabilities is the JSON object sent by initialize and server/discover;
	// "" means tools, logging and whatever features were added by then.
	Capabilities string
	// Instructions is the server's text for the model, sent by initialize and
	// server/discover.
	Instructions string
	// Title is the one in serverInfo; "" leaves it out.
	Title string
	// Path of the endpoint; "" means "/mcp", for HTTP+SSE "/sse".
	Path string
	// HTTPSSE is how a server of revision 2024-11-05 opens its stream.
	HTTPSSE HTTPSSE
	// CORS is what browsers of other origins are told.
	CORS CORS
	// TLS serves https with these certificates, over HTTP/2 where the client knows it.
	TLS *tls.Config
	// HTTP1, next to TLS, leaves HTTP/2 out.
	HTTP1 bool
	// Site serves every path but the endpoint, on the same origin; nil means
	// 404. Pages that must not need CORS live here.
	Site http.Handler
}

// A Peer is one scripted MCP server on a loopback port of its own. All its
// methods may be called from any goroutine.
type Peer struct {
	t       reporter
	opts    Options
	addr    string
	ctx     context.Context
	stop    context.CancelFunc
	changed changes
	gates   gates
	log     requestLog
	tools   toolbox
	rules   rules
	wire    wire
	home    sessions
	modern  modern
	shelf   shelf
	seed    *SeedOptions // nil unless made by Seed
	oracle  Oracle
	clock   clock
	tasks   taskList

	streamSeq atomic.Int64 // numbers streams over all sessions: s1, s2, ...
	open      atomic.Int64 // event streams whose headers have left
	work      sync.WaitGroup

	lifeMu  sync.Mutex // guards server and conns
	server  *http.Server
	mounted bool // on somebody else's server
	conns   map[net.Conn]struct{}
}

// A reporter hears what a Peer cannot go on with.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// New starts a Peer on a free loopback port and closes it when t ends. The
// default tools echo, add and slow are there from the start.
func New(t testing.TB, o Options) *Peer {
	t.Helper()
	if o.Revision == "" {
		o.Revision = Revision20251125
	}
	if OverHTTP2() && o.TLS == nil {
		o.TLS = authority.Own().Server()
	}
	if o.Path == "" {
		o.Path = "/mcp"
		if o.Revision == Revision20241105 {
			o.Path = "/sse"
		}
	}
	return start(t, &Peer{t: t, opts: o})
}

// OverHTTP2 reports whether Peers are served over TLS with HTTP/2 where their test says
// nothing of it: HOLDFAST_WIRE is "h2". The certificate is of the authority of this process.
func OverHTTP2() bool { return os.Getenv("HOLDFAST_WIRE") == "h2" }

func start(t testing.TB, p *Peer) *Peer {
	t.Helper()
	p.prepare()
	p.addDefaultTools()
	p.Up()
	t.Cleanup(p.Close)
	return p
}

func (p *Peer) prepare() {
	p.conns = make(map[net.Conn]struct{})
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.gates.changed = &p.changed
	p.log.changed = &p.changed
	p.oracle.p = p
}

// URL is the endpoint's address. It stays the same over Down, Up and Restart.
func (p *Peer) URL() string { return p.Origin() + p.opts.Path }

// Origin is the web origin of the endpoint, without a trailing slash.
func (p *Peer) Origin() string {
	if p.opts.TLS != nil {
		return "https://" + p.addr
	}
	return "http://" + p.addr
}

// Close ends every script and connection and waits for them. New arranges for
// it; calling it twice is fine.
func (p *Peer) Close() {
	p.stop()
	p.Down()
	p.home.forget()
	p.work.Wait()
}
