//go:build !js

package e2e

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// inputs is a script with the names of the inputs, by their numbers.
func inputs(t *testing.T) string {
	text, err := os.ReadFile("../web/src/base/border.ts")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "export enum INPUT {")
	list, _, _ = strings.Cut(list, "}")
	names := map[string]string{}
	for _, found := range regexp.MustCompile(`(\w+) = (\d+),`).FindAllStringSubmatch(list, -1) {
		names[found[2]] = found[1]
	}
	return "const inputs = " + chrome.JS(names) + ";"
}

// countedWasm counts the calls between JavaScript and Go, by name, or by that of the input: count.into and
// count.out. asked is what Go has asked for, without what its runtime asks for
// itself: clocks and memory, where a commit of the journal is larger than any before.
// While still is set no interval calls anybody: Go looks every few seconds whether the
// machine has slept, and asks for the time.
const countedWasm = `
	window.count = { into: {}, out: {}, bytes: 0 };
	const counted = (object, calls) => Object.fromEntries(Object.entries(object).map(([name, f]) => [name, typeof f !== "function" ? f :
		(...args) => { const what = name === "input" ? inputs[args[1]] : name; calls[what] = (calls[what] ?? 0) + 1; return f(...args); }]));
	const every = window.setInterval;
	window.setInterval = (f, ...rest) => every((...args) => { if (!window.still) f(...args); }, ...rest);
	window.asked = () => JSON.stringify(Object.entries(count.out).filter(([name]) => !name.startsWith("runtime.")));
	const real = WebAssembly.instantiateStreaming;
	WebAssembly.instantiateStreaming = async (response, imports) => {
		const spied = Object.fromEntries(Object.entries(imports).map(([module, functions]) => [module, counted(functions, count.out)]));
		const { instance } = await real(response, spied);
		return { instance: Object.create(WebAssembly.Instance.prototype, { exports: { value: counted(instance.exports, count.into) } }) };
	};`

// TestCrossingsPerChunk counts what crosses between JavaScript and Go while a
// stream is read: one call into Go for a chunk of at most 64 KB, however many
// events it holds, and none out of it. Time is not measured.
func TestCrossingsPerChunk(t *testing.T) {
	t.Parallel()
	const events = 5_000
	var burst strings.Builder
	for i := 1; i <= events; i++ {
		fmt.Fprintf(&burst, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":$TOKEN,\"progress\":%d,\"message\":%q}}\n\n",
			i, strings.Repeat("x", 100))
	}
	p := peer.New(t, peer.Options{})
	p.Tool("burst", peer.Script{peer.Open(), peer.Gate("burst"), peer.Raw(burst.String()), peer.Text("done")})
	site := chrome.NewSite(t)
	page := chrome.Open(t, site.Page("/app", inputs(t)+countedWasm+`
		for (const { prototype } of [ReadableStreamDefaultReader, ReadableStreamBYOBReader]) {
			const { read } = prototype;
			prototype.read = async function (...into) {
				const next = await read.apply(this, into);
				if (next.value) { count.bytes += next.value.length; count.feeds = (count.feeds ?? 0) + Math.ceil(next.value.length / 65536); }
				return next;
			};
		}`+appScript))
	page.WaitFor(`window.holdfast`)
	chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { listen: false });
		watch(mcp.callTool("burst"));`)
	page.WaitFor(`seen.status.includes("open")`)
	chrome.Eval[chrome.Void](page, `void Object.assign(count, { into: Object.assign(count.into, { chunk: 0 }), feeds: 0, bytes: 0 }), void (window.still = true, window.before = asked())`)
	p.Release("burst")
	page.WaitFor(`seen.done`)
	counted(t, page, events)
	got := chrome.Eval[struct {
		Chunks, Feeds, Bytes int
		Before, After        string
	}](page, `({ chunks: count.into.chunk, feeds: count.feeds, bytes: count.bytes, before, after: asked() })`)
	t.Logf("%d events, %d bytes: %d calls into Go", events, got.Bytes, got.Chunks)
	if got.Chunks == 0 || got.Chunks != got.Feeds {
		t.Errorf("%d calls into Go for %d chunks of at most 64 KB", got.Chunks, got.Feeds)
	}
	if got.Before != got.After {
		t.Errorf("Go called JavaScript while it read:\n%s\n%s", got.Before, got.After)
	}
}

// TestCrossingsPerCall counts what crosses into Go for one small call that is kept, by what is said: from callTool
// until the outcome is handed over and the store has deleted the call. Left out is what depends on the clock:
// how often a timer fires, and whether the connection of the call before is free by then.
func TestCrossingsPerCall(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Tool("small", peer.Script{peer.Text("done")})
	page := chrome.Open(t, chrome.NewSite(t).Page("/app", inputs(t)+countedWasm+appScript))
	page.WaitFor(`window.holdfast`)
	chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { listen: false });
		await mcp.listTools();
		window.one = async () => {
			await mcp.callTool("small").result;
			while ((await mcp.stored()).calls > 0) await new Promise((resolve) => setTimeout(resolve));
		};
		await one();
		window.still = true;`)
	got := chrome.Script[map[string]int](page, `for (const name in count.into) delete count.into[name]; await one(); return count.into`)
	t.Logf("%v", got)
	delete(got, "fired")
	delete(got, "hold")
	want := map[string]int{
		"request": 1, "head": 1, "chunk": 1, "end": 1,
		"stored": 1, // the call, before it leaves
		"handed": 1,
		"tabs":   1, // the deletion that nobody waits for has landed
	}
	if !maps.Equal(got, want) {
		t.Errorf("crossed: %v, want %v", got, want)
	}
}
