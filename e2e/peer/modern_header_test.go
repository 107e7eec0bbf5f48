//go:build !js

package peer_test

import (
	"net/http"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

const mirroring = `{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},
	"count":{"type":"integer","x-mcp-header":"Count"},
	"where":{"type":"object","properties":{"dry":{"type":"boolean","x-mcp-header":"Dry-Run"}}}}}`

// The table of "Server Behavior for Custom Headers", and value encoding.
func TestMirroredArguments(t *testing.T) {
	p := modernPeer(t)
	p.Tool("sql", peer.Script{peer.Text("ok")}, peer.AsJSON, peer.Schema(mirroring))
	c := modern(t, p)
	for _, tc := range []struct {
		name, arguments string
		headers         map[string]string
		status          int
		violation       bool
	}{
		{"all", `{"region":"us-west1","count":42,"where":{"dry":true}}`,
			map[string]string{"Region": "us-west1", "Count": "42", "Dry-Run": "true"}, 200, false},
		{"numerically", `{"count":42}`, map[string]string{"Count": "42.0"}, 200, false},
		{"base64", `{"region":"Hello, 世界"}`, map[string]string{"Region": "=?base64?SGVsbG8sIOS4lueVjA==?="},
			200, false},
		{"sentinel", `{"region":"=?base64?literal?="}`,
			map[string]string{"Region": "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="}, 200, false},
		{"empty, plain", `{"region":""}`, map[string]string{"Region": ""}, 200, false},
		{"empty, encoded", `{"region":""}`, map[string]string{"Region": "=?base64??="}, 200, false},
		{"null", `{"region":null}`, nil, 200, false},
		{"none", `{}`, map[string]string{"Other": "x"}, 200, false},
		{"missing", `{"region":"us-west1"}`, nil, 400, false},
		{"different", `{"region":"us-west1"}`, map[string]string{"Region": "eu"}, 400, true},
		{"null with header", `{"region":null}`, map[string]string{"Region": "null"}, 400, true},
		{"bad base64", `{"region":"a"}`, map[string]string{"Region": "=?base64?!?="}, 400, true},
		{"not ascii", `{"region":"é"}`, map[string]string{"Region": "é"}, 400, true},
	} {
		r := c.request(soon(t), "tools/call", "sql", `"name":"sql","arguments":`+tc.arguments, "")
		for name, value := range tc.headers {
			r.Header.Set("Mcp-Param-"+name, value)
		}
		before := len(p.Violations())
		a := c.send(r)
		equal(t, tc.name, a.StatusCode, tc.status)
		if tc.status == 400 {
			equal(t, tc.name+": code", code(body(a)), -32020)
		}
		equal(t, tc.name+": violation", len(p.Violations()) > before, tc.violation)
	}
}

// A client MUST leave these out of tools/list; the server expects no header of
// whoever calls them all the same.
func TestPoisonedTools(t *testing.T) {
	p := modernPeer(t)
	names := p.Poison()
	c := modern(t, p)
	list := body(c.ask("tools/list", "", "", ""))
	for _, name := range names {
		contains(t, "list", list, `"`+name+`"`)
		equal(t, name, c.call(name, `{"a":"x","b":"y"}`).StatusCode, http.StatusOK)
	}
	equal(t, "kinds", len(names) >= 12, true)
	clean(t, p)
}

func TestNamesThatNoHeaderCarries(t *testing.T) {
	p := modernPeer(t)
	p.Tool("größe", peer.Script{peer.Text("ok")})
	p.Resource(peer.Resource{URI: "file:///ü", Name: "u", Text: "x"})
	c := modern(t, p)
	equal(t, "tool", c.ask("tools/call", "=?base64?Z3LDtsOfZQ==?=", `"name":"größe"`, "").StatusCode, 200)
	equal(t, "resource", c.ask("resources/read", "=?base64?ZmlsZTovLy/DvA==?=", `"uri":"file:///ü"`,
		"").StatusCode, 200)
	clean(t, p)
}
