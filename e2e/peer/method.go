//go:build !js

package peer

import (
	"encoding/json"
	"slices"
)

var known = []string{Revision20251125, Revision20250618, Revision20250326}

// negotiate picks the revision of a session: what the client asks for if this
// Peer speaks it, otherwise the newest it does.
func (p *Peer) negotiate(m envelope) string {
	asked := text(m.params, "protocolVersion")
	if slices.Contains(known, asked) && asked <= p.opts.Revision {
		return asked
	}
	return p.opts.Revision
}

func (p *Peer) initializeResult(s *session) string {
	result := map[string]any{
		"protocolVersion": s.revision,
		"capabilities":    json.RawMessage(p.opts.Capabilities),
		"serverInfo":      map[string]any{"name": "scripted-peer", "version": "1.0.0"},
	}
	if p.opts.Instructions != "" {
		result["instructions"] = p.opts.Instructions
	}
	return quote(result)
}

// scriptFor finds what answers a request, and whether as JSON.
func (p *Peer) scriptFor(s *session, m envelope) (Script, bool) {
	p.rules.mu.Lock()
	form, formed := p.rules.form[m.method]
	own := p.rules.scripts[m.method]
	p.rules.mu.Unlock()
	asJSON := form == JSON || !formed && m.method != "tools/call"
	call := Call{Arguments: m.params, ID: m.id, Revision: s.revision}
	if own != nil {
		return own(call), asJSON
	}
	switch m.method {
	case "initialize":
		return Script{Result(p.initializeResult(s))}, asJSON
	case "ping", "logging/setLevel":
		return Script{Result(`{}`)}, asJSON
	case "tools/list":
		page, ok := p.tools.list(text(m.params, "cursor"), p.opts.PageSize)
		if !ok {
			return Script{Error(-32602, "invalid cursor")}, asJSON
		}
		return Script{Result(page)}, asJSON
	case "tools/call":
		call.Name, call.Arguments = text(m.params, "name"), field(m.params, "arguments")
		t, n := p.tools.start(call.Name)
		if t == nil {
			return Script{Error(-32602, "unknown tool "+call.Name)}, asJSON
		}
		call.N = n
		p.changed.signal()
		return t.script(call), asJSON || t.json
	}
	return Script{Error(-32601, "method not found: "+m.method)}, asJSON
}
