//go:build !js

package peer

import (
	"encoding/json"
	"slices"
)

// known are the legacy revisions, newest first.
var known = []string{Revision20251125, Revision20250618, Revision20250326, Revision20241105}

// serverInfo is who the Peer says it is.
func (p *Peer) serverInfo() map[string]any {
	about := map[string]any{"name": "scripted-peer", "version": "1.0.0"}
	if p.opts.Title != "" {
		about["title"] = p.opts.Title
	}
	return about
}

// negotiate picks the revision of a session: what the client asks for if this
// Peer speaks it, otherwise the newest it does.
func (p *Peer) negotiate(m envelope) string {
	asked := text(m.params, "protocolVersion")
	if slices.Contains(known, asked) && asked <= p.legacy() {
		return asked
	}
	return p.legacy()
}

func (p *Peer) initializeResult(s *session) string {
	result := map[string]any{
		"protocolVersion": s.revision,
		"capabilities":    json.RawMessage(p.capabilities(s.revision)),
		"serverInfo":      p.serverInfo(),
	}
	if p.opts.Instructions != "" {
		result["instructions"] = p.opts.Instructions
	}
	return quote(result)
}

// scriptFor finds what answers a request, and whether as JSON; nil if nothing
// does.
func (p *Peer) scriptFor(s *session, m envelope) (Script, bool) {
	p.rules.mu.Lock()
	form, formed := p.rules.form[m.method]
	own := p.rules.scripts[m.method]
	p.rules.mu.Unlock()
	asJSON := form == JSON || !formed && m.method != "tools/call" && m.method != "subscriptions/listen" &&
		m.method != "tasks/result"
	call := Call{
		Arguments: m.params, ID: m.id, Revision: s.revision, Meta: field(m.params, "_meta"),
		InputResponses: field(m.params, "inputResponses"), RequestState: text(m.params, "requestState"),
	}
	switch m.method {
	case "tools/call", "prompts/get":
		call.Name, call.Arguments = text(m.params, "name"), field(m.params, "arguments")
	case "resources/read":
		call.Name = text(m.params, "uri")
	}
	switch {
	case own != nil:
		if m.method == "tools/call" {
			p.oracle.start(s, m, &call)
			call.Arguments = m.params
		}
		return own(call), asJSON
	case m.method == "tools/call":
		if refusal := p.refuseTask(s, m, call.Name); refusal != nil {
			return refusal, asJSON
		}
		t, n := p.tools.start(call.Name)
		if t == nil {
			return Script{Error(-32602, "unknown tool "+call.Name)}, asJSON
		}
		call.N = n
		p.oracle.start(s, m, &call)
		p.changed.signal()
		if script := p.taskScript(s, m, t, call); script != nil {
			return script, asJSON || t.json
		}
		return t.script(call), asJSON || t.json
	case s.revision == Revision20260728:
		if script := p.modernScript(m); script != nil {
			return script, asJSON
		}
	default:
		if script := p.legacyScript(s, m); script != nil {
			return script, asJSON
		}
	}
	return p.featureScript(m, call), asJSON
}

// legacyScript answers the methods that only older revisions have.
func (p *Peer) legacyScript(s *session, m envelope) Script {
	switch m.method {
	case "initialize":
		return Script{Result(p.initializeResult(s))}
	case "ping":
		return Script{Result(`{}`)}
	case "logging/setLevel":
		s.mu.Lock()
		s.level = text(m.params, "level")
		s.mu.Unlock()
		return Script{Result(`{}`)}
	case "resources/subscribe", "resources/unsubscribe":
		s.subscribe(text(m.params, "uri"), m.method == "resources/subscribe")
		return Script{Result(`{}`)}
	}
	return p.losing(m, p.taskMethod(s, m))
}

// modernScript answers the methods that are new in 2026-07-28.
func (p *Peer) modernScript(m envelope) Script {
	switch m.method {
	case "server/discover":
		return Script{Result(p.discoverResult())}
	case "subscriptions/listen":
		return listenScript
	}
	return p.losing(m, p.extensionMethod(m))
}

// featureScript answers the methods that all revisions share.
func (p *Peer) featureScript(m envelope, c Call) Script {
	switch m.method {
	case "tools/list":
		return p.page(m, "tools", p.tools.describe(c.Revision))
	case "resources/list":
		return p.page(m, "resources", p.resourceEntries())
	case "resources/templates/list":
		return p.page(m, "resourceTemplates", p.templateEntries())
	case "resources/read":
		return p.readScript(c)
	case "prompts/list":
		return p.page(m, "prompts", p.promptEntries())
	case "prompts/get":
		return p.promptScript(c)
	case "completion/complete":
		return p.completeScript(c)
	}
	return nil
}
