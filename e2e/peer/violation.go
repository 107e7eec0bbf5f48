//go:build !js

package peer

import (
	"fmt"
	"net/http"
	"strings"
)

// Violations lists what the client did against the revision it negotiated, as
// this package reads the specification; a story ends with none. Requests that
// a rule of the test answered are not judged further.
func (p *Peer) Violations() []string {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	return append([]string(nil), p.log.wrong...)
}

func (l *requestLog) violation(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wrong = append(l.wrong, fmt.Sprintf(format, args...))
}

// judge looks at what headers a request of a session must and must not have
// (2025-11-25 basic/transports).
func (p *Peer) judge(r *http.Request, s *session, what string) {
	version := r.Header.Get("Mcp-Protocol-Version")
	switch {
	case version == "" && s.revision >= Revision20250618:
		p.log.violation("%s: no MCP-Protocol-Version", what)
	case version != "" && version != s.revision:
		p.log.violation("%s: MCP-Protocol-Version %s, negotiated %s", what, version, s.revision)
	}
	if r.Method == http.MethodPost && r.Header.Get("Last-Event-Id") != "" && what != "POST requests/resume" {
		p.log.violation("%s: Last-Event-ID on a POST", what)
	}
}

// judgeRequest looks at ids and order of requests within a session.
func (p *Peer) judgeRequest(s *session, m envelope) {
	s.mu.Lock()
	again, ready := s.used[m.id], s.ready
	s.used[m.id] = true
	s.mu.Unlock()
	if again {
		p.log.violation("%s: id %s was used before in this session", m.method, m.id)
	}
	if !ready && m.method != "ping" && m.method != "initialize" {
		p.log.violation("%s: before notifications/initialized", m.method)
	}
	if m.id[0] != '"' && strings.ContainsAny(m.id, ".eE{[tfn") {
		p.log.violation("%s: id %s is neither string nor integer", m.method, m.id)
	}
}

// accepts tells whether the Accept header names the media type.
func accepts(r *http.Request, media string) bool {
	for _, line := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(line, ",") {
			name, _, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(name), media) {
				return true
			}
		}
	}
	return false
}
