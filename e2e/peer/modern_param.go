//go:build !js

package peer

import (
	"encoding/json"
	"math/big"
	"net/http"
	"slices"
	"strings"
)

// A mirror is one property of a tool's arguments that a header repeats.
type mirror struct {
	header string // the X of Mcp-Param-X
	path   []string
	kind   string // the schema's type
}

// mirrors reads the x-mcp-header annotations that a client must follow: those
// reachable through properties alone, on a string, integer or boolean, with a
// name that is a token and unique. A tool that has another is one that clients
// must not list; nothing is expected of its calls.
func mirrors(schema string) []mirror {
	all := collect(json.RawMessage(schema), nil)
	for i, m := range all {
		twice := slices.ContainsFunc(all[:i],
			func(o mirror) bool { return strings.EqualFold(o.header, m.header) })
		if twice || !token(m.header) || !slices.Contains([]string{"string", "integer", "boolean"}, m.kind) {
			return nil
		}
	}
	return all
}

func collect(schema json.RawMessage, path []string) []mirror {
	var all []mirror
	properties := members(field(schema, "properties"))
	for _, name := range sorted(properties) {
		inner := properties[name]
		here := append(slices.Clone(path), name)
		if field(inner, "x-mcp-header") != nil {
			all = append(all, mirror{text(inner, "x-mcp-header"), here, text(inner, "type")})
		}
		all = append(all, collect(inner, here)...)
	}
	return all
}

// token is RFC 9110's 1*tchar.
func token(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool {
		return !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
			strings.ContainsRune("!#$%&'*+-.^_`|~", c))
	}) < 0
}

// checkParams compares the mirrored arguments with their headers (server
// behavior for custom headers). That one is missing is no offence by itself: the
// client may not have seen this version of the tool.
func (p *Peer) checkParams(h http.Header, t *tool, arguments json.RawMessage) *refusal {
	for _, m := range mirrors(t.schema) {
		name := "Mcp-Param-" + m.header
		value := field(arguments, m.path...)
		there := h.Values(name) != nil
		switch {
		case value == nil || string(value) == "null":
			if there {
				return p.mismatch("%s is there without its argument", name)
			}
			continue
		case !there:
			bad := p.mismatch("missing %s header", name)
			bad.violation = false
			return bad
		}
		got, err := mirrored(h, name)
		if err != nil {
			return p.mismatch("%s %v", name, err)
		}
		if !sameValue(got, value, m.kind) {
			return p.mismatch("%s %q, argument %s", name, got, value)
		}
	}
	return nil
}

// sameValue compares as the schema's type wants it: integers as numbers, so
// that 42.0 is 42.
func sameValue(header string, value json.RawMessage, kind string) bool {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return header == s
	}
	if kind == "integer" {
		a, okA := new(big.Rat).SetString(header)
		b, okB := new(big.Rat).SetString(string(value))
		return okA && okB && a.Cmp(b) == 0
	}
	return header == string(value)
}
