//go:build !js

package peer

import (
	"fmt"
	"strings"
)

// cacheable are the methods whose complete results must say how long they keep
// (2026-07-28 server/utilities/caching; schema CacheableResult).
var cacheable = map[string]bool{
	"server/discover": true, "tools/list": true, "prompts/list": true,
	"resources/list": true, "resources/templates/list": true, "resources/read": true,
}

// Cache sets the hints on a method's modern results; scope is "public",
// "private" or whatever else the test wants. Without it they say 0, private.
func (p *Peer) Cache(method string, ttlMS int, scope string) {
	p.shelf.setHint(method, fmt.Sprintf(`"ttlMs":%d,"cacheScope":%s`, ttlMS, quote(scope)))
}

// Uncached leaves the hints out of a method's results, which the schema forbids
// and its examples do.
func (p *Peer) Uncached(method string) { p.shelf.setHint(method, "") }

func (p *Peer) hintFor(method string) string {
	if !cacheable[method] || p.opts.Candidate && method == "server/discover" {
		return ""
	}
	p.shelf.mu.Lock()
	defer p.shelf.mu.Unlock()
	if own, ok := p.shelf.hints[method]; ok {
		return own
	}
	return `"ttlMs":0,"cacheScope":"private"`
}

func (s *shelf) setHint(method, hint string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hints == nil {
		s.hints = make(map[string]string)
	}
	s.hints[method] = hint
}

// completed adds resultType "complete" and the hints to a result that says
// nothing about either; it leaves what is no object alone.
func completed(result, hint string) string {
	if !object([]byte(result)) {
		return result
	}
	all := members([]byte(result))
	var extra []string
	if all["resultType"] == nil {
		extra = append(extra, `"resultType":"complete"`)
	}
	if hint != "" && all["ttlMs"] == nil && all["cacheScope"] == nil &&
		(all["resultType"] == nil || string(all["resultType"]) == `"complete"`) {
		extra = append(extra, hint)
	}
	if len(extra) == 0 {
		return result
	}
	if len(all) > 0 {
		extra = append(extra, "")
	}
	return strings.Replace(result, "{", "{"+strings.Join(extra, ","), 1)
}
