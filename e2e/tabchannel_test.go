//go:build !js

package e2e

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// forging is a page of the origin, without Holdfast: it knows the channels of the stores that are there, and
// says on them what it likes.
const forging = `<!doctype html><script>
	window.channels = async () => {
		const db = await new Promise((resolve, reject) => Object.assign(indexedDB.open("holdfast"), { onsuccess: (e) => resolve(e.target.result), onerror: reject }));
		const records = await new Promise((resolve) => (db.transaction("keys").objectStore("keys").getAll().onsuccess = (e) => resolve(e.target.result)));
		db.close();
		return records.map(({ name }) => String(name)).filter((name) => name.startsWith("generation ")).map((name) => "holdfast." + name.slice(11));
	};
	window.forge = async (each) => {
		const names = await channels();
		for (const name of names) {
			const channel = new BroadcastChannel(name);
			each((data) => channel.postMessage(data));
			await new Promise((turn) => setTimeout(turn, 0));
			channel.close();
		}
		return names.length;
	};
	window.pick = (random) => {
		const ops = (size) => { const bytes = new Uint8Array(size).map(() => random() * 256); if (size > 1) { bytes[0] = 1 + random() * 5; bytes.fill(0, 12, Math.min(size, 28)); if (size > 28) { bytes[12] = random() * 4; bytes[20] = random() * (size - 28); } } return bytes; };
		const values = [null, undefined, 0, -1, 1, 2 ** 53, NaN, Infinity, 1.5, "", "x", "{", "{}", [], {}, true, 7n, new Date(), new Uint8Array(5), new ArrayBuffer(9), ops(28), ops(90), ops(400), new Map([[1, 2]])];
		const any = () => values[Math.floor(random() * values.length)];
		const kinds = ["hello", "here", "stored", "session", "taken", "released", "frozen", "cancel", "forward", "settled", "said", "ping", "constructor", "__proto__", null];
		return () => {
			if (random() < 0.1) return any();
			if (random() < 0.1) return { from: any() };
			const message = { kind: kinds[Math.floor(random() * kinds.length)] };
			for (const member of ["ops", "call", "epoch", "sealed", "reason", "text", "to", "request", "outcome", "event", "position", "generation"]) if (random() < 0.6) message[member] = any();
			return { from: random() < 0.8 ? "forged" : any(), message: random() < 0.9 ? message : any() };
		};
	};
</script>`

// TestFault733_ForgedOnTheChannel: another script of the origin says what is no message, and what looks like
// one, on the channel of a tab's store. Nothing of it ends a runtime, or what is stored: the call that is
// under way goes on, and one that is made after it ends.
func TestFault733_ForgedOnTheChannel(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"page", "shared", "worker"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			p := keeping(t, "kept")
			profile, site := chrome.NewProfile(t), chrome.NewSite(t)
			site.File("/forging.html", forging)
			page := appIn(profile, site, p.URL(), `{ principal: "ada", host: "`+host+`" }`)
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("note"))`)
			page.WaitFor(`call.guarantee !== "lost-on-reload"`)
			forger := profile.Open(site.URL + "/forging.html")
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			for what, forged := range map[string]string{
				"what is nothing": `forge((say) => { say(null); say({ from: "x" }); say({ from: "x",` +
					` message: null }); say({ from: "x", message: { kind: "stored", ops: null } }); })`,
				"what has a wrong member": `forge((say) => { say({ from: "x", message: { kind: "stored",` +
					` ops: "x" } }); say({ from: null, message: { kind: "hello" } }); say({ from: "x",` +
					` message: { kind: "taken", call: "1", epoch: 2n, sealed: {}, ops: null } });` +
					` say({ from: "x", message: { kind: "cancel", call: -1, reason: {} } });` +
					` say({ from: "x", message: { kind: "released" } }); say({ from: "x",` +
					` message: { kind: "ping", to: 7 } }); })`,
				"a logout that was none": `forge((say) => { say({ from: "x", message: { kind: "wiped" } });` +
					` say({ from: "x", message: { kind: "wiped", generation: "x" } }); })`,
				"ten thousand of any kind": `(() => { let state = BigInt("` + strconv.FormatUint(seed, 10) +
					`"); const random = () => Number((state = (state * 6364136223846793005n + ` +
					`1442695040888963407n) & (2n ** 64n - 1n)) >> 33n) / 2 ** 31; const one = pick(random);` +
					` return forge((say) => { for (let n = 0; n < 10000; n++) say(one()); }); })()`,
			} {
				if n := chrome.Eval[int](forger, forged); n == 0 {
					t.Fatalf("%s: no channel is known", what)
				}
			}
			// Its own word comes behind them on the same channels.
			if got := chrome.Script[string](page,
				`await mcp.listTools(); return mcp.durability + " " + mcp.state + " " + call.guarantee;`); !strings.HasPrefix(got, "indexeddb open ") || strings.HasSuffix(got, "lost-on-reload") {
				t.Errorf("after what was forged: %s", got)
			}
			p.Release("go")
			outcome(t, page, "")
			p.Release("go")
			if got := chrome.Script[string](page,
				`const next = mcp.callTool("note"); await next.result; return mcp.durability;`); got !=
				"indexeddb" {
				t.Errorf("the next call: %s", got)
			}
		})
	}
}
