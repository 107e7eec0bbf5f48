//go:build !js

package e2e

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// agentWireScript is an agent's client as the runtime has it: a handle, and a
// port that writes down what it is told. No class stands between.
const agentWireScript = `
	import { load } from "/load.mjs";
	window.runtime = await load({ name: "holdfast-agents.wasm", agents: true }, "/holdfast-agents.wasm");
	window.told = { state: [], recall: {}, settle: {}, deliver: [] };
	window.agent = (options) => {
		window.handle = runtime.connectAgent({
			info: JSON.stringify({ name: "page", version: "0" }), capabilities: "{}", version: 0, headers: [], token: false, journal: false,
			epoch: 0, wall: Date.now() - performance.now(), ...options,
		}, {
			credentials: "omit",
			deliver: (session, event, position, text) => told.deliver.push({ session, event, position, ...JSON.parse(text) }),
			settle: (call, outcome, text) => (told.settle[call] = { outcome, ...JSON.parse(text) }),
			state: (text) => told.state.push(JSON.parse(text).state),
			recall: (session, text) => (told.recall[session] = JSON.parse(text)),
			exited: (error) => told.state.push(error.message),
			token() {}, store() {}, handshake() {},
		});
	};
	window.request = (session, method, params) => {
		let id;
		runtime.agentRequest(handle, session, method, JSON.stringify(params), (call) => (id = call));
		return id;
	};
	window.prompt = (text) => request(1, "session/prompt", { sessionId: "s1", prompt: [{ type: "text", text }] });
	window.text = () => told.deliver.flatMap((e) => [e.content?.text, ...(e.patch?.content ?? []).map((c) => c.text)]).join("");
	window.ready = true;`

// openAgentWire opens a page whose runtime is not wrapped by the module.
func openAgentWire(t *testing.T, before string) *chrome.Page {
	t.Helper()
	var manifest struct{ Version string }
	if err := json.Unmarshal([]byte(read(t, "../package.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	site := chrome.NewSite(t)
	site.File("/load.mjs", bundle(t, "src/runtime/loadruntime.ts", "--define:HOLDFAST_VERSION="+chrome.JS(manifest.Version), "--define:HOLDFAST_ONE_FILE=true"))
	page := chrome.Open(t, site.Page("/app", before+agentWireScript))
	page.WaitFor(`window.ready`)
	return page
}

// TestAgentWire leads through every input and record of an agent's client, over
// both transports: the types and the doors are other stories.
func TestAgentWire(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"http", "websocket"} {
		t.Run(transport, func(t *testing.T) {
			p := acppeer.New(t, acppeer.Options{})
			url := p.URL()
			if transport == "websocket" {
				url = p.WebSocketURL()
			}
			page := openAgentWire(t, "")
			chrome.Script[chrome.Void](page, fmt.Sprintf(`agent({ url: %s, transport: %s })`, chrome.JS(url), chrome.JS(transport)))
			page.WaitFor(`told.state.includes("open")`)
			chrome.Script[chrome.Void](page, `window.made = request(0, "session/new", { cwd: "/w", mcpServers: [] })`)
			page.WaitFor(`told.settle[made]`)
			if got := chrome.Eval[string](page, `told.settle[made].sessionId + told.recall[1].sessionId + told.recall[1].cwd`); got != "s1s1/w" {
				t.Errorf("the session that was made: %s", got)
			}

			chrome.Script[chrome.Void](page, `prompt("count 5")`)
			page.WaitFor(`told.deliver.some((e) => e.ended)`)
			if got := chrome.Eval[string](page, `text()`); got != "count 5⟨1⟩⟨2⟩⟨3⟩⟨4⟩⟨5⟩" {
				t.Errorf("the transcript has %q", got)
			}

			// A question, and its answer.
			chrome.Script[chrome.Void](page, `prompt("permission")`)
			question := chrome.Wait[int](page, `told.deliver.find((e) => e.method === "session/request_permission")?.position`)
			chrome.Script[chrome.Void](page, fmt.Sprintf(`runtime.respond(handle, %d, true, '{"outcome":{"outcome":"cancelled"}}')`, question))
			p.Await("the answer", func() bool { return len(p.Answers()) == 1 })

			// A notification settles once it is taken, a request that is cancelled is
			// taken back at the agent's.
			chrome.Script[chrome.Void](page, `runtime.agentNotify(handle, 1, "session/cancel", '{"sessionId":"s1"}', (call) => (window.told.cancel = call))`)
			page.WaitFor(`told.settle[told.cancel]`)
			chrome.Script[chrome.Void](page, `runtime.agentCancel(handle, prompt("mute"))`)
			p.AwaitRequests("$/cancel_request", 1)

			counters := chrome.Eval[string](page, `runtime.counters(handle)`)
			if !json.Valid([]byte(counters)) {
				t.Errorf("counters %q", counters)
			}
			// What is MCP's alone finds nobody here, and breaks nothing.
			chrome.Script[chrome.Void](page, `runtime.subscribe(handle, '["file:///x"]'); runtime.handshake(handle); runtime.ack(handle, 1, 0)`)
			chrome.Script[chrome.Void](page, `runtime.terminate(handle)`)
			page.WaitFor(`told.state.at(-1) === "closed"`)
			p.Await("the end of the connection", func() bool { return len(p.Connections()) == 0 })
			chrome.Script[chrome.Void](page, `runtime.release(handle)`)
			if got := chrome.Eval[string](page, `runtime.counters(handle)`); got != "" {
				t.Errorf("a client that is gone has counters %s", got)
			}
			if death := chrome.Eval[string](page, `runtime.death?.message ?? ""`); death != "" {
				t.Error(death)
			}
		})
	}
}

// TestCrossingsPerMessage counts what crosses between JavaScript and Go while a
// WebSocket is read: one call into Go for a message, and none out of it.
func TestCrossingsPerMessage(t *testing.T) {
	t.Parallel()
	const chunks = 500
	p := acppeer.New(t, acppeer.Options{})
	page := openAgentWire(t, inputs(t)+countedWasm+`
		window.messages = 0;
		window.WebSocket = class extends WebSocket {
			set onmessage(f) { super.onmessage = (event) => (messages++, f(event)); }
		};`)
	chrome.Script[chrome.Void](page, fmt.Sprintf(`agent({ url: %s, transport: "websocket" })`, chrome.JS(p.WebSocketURL())))
	page.WaitFor(`told.state.includes("open")`)
	chrome.Script[chrome.Void](page, `request(0, "session/new", { cwd: "/w", mcpServers: [] })`)
	page.WaitFor(`told.recall[1]`)
	chrome.Script[chrome.Void](page, fmt.Sprintf(`prompt("count %d @go")`, chunks))
	p.Waiting("go")
	chrome.Eval[chrome.Void](page, `void (count.into.socketMessage = 0, messages = 0, window.still = true, window.before = asked())`)
	p.Release("go")
	page.WaitFor(`told.deliver.some((e) => e.ended)`)
	got := chrome.Eval[struct {
		Into          map[string]int
		Messages      int
		Before, After string
	}](page, `({ into: count.into, messages, before, after: asked() })`)
	t.Logf("%d messages: %v into Go", got.Messages, got.Into)
	if got.Messages < chunks || got.Into["socketMessage"] != got.Messages {
		t.Errorf("%d calls into Go for %d messages", got.Into["socketMessage"], got.Messages)
	}
	if got.Before != got.After {
		t.Errorf("Go called JavaScript while it read:\n%s\n%s", got.Before, got.After)
	}
}
