//go:build !js

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// hostilePage says on a port what a page of this build might, with members of the right kinds more often than
// not, and notes all that it hears.
const hostilePage = seededRandom + `
const fields = {
	connect: { client: "n", url: "u", options: "p", handlers: "h", token: "b", auth: "n", again: "b", ifKeys: "b" },
	agent: { client: "n", url: "u", options: "p", handlers: "h", token: "b", auth: "n", again: "b", ifKeys: "b" },
	auth: { client: "n", url: "u", principal: "s", how: "w", file: "s", window: "s", answer: "o", seen: "b", back: "b" },
	seen: { client: "n", seen: "b" }, signIn: { client: "n", ask: "n" }, signOut: { client: "n", ask: "n" },
	request: { client: "n", ask: "n", session: "n", method: "s", params: "j", notifies: "b" }, respond: { client: "n", question: "n", ok: "b", json: "j" },
	save: { client: "n", question: "n", json: "j" }, forgetSession: { client: "n", session: "n" }, listening: { client: "n" },
	ask: { client: "n", ask: "n", op: "s", method: "m", args: "a" }, abandon: { client: "n" }, abort: { ask: "n", why: "s" },
	make: { client: "n", call: "n", op: "s", method: "m", args: "j", options: "o" }, forget: { ask: "n", url: "u", user: "s", agents: "b", stores: "k" },
	rerun: { call: "n", as: "n" }, cancel: { call: "n", reason: "s" }, pause: { call: "n", on: "b" }, answer: { call: "n", responses: "j" }, acted: { call: "n" },
	peek: { call: "n" }, park: { call: "n", on: "b" }, draft: { call: "n", key: "s", draft: "j" }, ack: { ask: "n", call: "n", position: "n" },
	reread: { ask: "n", call: "n", read: "n", events: "n", from: "n", to: "n" }, heard: { question: "n" }, reply: { question: "n", value: "o" },
	typed: { question: "n", draft: "j" }, credit: { bytes: "n" }, stop: { read: "n" }, back: {}, holds: {},
};
const pick = (random, all) => all[Math.floor(random() * all.length)];
const member = (random, kind, server, keys) => {
	if (random() < 0.1) return pick(random, [undefined, null, -1, NaN, 1e300, "", {}, [], true, 7n, new Uint8Array(3)]);
	switch (kind) {
		case "n": return pick(random, [0, 1, 2, 3, 4, 5, 6, 8, 10, 101, 2 ** 40]);
		case "u": return pick(random, [server, server, "javascript:alert(1)", "file:///etc/passwd", "x", location.href]);
		case "p": return pick(random, [{ principal: "mallory" }, { principal: "mallory", token: {} }, { principal: 7 }, {}, { limits: { calls: "x" } }, { fetch: {} }, { timeouts: 7 }, { headers: "x" }, { client: 7 }, { retention: [] }, { wasm: "x" }, { principal: "mallory", auth: {} }]);
		case "h": return pick(random, [[], ["elicitation", "roots"], [{}], ["constructor"]]);
		case "b": return random() < 0.5;
		case "w": return pick(random, [{ options: {}, how: "popup", storage: "memory" }, { options: { issuer: "x" }, how: {}, storage: 7 }]);
		case "m": return pick(random, ["callTool", "request", "listTools", "calls", "stored", "recorded", "close", "logout", "terminate", "ping", "constructor", "__proto__", "forget"]);
		case "j": return pick(random, ["", "{", "{}", "[]", "null", '["count",{"call":"m","n":1}]', '["tools/list"]', '{"action":"accept"}']);
		case "a": return pick(random, [[], [{}], [null], ["x", {}], [{ cursor: "x" }]]);
		case "k": return keys;
		case "o": return pick(random, [{}, { key: "x" }, { state: "s", code: "c" }, { journal: true, key: 7 }, { signal: {} }, { task: 7 }, "token-of-mallory"]);
		default: return pick(random, ["", "x", "mallory", "__proto__", "holdfast.tab.1", "x".repeat(10_000)]);
	}
};
window.source = source;
window.heard = [];
window.attack = async (made, build, server, seed, rounds) => {
	const random = source(seed);
	const db = await new Promise((resolve) => (indexedDB.open("holdfast").onsuccess = (e) => resolve(e.target.result)));
	const records = await new Promise((resolve) => (db.transaction("keys").objectStore("keys").getAll().onsuccess = (e) => resolve(e.target.result)));
	db.close();
	const keys = records.map(({ name }) => name).filter((name) => name.startsWith("generation ")).map((name) => name.slice(11));
	const { port } = new SharedWorker(...made);
	port.onmessage = ({ data }) => heard.push(data);
	port.postMessage({ t: "hello", build, lock: "", outlives: true });
	const kinds = Object.keys(fields);
	for (let i = 0; i < rounds; i++) {
		const t = pick(random, kinds);
		const message = { t };
		for (const [name, kind] of Object.entries(fields[t])) message[name] = member(random, kind, server, keys);
		port.postMessage(message);
		if (i % 100 === 0) await new Promise((turn) => setTimeout(turn, 0));
	}
	// All that was said is heard behind this.
	const said = heard.length;
	port.postMessage({ t: "ask", client: 77777, ask: 88888, op: "x", method: "ping", args: [] });
	return keys.length;
};
window.ready = true;
`

// TestFault723_HostilePage: a page of the origin opens a port to the shared worker of another user, who has a
// token and a call under way there, and says at random what a page may say, by names of its own: it knows all
// keys of stores. It hears no token and no word of the call; ada's call runs once and ends in her page, with
// each of its numbers, and over a reload.
func TestFault723_HostilePage(t *testing.T) {
	t.Parallel()
	seed, _ := seeded(t)
	v, p := newUsers(t)
	v.site.Page("/hostile", hostilePage)
	page := v.openAs("ada")
	chrome.Eval[chrome.Void](page,
		`void follow(mcp.callTool("count", { call: "a_ada", n: 6, gate: "a_ada", retry_ms: 10 }))`)
	passes(p, "a_ada", 2)
	v.has(page, "a_ada", 2)
	hostile := v.profile.Open(v.site.URL + "/hostile")
	hostile.WaitFor(`window.ready`)
	for round := range uint64(3) {
		if n := chrome.Script[int](hostile,
			fmt.Sprintf(`return attack(%s, %s, %s, %d, 2_000);`, madeOf(page), chrome.JS(buildOf(page)),
				chrome.JS(p.URL()), (seed+round)%(1<<31))); n == 0 {
			t.Fatal("it knows no key")
		}
	}
	hostile.WaitFor(`heard.some((message) => message.t === "answered" && message.ask === 88888)`)
	heard := chrome.Eval[string](hostile, `JSON.stringify(heard, (_, value) => typeof value === "bigint" ? `+
		`String(value) : ArrayBuffer.isView(value) ? [...value].join() : value)`)
	for _, secret := range []string{"token-of-ada", "a_ada"} {
		if at := strings.Index(heard, secret); at >= 0 {
			t.Errorf("it has heard %q: %s", secret, heard[max(0, at-200):min(len(heard), at+200)])
		}
	}
	passes(p, "a_ada", 2)
	v.has(page, "a_ada", 4)
	hostile.Close()
	page.Reload()
	v.has(page, "a_ada", 4)
	passes(p, "a_ada", 3)
	// each number once; the stream may have been held while the page's clients had the connections
	v.outcome(page, "a_ada", "result")
	if runs := p.Oracle().Runs("a_ada"); runs != 1 {
		t.Errorf("%d runs", runs)
	}
}
