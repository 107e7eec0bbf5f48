//go:build !js

// Package demosite is the demo as one http.Handler: the built web/dist, an MCP
// server at /mcp (package gosdk), one at /plain that answers in one piece and
// can resume nothing, one at /tasks whose calls take long and one at /resume that goes
// on with them by a token or a task (package peer), an ACP agent at /acp that plays
// parts (package acppeer), an MCP server at /private that wants a sign-in, with the authorization
// server for it at /as (package authserver), and controls that break their connections on purpose. The demo
// command serves it; tests mount it on an origin of their own:
//
//	site, err := demosite.New(demosite.Options{})
//	web := httptest.NewServer(site)
//	... open web.URL in a browser; site.MCP().CutStreams() ...
//
// Controls are POSTs that answer {"ok": bool, "what": "..."}, and how long it lasts
// as "ms" where it has an end:
//
//	/control/cut                        drop every connection to the servers now
//	/control/restart                    forget sessions, tools, tasks, events and notes;
//	                                    /resume forgets its sessions alone
//	/control/down?ms=5000               refuse the servers for a while
//	/control/up                         end that early
//	/control/cut-every?ms=2000&for=60000  drop again and again; for=0 stops
//	/control/hour?ms=8000               refuse them for an hour by the clock of /tasks
//
// GET /visit is the page that the tool harbour_pass sends people to.
package demosite

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/demosite/authserver"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
	"github.com/holdfast-mcp/holdfast/e2e/internal/cuts"
	"github.com/holdfast-mcp/holdfast/e2e/internal/gate"
	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// Options choose what the site is made of.
type Options struct {
	// Dist is the folder with the built module and demo page; "" means web/dist
	// beside go.mod.
	Dist string
	// Hour is the real time that a simulated hour takes; 0 means 8 s.
	Hour time.Duration
	// Haste is how many times faster than a person reads aloud the agent speaks, and than they are
	// asked to the tools of /private go; 0 means 1.
	Haste float64
	// MCP are the options of the embedded server.
	MCP gosdk.Options
}

// A Site is the demo. Close it when its HTTP server has stopped or is about to.
type Site struct {
	mux    *http.ServeMux
	mcp    *gosdk.Server
	plain  *gosdk.Server
	tasks  *peer.Peer
	resume *peer.Peer // behind /resume
	agent  *acppeer.Peer
	// behind /private, and whom it trusts
	private *gosdk.Server
	signIns *authserver.Server

	ctx  context.Context
	stop context.CancelFunc
	work sync.WaitGroup

	taskCuts  cuts.Cuts // of /tasks and /resume
	agentCuts cuts.Cuts
	lookups   gate.Gate
	hour      time.Duration

	mu        sync.Mutex
	inHour    bool
	downUntil time.Time
	endCuts   context.CancelFunc // of the cut-every that runs; nil if none
}

// New makes a site, or says that the page has not been built.
func New(o Options) (*Site, error) {
	if o.Dist == "" {
		root, err := moduleroot.Find()
		if err != nil {
			return nil, err
		}
		o.Dist = filepath.Join(root, "web", "dist")
	}
	files := os.DirFS(o.Dist)
	for _, name := range []string{"holdfast.mjs", "holdfast.wasm", "holdfast-agents.wasm",
		"demo/index.html"} {
		if _, err := fs.Stat(files, name); err != nil {
			return nil, fmt.Errorf("%s is not there: run `make build` first",
				filepath.Join(o.Dist, filepath.FromSlash(name)))
		}
	}
	plain := gosdk.Options{JSON: true,
		Instructions: "The same tools, each answered in one piece: nothing of a call can be resumed."}
	s := &Site{mux: http.NewServeMux(), mcp: gosdk.New(o.MCP), plain: gosdk.New(plain), tasks: newTasks(),
		resume: newResume(), agent: newAgent(cmp.Or(o.Haste, 1)), hour: cmp.Or(o.Hour, usualHour)}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.mux.Handle("/mcp", s.unlessDown(s.mcp))
	s.mux.Handle("/plain", s.unlessDown(s.plain))
	tasks := slowLookup(s.tasks, &s.lookups)
	s.mux.Handle("/tasks", s.unlessDown(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.taskCuts.Serve(tasks, w, r)
	})))
	s.mux.Handle("/resume", s.unlessDown(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.taskCuts.Serve(s.resume, w, r)
	})))
	s.mux.Handle("/acp", s.unlessDown(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.agentCuts.Serve(s.agent, w, r)
	})))
	s.addSignIn(o.Haste)
	s.mux.HandleFunc("GET /visit", visit)
	s.mux.Handle("/", pages(files))
	s.addControls()
	return s, nil
}

// ServeHTTP serves the page, the endpoint and the controls.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// MCP is the server behind /mcp.
func (s *Site) MCP() *gosdk.Server { return s.mcp }

// Plain is the server behind /plain.
func (s *Site) Plain() *gosdk.Server { return s.plain }

// Tasks is the server behind /tasks.
func (s *Site) Tasks() *peer.Peer { return s.tasks }

// Resume is the server behind /resume.
func (s *Site) Resume() *peer.Peer { return s.resume }

// Lookups is where the server behind /tasks stops, while a test holds it, before it
// looks for parts that were lost on the way; else everything passes.
func (s *Site) Lookups() *gate.Gate { return &s.lookups }

// Private is the server behind /private, which wants a sign-in.
func (s *Site) Private() *gosdk.Server { return s.private }

// Agent is the agent behind /acp.
func (s *Site) Agent() *acppeer.Peer { return s.agent }

// cut drops the connections to the servers and returns how many there were.
func (s *Site) cut() int {
	return s.mcp.CutStreams() + s.plain.CutStreams() + s.private.CutStreams() + s.taskCuts.All() +
		s.agentCuts.All()
}

// Close stops tools and controls and drops the connections to the servers.
func (s *Site) Close() {
	s.stop()
	s.work.Wait()
	s.mcp.Close()
	s.plain.Close()
	s.private.Close()
	s.tasks.Close()
	s.resume.Close()
	s.agent.Close()
}

// unlessDown drops the connection unanswered while the site is down: to a
// browser a server that refuses and one that hangs up look the same.
func (s *Site) unlessDown(server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		down := s.inHour || time.Now().Before(s.downUntil)
		s.mu.Unlock()
		if down {
			panic(http.ErrAbortHandler)
		}
		server.ServeHTTP(w, r)
	})
}
