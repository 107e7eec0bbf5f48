//go:build !js

package e2e

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// garbage is what a broken, an older or a hostile page of the origin may post. Most of
// it names what the other pages have.
const garbage = `
const kinds = ["hello", "connect", "ask", "abort", "make", "rerun", "cancel", "pause", "answer", "handed", "peek", "park",
	"draft", "ack", "reread", "reply", "typed", "credit", "away", "back", "bye", "welcome", "settle", "events", "nosuch", "__proto__", "constructor"];
const values = [undefined, null, -1, 0, 1, 2, 1e300, NaN, "", "x", "a".repeat(100_000), {}, [], new Uint8Array(3), new Uint32Array(3), new Error("x"), new Map([[1, 2]]), 1n, true];
const fields = ["build", "lock", "client", "url", "options", "handlers", "token", "ask", "op", "method", "args", "why", "call", "as", "reason", "on",
	"responses", "key", "draft", "position", "read", "events", "from", "to", "question", "value", "error", "bytes"];
window.throwAt = (port, rounds, random) => {
	for (const value of values) port.postMessage(value);
	for (let i = 0; i < rounds; i++) {
		const message = { t: kinds[Math.floor(random() * kinds.length)] };
		for (const field of fields) if (random() < 0.5) message[field] = values[Math.floor(random() * values.length)];
		port.postMessage(message);
	}
};
`

// seededRandom is a source of random numbers in the page, by a seed.
const seededRandom = `const source = (state) => () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32);`

// TestFault190_SharedGarbage: what is posted to the worker's ports that no page of this build
// posts is dropped. The pages that are there hear nothing of it.
func TestFault190_SharedGarbage(t *testing.T) {
	t.Parallel()
	seed, _ := seeded(t)
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Counting(nil)
	v := newVisits(t, p, "")
	v.site.Page("/rude", garbage+seededRandom+`window.ready = true; window.source = source;`)
	page := v.open()
	v.count(page, "a", 6, 2)
	made := madeOf(page)
	rude := v.profile.Open(v.site.URL + "/rude")
	rude.WaitFor(`window.ready`)
	// One that never says hello, one that does and then talks nonsense, and one whose
	// page goes in mid-message.
	build := buildOf(page)
	for i, hello := range []string{``, `port.postMessage({ t: "hello", build: ` + chrome.JS(build) +
		`, lock: "" });`, `port.postMessage({ t: "hello", build: "of another", lock: 7 });`} {
		chrome.Script[chrome.Void](rude, fmt.Sprintf(`
			const { port } = new SharedWorker(...%s);
			port.start();
			%s
			throwAt(port, 2_000, source(%d));`, made, hello, seed+uint64(i)))
	}
	passes(p, "a", 2)
	v.has(page, "a", 4)
	rude.Close()
	page.Reload()
	v.has(page, "a", 4)
	passes(p, "a", 3)
	v.ends(page, "a")
	v.uncut("a")
	v.oneHandshake()
	blameless(t, p)
}

// buildOf is the build that a page's worker has in its name.
func buildOf(page *chrome.Page) string {
	return chrome.Eval[string](page, `workers.at(-1)[1].name.split(" ")[1]`)
}

// madeOf is what a page made its worker of, as JavaScript.
func madeOf(page *chrome.Page) string {
	return chrome.Eval[string](page, `JSON.stringify(workers.at(-1))`)
}

// TestFault190_SharedTenPages: ten pages attach and leave at random while calls go on; another
// hundred attach and leave in one. The worker keeps nothing of those that went.
func TestFault190_SharedTenPages(t *testing.T) {
	long(t)
	t.Parallel()
	_, random := seeded(t)
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Counting(nil)
	v := newVisits(t, p, "")
	stays := v.open()
	v.count(stays, "a", 24, 2)
	var pages []*chrome.Page
	for come := 3; come <= 20; come++ {
		if i := random.IntN(10); i < len(pages) {
			pages[i].Close()
			pages = append(pages[:i], pages[i+1:]...)
		} else {
			pages = append(pages, v.open())
		}
		p.Pass("a")
		v.has(stays, "a", come)
		if n := len(pages); n > 0 {
			v.has(pages[random.IntN(n)], "a", come)
		}
	}
	passes(p, "a", 5)
	v.ends(stays, "a")
	for _, page := range pages {
		v.ends(page, "a")
	}
	v.uncut("a")
	v.oneHandshake()
	blameless(t, p)
}

// TestFault190_SharedThousandAttachments: pages attach, connect and leave, over and over, beside one
// that stays. What the worker had of them it has no more.
func TestFault190_SharedThousandAttachments(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	v := newVisits(t, p, "")
	page := v.open()
	// It takes longer than a command may.
	attach := fmt.Sprintf(`window.attached = (async () => {
		for (let i = 0; i < 500; i++) {
			const lock = crypto.randomUUID();
			let free;
			await new Promise((held) => navigator.locks.request(lock, () => (held(), new Promise((resolve) => { free = resolve; }))));
			const { port } = new RealSharedWorker(...%s);
			const heard = (kind) => new Promise((resolve) => port.addEventListener("message", ({ data }) => data.t === kind && resolve(data)));
			port.start();
			const welcome = heard("welcome");
			port.postMessage({ t: "hello", build: %s, lock, outlives: true });
			await welcome;
			port.postMessage({ t: "holds" });
			const opened = heard("opened");
			port.postMessage({ t: "connect", client: 1, url: %s, options: { ack: "manual" }, handlers: [], token: false, again: false, ifKeys: false });
			await opened;
			// Half of them say so when they go.
			if (i %% 2) port.postMessage({ t: "bye" });
			port.close();
			free();
		}
	})().then(() => (window.all = true)), window.all = false, void 0`, madeOf(page), chrome.JS(buildOf(page)), chrome.JS(p.URL()))
	attachAll := func() {
		chrome.Eval[chrome.Void](page, attach)
		page.WaitWithin(roundLimit, `window.all`)
	}
	attachAll()
	before := v.worker().Heap()
	attachAll()
	after := v.worker().Heap()
	t.Logf("the worker's heap: %d KiB after 500 attachments, %d after 1,000", before>>10, after>>10)
	if grown := after - before; grown > 500*2<<10 {
		t.Errorf("each attachment leaves %d bytes", grown/500)
	}
	v.oneHandshake()
	blameless(t, p)
}
