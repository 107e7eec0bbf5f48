//go:build !js

package acppeer

import (
	"encoding/json"
	"fmt"
	"strings"
)

// connect makes a connection, over HTTP or a WebSocket.
func (p *Peer) connect(s *socket) *connection {
	c := &connection{boxes: make(map[string]*outbox), socket: s}
	p.change(func() {
		p.made++
		c.id = p.connectionID(p.made)
		p.connections[c.id] = c
	})
	return c
}

// initialize negotiates and returns the answer.
func (p *Peer) initialize(c *connection, m message) string {
	var params struct{ ProtocolVersion int }
	json.Unmarshal(m.Params, &params)
	p.mu.Lock()
	c.version = min(max(params.ProtocolVersion, 1), p.opts.Version)
	p.mu.Unlock()
	var members []string
	if p.opts.OptIn != "" {
		members = append(members, `"_meta":`+p.opts.OptIn)
	}
	if p.opts.ConnectionInResult {
		members = append(members, `"connectionId":`+quote(c.id))
	}
	capabilities := p.opts.Capabilities
	info := `{"name":"acppeer","version":"1.0.0"}`
	result := ""
	if c.version == 1 {
		if capabilities == "" {
			capabilities = fmt.Sprintf(
				`{"loadSession":%t,"sessionCapabilities":{"list":{},"close":{},"delete":{}}}`,
				!p.opts.NoResume)
		}
		result = fmt.Sprintf(`{"protocolVersion":1,"agentInfo":%s,"agentCapabilities":%s,"authMethods":[]}`,
			info, capabilities)
	} else {
		if capabilities == "" {
			capabilities = `{"session":{"prompt":{},"delete":{}}}`
		}
		result = fmt.Sprintf(`{"protocolVersion":2,"info":%s,"capabilities":%s,"authMethods":[]}`, info,
			capabilities)
	}
	return success(m.ID, p.said("initialize", with(result, strings.Join(members, ","))))
}

// said is the result of a method as Options.Answer has it.
func (p *Peer) said(method, result string) string {
	if p.opts.Answer == nil {
		return result
	}
	return p.opts.Answer(method, result)
}

// v2 reports whether turns go by v2: prompts are acknowledged, states end turns.
func (p *Peer) v2(c *connection) bool { return c.version == 2 || p.opts.OptIn != "" }

// receive does what a message says. What it answers goes on the streams.
func (p *Peer) receive(c *connection, m message, header string) {
	reply := func(stream,
		result string) {
		p.change(func() { p.push(c, stream, success(m.ID, result), nil) })
	}
	refuse := func(stream string, code int, why string) {
		p.change(func() { p.push(c, stream, failure(m.ID, code, why), nil) })
	}
	if m.Method == "" {
		p.answered(c, m, header)
		return
	}
	id := m.session()
	p.mu.Lock()
	s := p.sessions[id]
	p.mu.Unlock()
	switch m.Method {
	case "session/new":
		p.newSession(c, m)
		return
	case "session/list":
		reply("", p.said("session/list", p.list()))
		return
	case "$/cancel_request":
		p.withdrawn(c, m)
		return
	case "session/cancel":
		if s != nil {
			s.cancel()
		}
		return
	case "session/close", "session/delete", "session/prompt", "session/resume", "session/load",
		"session/set_config_option":
	default:
		if m.ID != nil {
			refuse(header, -32601, "Method not found")
		}
		return
	}
	if s == nil {
		refuse(id, -32002, "Resource not found")
		return
	}
	switch m.Method {
	case "session/close":
		s.cancel()
		p.change(func() { delete(s.attached, c) })
		reply(id, "{}")
	case "session/delete":
		s.cancel()
		p.change(func() { delete(p.sessions, id) })
		reply(id, "{}")
	case "session/set_config_option":
		reply(id, `{"configOptions":[]}`)
	case "session/prompt":
		p.prompt(c, s, m)
	case "session/load":
		if p.opts.NoResume || c.version == 2 {
			refuse("", -32601, "Method not found")
			return
		}
		p.replay(c, s, !p.opts.NoReplay)
		reply("", "{}") // the connection's stream, in v1
	case "session/resume":
		if p.opts.NoResume {
			refuse(id, -32601, "Method not found")
			return
		}
		p.resume(c, s, m)
		reply(id, "{}")
	}
}
