//go:build !js

package peer

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// The errors of the modern era (2026-07-28 basic/index, error codes) and the
// numbers that the release candidate gave them.
const (
	headerMismatch     = -32020
	missingCapability  = -32021
	unsupportedVersion = -32022
)

func (p *Peer) code(modern int) int {
	if p.opts.Candidate {
		return map[int]int{headerMismatch: -32001, missingCapability: -32003,
			unsupportedVersion: -32004}[modern]
	}
	return modern
}

func (p *Peer) mismatch(format string, args ...any) *refusal {
	return &refusal{
		status: http.StatusBadRequest, code: p.code(headerMismatch),
		message: "Header mismatch: " + fmt.Sprintf(format, args...), violation: true,
	}
}

// checkModern finds the reason to refuse a request, in the order of what a
// server can know: version, _meta, method, name, tool.
func (p *Peer) checkModern(r *http.Request, m envelope) *refusal {
	versions := r.Header.Values("Mcp-Protocol-Version")
	if len(versions) == 0 {
		bad := p.mismatch("MCP-Protocol-Version is required")
		if m.method == "initialize" {
			// Legacy clients have no fall-forward: name what would work.
			bad.message += "; this server supports " + strings.Join(p.supported(), ", ")
			bad.violation = false
		}
		return bad
	}
	if bad := p.checkMeta(m); bad != "" {
		return &refusal{status: http.StatusBadRequest, code: -32602, message: bad, violation: true}
	}
	version := text(m.params, "_meta", metaVersion)
	if len(versions) != 1 || versions[0] != version {
		return p.mismatch("MCP-Protocol-Version %q, body %q", versions, version)
	}
	if version != Revision20260728 {
		return &refusal{
			status: http.StatusBadRequest, code: p.code(unsupportedVersion),
			message: "Unsupported protocol version",
			data:    quote(map[string]any{"supported": p.supported(), "requested": version}),
		}
	}
	if methods := r.Header.Values("Mcp-Method"); len(methods) != 1 || methods[0] != m.method {
		return p.mismatch("Mcp-Method %q, body %q", methods, m.method)
	}
	if source, ok := named[m.method]; ok {
		want := text(m.params, source)
		if got, err := mirrored(r.Header, "Mcp-Name"); err != nil {
			return p.mismatch("Mcp-Name %v", err)
		} else if got != want {
			return p.mismatch("Mcp-Name %q, body %q", got, want)
		}
	}
	if m.method != "tools/call" {
		return p.checkTaskIDs(m)
	}
	t := p.tools.find(text(m.params, "name"))
	if t == nil {
		return nil // answered in band
	}
	if bad := p.checkParams(r.Header, t, field(m.params, "arguments")); bad != nil {
		return bad
	}
	return p.checkCapabilities(t, m)
}

// named tells which parameter Mcp-Name mirrors; the last three are those of
// the tasks extension.
var named = map[string]string{
	"tools/call": "name", "prompts/get": "name", "resources/read": "uri",
	"tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId",
}

// checkMeta says what a request's _meta lacks.
func (p *Peer) checkMeta(m envelope) string {
	switch {
	case text(m.params, "_meta", metaVersion) == "":
		return "_meta has no " + metaVersion
	case !object(field(m.params, "_meta", metaCapabilities)):
		return "_meta has no " + metaCapabilities
	case p.opts.Candidate && text(m.params, "_meta", metaClient, "name") == "":
		return "_meta has no " + metaClient
	}
	return ""
}

// checkTaskIDs: a subscription may name tasks only with the tasks extension.
func (p *Peer) checkTaskIDs(m envelope) *refusal {
	const required = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	if m.method != "subscriptions/listen" || field(m.params, "notifications", "taskIds") == nil ||
		covers(field(m.params, "_meta", metaCapabilities), []byte(required)) {
		return nil
	}
	return &refusal{
		status: http.StatusBadRequest, code: p.code(missingCapability),
		message: "taskIds needs the tasks extension",
		data:    `{"requiredCapabilities":` + required + `}`, violation: true,
	}
}

func (p *Peer) checkCapabilities(t *tool, m envelope) *refusal {
	if t.requires == "" || covers(field(m.params, "_meta", metaCapabilities), []byte(t.requires)) {
		return nil
	}
	return &refusal{
		status: http.StatusBadRequest, code: p.code(missingCapability),
		message: t.name + " requires a capability that the client has not declared",
		data:    `{"requiredCapabilities":` + t.requires + `}`,
	}
}

// covers reports whether have holds every key of want, at every depth.
func covers(have, want []byte) bool {
	for key, inner := range members(want) {
		mine, ok := members(have)[key]
		if !ok || !covers(mine, inner) {
			return false
		}
	}
	return true
}

// mirrored reads a header that carries a body value (value encoding): once,
// in visible ASCII, base64 between the sentinels.
func mirrored(h http.Header, name string) (string, error) {
	all := h.Values(name)
	if len(all) != 1 {
		return "", fmt.Errorf("is there %d times", len(all))
	}
	value := all[0]
	if strings.IndexFunc(value, func(c rune) bool { return c != '\t' && (c < ' ' || c > '~') }) >= 0 {
		return "", fmt.Errorf("has invalid characters: %q", value)
	}
	if coded, ok := strings.CutPrefix(value, "=?base64?"); ok {
		if coded, ok = strings.CutSuffix(coded, "?="); ok {
			plain, err := base64.StdEncoding.DecodeString(coded)
			return string(plain), err
		}
	}
	return value, nil
}

// removed are the methods of older revisions that this one has not.
var removed = []string{"ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
	"tasks/result", "tasks/list"}

// judgeModern notes what a client should not have done though it can be served.
func (p *Peer) judgeModern(r *http.Request, m envelope) {
	for _, name := range []string{"Mcp-Session-Id", "Last-Event-Id"} {
		if r.Header.Get(name) != "" {
			p.log.violation("%s: %s on a modern request", m.method, name)
		}
	}
	if slices.Contains(removed, m.method) {
		p.log.violation("%s: not a method of %s", m.method, Revision20260728)
	}
	if info := field(m.params, "_meta", metaClient); info != nil &&
		(text(info, "name") == "" || text(info, "version") == "") {
		p.log.violation("%s: clientInfo is %s", m.method, info)
	}
	if m.id[0] != '"' && strings.ContainsAny(m.id, ".eE{[tfn") {
		p.log.violation("%s: id %s is neither string nor integer", m.method, m.id)
	}
	lost := p.modern.wasLost(m)
	for _, other := range p.modern.all() {
		switch {
		case other.id != m.id || other.answered.Load():
		case other.post.ours.Load():
			lost = lost || sense(envelope{method: other.method, params: other.params}) == sense(m)
		default:
			p.log.violation("%s: id %s belongs to a request under way", m.method, m.id)
		}
	}
	if lost {
		p.log.violation("%s: id %s again for a request that was lost", m.method, m.id)
	}
	p.judgeRound(m)
}
