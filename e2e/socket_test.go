//go:build !js

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// socketScript drives WebSockets as the runtime does, without the wasm: said is
// what its core would be told.
const socketScript = `
	import { Socket } from "/socket.mjs";
	window.said = [];
	let opened = 0;
	window.socket = (url, { protocols = [], limit = 0 } = {}) => {
		window.last = new Socket({
			socketOpened: (client, id) => said.push(id + " open"),
			socketMessage: (client, id, text) => said.push(id + " " + text),
			socketClosed: (client, id, code, why) => said.push(id + " closed " + code + (code === 0 && why ? " because" : "")),
		}, 1, ++opened);
		last.start(url, protocols, limit);
	};
	window.request = (id, method, params) => last.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
	window.initialize = () => request(1, "initialize", { protocolVersion: 2, info: { name: "page", version: "0" } });
	window.said.of = (id) => said.filter((line) => line.startsWith(id + " "));
	window.ready = true;`

func openSocketPage(t *testing.T) *chrome.Page {
	t.Helper()
	site := chrome.NewSite(t)
	site.File("/socket.mjs", bundle(t, "src/runtime/socket.ts"))
	page := chrome.Open(t, site.Page("/app", socketScript))
	page.WaitFor(`window.ready`)
	return page
}

// TestSocketOrder: what an agent says on a WebSocket arrives once and in order,
// however fast it comes and however long it is.
func TestSocketOrder(t *testing.T) {
	t.Parallel()
	p := acppeer.New(t, acppeer.Options{})
	page := openSocketPage(t)
	chrome.Script[chrome.Void](page, `socket(`+chrome.JS(p.WebSocketURL())+`)`)
	page.WaitFor(`said.length === 1`)
	chrome.Script[chrome.Void](page, `initialize()`)
	page.WaitFor(`said.length === 2`)
	chrome.Script[chrome.Void](page, `request(2, "session/new", { cwd: "/w", mcpServers: [] })`)
	page.WaitFor(`said.some((line) => line.includes('"id":2'))`)

	const chunks, long = 500, 3 << 20
	push := func(text string) {
		p.Push("s1",
			fmt.Sprintf(
				`{"sessionUpdate":"agent_message_chunk","messageId":"a1","content":{"type":"text",`+
					`"text":"%s"}}`,
				text))
	}
	for i := 1; i <= chunks; i++ {
		push(fmt.Sprintf("⟨%d⟩", i))
	}
	push(strings.Repeat("é", long))
	push("⟨last⟩")
	page.WaitFor(`said.at(-1).includes("⟨last⟩")`)
	got := chrome.Eval[[]string](page, `said.flatMap((line) => line.match(/⟨\d+⟩/) ?? [])`)
	var want []string
	for i := 1; i <= chunks; i++ {
		want = append(want, fmt.Sprintf("⟨%d⟩", i))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d chunks arrived, want %d: %v", len(got), chunks, got)
	}
	if n := chrome.Eval[int](page, `said.at(-2).split("é").length - 1`); n != long {
		t.Errorf("%d characters of the long message arrived, want %d", n, long)
	}
}

// TestSocketEnds: however a WebSocket ends is told once, with its code, and
// nothing is told after it.
func TestSocketEnds(t *testing.T) {
	t.Parallel()
	p := acppeer.New(t, acppeer.Options{})
	page := openSocketPage(t)
	open := func(id int) {
		t.Helper()
		chrome.Script[chrome.Void](page, `socket(`+chrome.JS(p.WebSocketURL())+`)`)
		page.WaitFor(fmt.Sprintf(`said.includes("%d open")`, id))
		chrome.Script[chrome.Void](page, `initialize()`)
		page.WaitFor(fmt.Sprintf(`said.of(%d).length === 2`, id))
	}
	for i, c := range []struct {
		how  acppeer.How
		code int
	}{{acppeer.Clean, 1001}, {acppeer.FIN, 1006}, {acppeer.Reset, 1006}} {
		id := i + 1
		open(id)
		if n := p.Cut("", c.how); n != 1 {
			t.Fatalf("cut %d sockets", n)
		}
		page.WaitFor(fmt.Sprintf(`said.of(%d).length === 3`, id))
		if got, want := chrome.Eval[string](page, fmt.Sprintf(`said.of(%d).at(-1)`, id)),
			fmt.Sprintf("%d closed %d", id, c.code); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}

	// Closed from this side: the agent hears of it, the core does not.
	open(4)
	chrome.Script[chrome.Void](page, `last.abort()`)
	p.Await("the end of the connection", func() bool { return len(p.Connections()) == 0 })

	// Refused by the server's machine, by the server and by the browser.
	address := p.WebSocketURL()
	p.Down()
	for i, c := range []struct{ open, want string }{
		{`socket(` + chrome.JS(address) + `)`, "5 closed 1006"},
		{`socket(location.href.replace("http", "ws"))`, "6 closed 1006"},
		{`socket("ftp://127.0.0.1/acp")`, "7 closed 0 because"},
		{`socket(` + chrome.JS(address) + `, { protocols: ["two words"] })`, "8 closed 0 because"},
	} {
		id := i + 5
		chrome.Script[chrome.Void](page, c.open)
		page.WaitFor(fmt.Sprintf(`said.of(%d).length > 0`, id))
		if got := chrome.Eval[string](page, fmt.Sprintf(`said.of(%d).join()`, id)); got != c.want {
			t.Errorf("%s: %q, want %q", c.open, got, c.want)
		}
	}
	for id, want := range map[int]int{1: 3, 2: 3, 3: 3, 4: 2} {
		if n := chrome.Eval[int](page, fmt.Sprintf(`said.of(%d).length`, id)); n != want {
			t.Errorf("socket %d said %d things, want %d", id, n, want)
		}
	}
}
