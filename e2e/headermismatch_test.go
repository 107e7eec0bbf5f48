//go:build !js

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// importedThenFailed is what a tool says that ran, in words that speak of a header.
const importedThenFailed = "5000 rows imported, then: bad header row"

// TestFault125_AToolThatRanRunsOnce: the code and the words of a refused header
// prove nothing about a tool that answers with them in a 200 or on a stream. It
// ran, so it runs once, and its error reaches the app. In older sessions the page
// has not listed the tools: what it would send the second time differs.
func TestFault125_AToolThatRanRunsOnce(t *testing.T) {
	t.Parallel()
	type run struct {
		code int
		way  string
	}
	tools := map[string]run{}
	for _, code := range []int{-32020, -32001} {
		for _, way := range []string{"stream", "json"} {
			tools[fmt.Sprintf("import%d_%s", code, way)] = run{code, way}
		}
	}
	eachRevision(t, peer.Revision20250326, "",
		func(t *testing.T, p *peer.Peer, page *chrome.Page, revision string) {
			for tool, run := range tools {
				traits := []peer.Trait{regional}
				if run.way == "json" {
					traits = append(traits, peer.AsJSON)
				}
				p.Tool(tool, peer.Script{peer.Error(run.code, importedThenFailed)}, traits...)
			}
			if revision == peer.Revision20260728 {
				chrome.Script[chrome.Void](page, `await mcp.listTools();`) // else it rightly refuses them
			}
			for tool := range tools {
				got := chrome.Script[failure](page, `return attempt(() => mcp.callTool(`+chrome.JS(tool)+
					`, { region: "eu" }).result);`)
				if got.Code != "rpc_error" || !strings.Contains(got.Message, importedThenFailed) {
					t.Errorf("%s: got %+v", tool, got)
				}
				if n := p.Ran(tool); n != 1 {
					t.Errorf("%s ran %d times", tool, n)
				}
			}
		})
}

// TestFault125_RefusedForItsHeaders: HTTP 400 and -32020 say that nothing ran.
// The call is sent again, once, where the tool list by then says another thing
// about its header fields; where it does not, the error reaches the app. -32001
// says so in the release candidate of 2026-07-28 alone.
func TestFault125_RefusedForItsHeaders(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		peer  peer.Options
		code  int
		trait peer.Trait
		sent  int
	}{
		{"an older session", peer.Options{}, -32020, regional, 2},
		{"2026-07-28", peer.Options{Revision: peer.Revision20260728}, -32020, regional, 2},
		{"the release candidate", peer.Options{Revision: peer.Revision20260728, Candidate: true}, -32001,
			regional, 2},
		{"-32001 in an older session", peer.Options{}, -32001, regional, 1},
		{"-32001 in 2026-07-28", peer.Options{Revision: peer.Revision20260728}, -32001, regional, 1},
		{"nothing to send but the same", peer.Options{}, -32020, peer.Idempotent, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, tc.peer)
			p.Tool("routed", peer.Script{peer.Text("done")}, tc.trait)
			p.AnswerFunc("tools/call", func(int, peer.Request) *peer.Response {
				return &peer.Response{Status: http.StatusBadRequest,
					Body: fmt.Sprintf(`{"jsonrpc":"2.0","id":$ID,"error":{"code":%d,`+
						`"message":"Header mismatch: Mcp-Param-Region"}}`, tc.code)}
			})
			page := app(t, p.URL(), "")
			got := chrome.Script[failure](page,
				`return attempt(() => mcp.callTool("routed", { region: "eu" }).result);`)
			if got.Code != "rpc_error" {
				t.Errorf("got %+v", got)
			}
			if n := len(p.Of("tools/call")); n != tc.sent {
				t.Errorf("%d requests, want %d", n, tc.sent)
			}
		})
	}
}

// regional is a tool whose region is mirrored into a header field.
var regional = peer.Schema(
	`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)
