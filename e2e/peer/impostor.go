//go:build !js

package peer

import (
	"net/http"
	"testing"
)

// An Impostor is a server that misleads the negotiation of eras (2026-07-28
// basic/versioning; streamable-http, backward compatibility).
type Impostor struct {
	// Name says what it does.
	Name string
	// Era is the revision that a client should end up with; "" means that no
	// connection can come of it, and that the client has to say so rather than
	// to go on trying.
	Era string
	// Start starts it. The Canary gets whatever is sent elsewhere.
	Start func(testing.TB, *Canary) *Peer
}

// probeAnswer is a Peer of one revision that answers the probe in its own way.
func probeAnswer(o Options, r Response) func(testing.TB, *Canary) *Peer {
	return func(t testing.TB, _ *Canary) *Peer {
		p := New(t, o)
		p.Answer("server/discover", r)
		return p
	}
}

// everything is a server that has one answer.
func everything(r Response) func(testing.TB, *Canary) *Peer {
	return func(t testing.TB, _ *Canary) *Peer {
		p := New(t, Options{})
		p.Answer("*", r)
		return p
	}
}

func jsonError(code, rest string) string {
	return `{"jsonrpc":"2.0","id":$ID,"error":{"code":` + code + `,"message":"no"` + rest + `}}`
}

func versions(list string) string {
	return `,"data":{"supported":[` + list + `],"requested":"2026-07-28"}`
}

// Impostors are the servers of this kind that are known.
func Impostors() []Impostor {
	html := map[string]string{"Content-Type": "text/html"}
	legacy, modern := Options{}, Options{Revision: Revision20260728}
	dual := Options{Revision: Revision20260728, Legacy: Revision20251125}
	return []Impostor{
		{"200 {} to everything", "", everything(Response{Body: "{}"})},
		{"200 and HTML to everything", "",
			everything(Response{Header: html, Body: "<!doctype html><title>Log in</title>"})},
		{"404 and HTML to everything", "",
			everything(Response{Status: 404, Header: html, Body: "<!doctype html><title>Not found</title>"})},
		{"500 to everything", "", everything(Response{Status: 500})},
		{"200 {} to the probe", Revision20251125, probeAnswer(legacy, Response{Body: "{}"})},
		{"HTML to the probe", Revision20251125,
			probeAnswer(legacy, Response{Header: html, Body: "<!doctype html>"})},
		{"400 without body", Revision20251125, probeAnswer(legacy, Response{Status: 400})},
		{"404 -32601", Revision20251125,
			probeAnswer(legacy, Response{Status: 404, Body: jsonError("-32601", "")})},
		{"404 -32001 session not found", Revision20251125,
			probeAnswer(legacy, Response{Status: 404, Body: jsonError("-32001", "")})},
		{"405", Revision20251125, probeAnswer(legacy, Response{Status: 405})},
		{"200 with another id", Revision20251125,
			probeAnswer(legacy, Response{Body: `{"jsonrpc":"2.0","id":"another","result":$RESULT}`})},
		{"a modern error that lists legacy versions", Revision20251125,
			probeAnswer(legacy,
				Response{Status: 400, Body: jsonError("-32022", versions(`"2025-11-25","2025-06-18"`))})},
		{"the same, of the release candidate", Revision20251125,
			probeAnswer(legacy, Response{Status: 400, Body: jsonError("-32004", versions(`"2025-11-25"`))})},
		{"a modern error that lists nothing known", "",
			everything(Response{Status: 400, Body: jsonError("-32022", versions(`"2099-01-01"`))})},
		{"a modern error that refuses what it lists", "",
			everything(Response{Status: 400, Body: jsonError("-32022", versions(`"2026-07-28"`))})},
		{"a header mismatch, whatever the headers", "",
			everything(Response{Status: 400, Body: jsonError("-32020", "")})},
		{"a legacy error from a modern server", "",
			probeAnswer(modern, Response{Status: 400, Body: jsonError("-32000", "")})},
		{"a discover result without versions", "", probeAnswer(modern, Response{Body: `{"jsonrpc":"2.0",` +
			`"id":$ID,"result":{"resultType":"complete","supportedVersions":[],"capabilities":{},"ttlMs":0,` +
			`"cacheScope":"private"}}`})},
		{"a discover result of an unknown future", "", probeAnswer(modern,
			Response{Body: `{"jsonrpc":"2.0",` +
				`"id":$ID,"result":{"resultType":"complete","supportedVersions":["2099-01-01"],` +
				`"capabilities":{},"ttlMs":0,"cacheScope":"private"}}`})},
		{"a discover result with legacy versions only", Revision20251125,
			probeAnswer(legacy,
				Response{Body: `{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete",` +
					`"supportedVersions":["2025-11-25"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}}`})},
		{"discover as an event stream", Revision20260728,
			probeAnswer(dual, Response{Header: map[string]string{"Content-Type": "text/event-stream"},
				Body: ": hello\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":$RESULT}\n\n"})},
		{"a session id on the error", Revision20251125,
			probeAnswer(legacy,
				Response{Status: 400, Header: map[string]string{"Mcp-Session-Id": "stolen"}})},
		{"a session id on the modern answer", Revision20260728,
			probeAnswer(modern, Response{Header: map[string]string{"Mcp-Session-Id": "stolen"},
				Body: `{"jsonrpc":"2.0","id":$ID,"result":$RESULT}`})},
		{"a redirect to another origin", "", func(t testing.TB, c *Canary) *Peer {
			return everything(Response{Status: http.StatusTemporaryRedirect,
				Header: map[string]string{"Location": c.URL}})(t, c)
		}},
	}
}
