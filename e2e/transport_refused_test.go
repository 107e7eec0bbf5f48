//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestStoryTransportRefuses: what the transport has no way for is said in an error, and nothing is sent.
func TestStoryTransportRefuses(t *testing.T) {
	t.Parallel()
	_, counted, url := countedServer(t)
	page := transportPage(t)
	open := `open2(2, ` + chrome.JS(url) + `, { host: "page" }`
	for name, test := range map[string]struct{ run, want string }{
		"a task that the client drives": {`await ` + open +
			`); await client.request({ method: "tools/call",` +
			` params: { name: "count", arguments: {}, task: {} } });`, "unsupported"},
		"header fields of one request": {`await ` + open + `); await client.request({ method: "tools/call",` +
			` params: { name: "count", arguments: {} } }, { headers: { a: "b" } });`, "unsupported"},
		"a resumption token of others": {`await ` + open +
			`); await major.call(client, { name: "count", arguments: {} }, { resumptionToken: "17" });`,
			"acknowledged"},
		"a member that no call has": {`await ` + open +
			`); await client.request({ method: "tools/call", params: { name: "count", args: {} } });`,
			"bad_argument"},
		"a task of the client's": {`await (async () => { const old = majors[1].make({ capabilities: { ` +
			`tasks: { cancel: {} } } }); await old.connect(new HoldfastTransport(` + chrome.JS(url) +
			`, { host: "page" })); })();`, "unsupported"},
		"a server that is away": {`await open2(2, "http://127.0.0.1:9/mcp", { host: "page" });`,
			"network_error"},
		"an option that there is not": {`await open2(2, ` + chrome.JS(url) + `, { hots: "page" });`,
			"bad_argument"},
		"an option that is the client's": {`new HoldfastTransport(` + chrome.JS(url) + `, { handlers: {} });`,
			"bad_argument"},
		"what is below, before there is": {`new HoldfastTransport(` + chrome.JS(url) + `).mcp;`, "closed"},
		"a transport that served already": {`await ` + open + `); const { transport } = window;` +
			` await client.close(); await majors[2].make({}).connect(transport);`, "bad_argument"},
		"a pinned revision": {`await ` + open + `, { versionNegotiation: { mode: { pin: "2026-07-28" } } });`,
			"ERA_NEGOTIATION_FAILED"},
	} {
		got := chrome.Script[string](page, `
			try {
				`+test.run+`
				return "passed";
			} catch (error) {
				return String(holdfastError(error)?.code ?? error.code ?? error);
			}`)
		if got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	if n := counted.calls.Load(); n != 0 {
		t.Errorf("%d calls were sent", n)
	}
	// It asks first which era the server is of, and is told that the transport knows.
	if got := chrome.Script[string](page, `await `+open+
		`, { versionNegotiation: { mode: "auto" } }); return client.getNegotiatedProtocolVersion();`); got !=
		"2025-11-25" {
		t.Errorf("negotiated %s", got)
	}
}
