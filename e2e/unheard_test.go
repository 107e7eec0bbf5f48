//go:build !js

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// measuredWasm is a script after which memory() is how many bytes the wasm has. They
// are never given back.
const measuredWasm = `
	for (const name of ["instantiate", "instantiateStreaming"]) {
		const real = WebAssembly[name];
		WebAssembly[name] = async (...args) => {
			const made = await real.apply(WebAssembly, args);
			window.memory = () => (made.instance ?? made).exports.mem.buffer.byteLength;
			return made;
		};
	}`

// TestFault140_LongIDsInChrome: 300 requests of the server's, each with an id of 1 MiB,
// that nobody answers. Each is refused and told, the call has its result, and the
// memory of the wasm is what it was after the first ten.
func TestFault140_LongIDsInChrome(t *testing.T) {
	long(t)
	t.Parallel()
	asked := func(from, n int) peer.Script {
		script := peer.Script{peer.Prime(0)}
		for i := range n {
			script = append(script, peer.Ask(fmt.Sprintf(`"%d %s"`, from+i, strings.Repeat("x", 1<<20)),
				"sampling/createMessage", `{"messages":[],"maxTokens":1}`))
		}
		return append(script, peer.Text("done"))
	}
	p := peer.New(t, peer.Options{})
	p.Tool("few", asked(0, 10))
	p.Tool("many", asked(10, 300))
	page := chrome.Open(t, chrome.NewSite(t).Page("/app", measuredWasm+appScript))
	page.WaitFor(`window.holdfast`)
	chrome.Script[chrome.Void](page, `
		window.asked = 0;
		window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { handlers: { sampling: () => { asked++; return new Promise(() => {}); } } });
		await mcp.callTool("few").result;`)
	before := chrome.Eval[int](page, `memory()`)
	got := chrome.Script[struct {
		Text                 string
		Memory, Asked, Count int
	}](page, `
		const { content } = await mcp.callTool("many").result;
		return { text: content[0].text, memory: memory(), asked, count: mcp.counters.unreadableMessages };`)
	if got.Text != "done" || got.Asked != 0 || got.Count != 310 {
		t.Errorf("%+v", got)
	}
	t.Logf("the wasm has %d bytes, and had %d", got.Memory, before)
	if grown := got.Memory - before; grown > 8<<20 {
		t.Errorf("the wasm has grown by %d bytes", grown)
	}
}

// TestFault140_FrozenFollowerInChrome: a tab is frozen while another one stores 60 MB
// of a call that it follows. It keeps a small part of what it hears; awake again, it has
// every event once and in order, the end of that call, and the one that began meanwhile.
func TestFault140_FrozenFollowerInChrome(t *testing.T) {
	long(t)
	t.Parallel()
	const events, size, room = 600, 100_000, 16 << 20
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, `{ ack: "manual", limits: { backlogBytes: 8 << 20, stored: 256 << 20 } }`)
	owner, follower := s.open(), s.open()
	chrome.Eval[chrome.Void](owner, `void count("a", `+
		chrome.JS(map[string]any{"n": events, "bytes": size, "gate": "a"})+`)`)
	follower.WaitFor(`tracked.a?.call.followed`)
	s.pass("a", 3)
	has(follower, "a", 3)
	before := heldBy(follower)
	follower.Freeze()
	p.Release("a")
	s.counted(owner, "a", events)
	chrome.Eval[chrome.Void](owner, `void count("b", { n: 3 })`)
	s.counted(owner, "b", 3)
	owner.WaitFor(`mcp.stored().then(({ bytes }) => bytes > ` + fmt.Sprint(events*size) + `)`)
	grown := heldBy(follower) - before
	t.Logf("%d bytes more are held", grown)
	if grown > room {
		t.Errorf("the frozen page holds %d bytes more than before", grown)
	}
	follower.Thaw()
	for label, n := range map[string]int{"a": events, "b": 3} {
		s.counted(follower, label, n)
		s.once(label)
	}
	chrome.Eval[chrome.Void](owner, `Object.values(tracked).forEach(({ call }) => call.ack())`)
	follower.WaitFor(`mcp.calls().then((calls) => calls.length === 0)`)
}
