//go:build !js

package peer

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"sync"
)

// The keys under which every modern request describes itself (2026-07-28
// basic/index, _meta), and the one that marks what a subscription carries.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaLogLevel     = "io.modelcontextprotocol/logLevel"
	metaServer       = "io.modelcontextprotocol/serverInfo"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// modern is what a 2026-07-28 server remembers, which for the protocol is
// nothing: requests under way, and notes to judge the client by.
type modern struct {
	mu        sync.Mutex
	live      map[*run]struct{}
	cancelled map[string]int
	rounds    map[string]round // by requestState
	lost      map[string][]byte
}

func (m *modern) add(r *run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live == nil {
		m.live = make(map[*run]struct{})
	}
	m.live[r] = struct{}{}
}

func (m *modern) remove(r *run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.live, r)
}

func (m *modern) all() []*run {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Keys(m.live))
}

// forget ends every request under way.
func (m *modern) forget() {
	for _, r := range m.all() {
		r.session.close()
	}
}

// count notes that a call was cancelled; its key is the tool's name, or the
// method.
func (m *modern) count(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cancelled == nil {
		m.cancelled = make(map[string]int)
	}
	m.cancelled[key]++
}

// Cancelled is how often the client cancelled a call of a tool (or a request of
// that method): by notifications/cancelled on a legacy server, by closing the
// response on a modern one. What a script, CutStreams or Down cut does not
// count. A late or repeated cancellation does not either.
func (p *Peer) Cancelled(name string) int {
	p.modern.mu.Lock()
	defer p.modern.mu.Unlock()
	return p.modern.cancelled[name]
}

// Await returns true once ok does, false when ctx ends first. ok runs again
// whenever something that the Peer shows has changed.
func (p *Peer) Await(ctx context.Context, ok func() bool) bool { return p.changed.await(ctx, ok) }

// modernOnly reports whether the Peer knows no initialize.
func (p *Peer) modernOnly() bool {
	return p.opts.Revision == Revision20260728 && p.opts.Legacy == ""
}

// legacy is the newest revision that initialize can get.
func (p *Peer) legacy() string {
	if p.opts.Revision == Revision20260728 {
		return p.opts.Legacy
	}
	return p.opts.Revision
}

// describesItself decides the era of a POST: a dual-era server serves what
// carries modern _meta statelessly (basic/versioning, compatibility matrix).
func (p *Peer) describesItself(r *http.Request, m envelope) bool {
	if p.opts.Revision != Revision20260728 {
		return false
	}
	return p.modernOnly() || field(m.params, "_meta", metaVersion) != nil ||
		r.Header.Get("Mcp-Protocol-Version") == Revision20260728
}

// supported lists the revisions of the server, newest first.
func (p *Peer) supported() []string {
	all := []string{Revision20260728}
	for _, revision := range known {
		if p.opts.Legacy >= revision {
			all = append(all, revision)
		}
	}
	return all
}

func (p *Peer) discoverResult() string {
	result := map[string]any{
		"supportedVersions": p.supported(),
		"capabilities":      json.RawMessage(p.capabilities(Revision20260728)),
	}
	if p.opts.Candidate {
		result["serverInfo"] = p.serverInfo()
	} else {
		result["_meta"] = map[string]any{metaServer: p.serverInfo()}
	}
	if p.opts.Instructions != "" {
		result["instructions"] = p.opts.Instructions
	}
	return quote(result)
}
