package wire

import (
	"encoding/base64"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// mirroredName says which member of params a request's Mcp-Name repeats
// (2026-07-28 streamable-http, request metadata; tasks extension, routing).
var mirroredName = map[string]string{
	"tools/call":     "name",
	"prompts/get":    "name",
	"resources/read": "uri",
	"tasks/get":      "taskId",
	"tasks/update":   "taskId",
	"tasks/cancel":   "taskId",
}

// MirroredHeader returns the header fields that say what a request asks for: proxies
// route by them without reading the body (SEP-2243).
func MirroredHeader(method string, params []byte) []engine.Field {
	fields := []engine.Field{{Name: "Mcp-Method", Value: method}}
	if member, ok := mirroredName[method]; ok {
		value, _ := jsonrpc.Member(params, member)
		if name, ok := jsonrpc.String(value); ok {
			fields = append(fields, engine.Field{Name: "Mcp-Name", Value: HeaderValue(name)})
		}
	}
	return fields
}

const (
	base64Prefix = "=?base64?"
	base64Suffix = "?="
)

// HeaderValue encodes a string for a header field: as it is where it is plain
// visible ASCII, blanks inside and tabs; in base64 between markers where a
// header could not carry it, would be trimmed, or looks encoded already.
func HeaderValue(s string) string {
	plain := s == "" || !blank(s[0]) && !blank(s[len(s)-1])
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] >= 0x20 && s[i] <= 0x7e || s[i] == '\t'
	}
	if plain && !(len(s) >= len(base64Prefix)+len(base64Suffix) && s[:len(base64Prefix)] == base64Prefix &&
		s[len(s)-len(base64Suffix):] == base64Suffix) {
		return s
	}
	return base64Prefix + base64.StdEncoding.EncodeToString([]byte(s)) + base64Suffix
}

func blank(b byte) bool { return b == ' ' || b == '\t' }
