//go:build !js

package e2e

import (
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// queueDamage lets a test of storeRig fill the store (nothing more can be added, while
// deletions succeed), and set the clock of the next page ahead.
const queueDamage = `
	const add = IDBObjectStore.prototype.add;
	IDBObjectStore.prototype.add = function (...args) {
		if (window.full && (this.name === "calls" || this.name === "log")) throw new DOMException("no room", "QuotaExceededError");
		return add.apply(this, args);
	};
	const clock = Date.now;
	Date.now = () => clock() + Number(localStorage.ahead ?? 0);`

// queued opens a page with three calls that keep the connections there are, at the
// gates g0 to g2, and a fourth, called late, that waits for one of them.
func queued(r *rig, options string) *chrome.Page {
	r.t.Helper()
	page := r.open()
	chrome.Script[chrome.Void](page, `await begin(`+options+`);`)
	for i := range 3 {
		gate := fmt.Sprintf("g%d", i)
		chrome.Eval[chrome.Void](page, `void mcp.callTool("sideeffect", { call: "`+gate+`", gate: "`+gate+
			`" }).result.catch(() => {})`)
		r.p.Waiting(gate)
	}
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("sideeffect", { call: "late" }))`)
	page.WaitFor(`call.guarantee === "resumable"`) // its head is stored: the next page would send it
	return page
}

func queueRig(t *testing.T) *rig {
	t.Helper()
	r := storeRig(t, queueDamage)
	r.p.SideEffects()
	return r
}

// TestFault126_StoreFailsWhileACallWaits: there is no room to note that a call leaves
// that has waited for its connection. It is not sent, not by this page and not by the
// next one, whatever the app does with it.
func TestFault126_StoreFailsWhileACallWaits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		then string
		runs int
	}{
		"given up": {`call.abandon()`, 0},
		"again":    {`void call.retry().result.then(() => (window.replayed = true))`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			r := queueRig(t)
			page := queued(r, `{ ack: "manual" }`)
			chrome.Eval[chrome.Void](page, `void (window.full = true)`)
			for i := range 3 {
				r.p.Release(fmt.Sprintf("g%d", i))
			}
			page.WaitFor(`seen.done`)
			got := chrome.Eval[failure](page,
				`({ code: seen.error.code, message: seen.error.message, retryable: seen.error.retryable })`)
			if got.Code != "unsent" || !got.Retryable {
				t.Errorf("it ends with %+v", got)
			}
			chrome.Eval[chrome.Void](page, test.then)
			if test.runs > 0 {
				page.WaitFor(`window.replayed`)
			}
			page.Reload()
			page.WaitFor(`window.ready`)
			begin(page)
			chrome.Script[chrome.Void](page,
				`await mcp.ping(); await mcp.callTool("sideeffect", { call: "after" }).result;`)
			if back := chrome.Eval[bool](page,
				`calls.some((call) => call.params.arguments.call === "late")`); back {
				t.Error("the next page has the call")
			}
			if runs := r.p.Oracle().Runs("late"); runs != test.runs {
				t.Errorf("it ran %d times, want %d", runs, test.runs)
			}
		})
	}
}

// TestFault409_ReloadedInAQueue: of calls that wait for connections it is stored ahead that
// they leave. The page is reloaded: those that have left run once and are not sent again, and
// the others, which have not, are sent by the next page.
func TestFault409_ReloadedInAQueue(t *testing.T) {
	t.Parallel()
	const calls, connections = 10, 3
	r := queueRig(t)
	page := r.open()
	chrome.Script[chrome.Void](page, `await begin();`)
	name := func(try, n int) string { return fmt.Sprintf("%d.%d", try, n) }
	last := 0
	for rows := 0; rows < calls; last++ { // a tab stores ahead once it knows that it is alone
		if last == 50 {
			t.Fatal("nothing is stored ahead")
		}
		chrome.Eval[chrome.Void](page, fmt.Sprintf(`void (window.all = Promise.allSettled(Array.from({ `+
			`length: %d }, (_, n) => mcp.callTool("sideeffect", { call: "%d." + n,`+
			` gate: "%[2]d." + n }).result)))`, calls, last))
		for n := range connections {
			r.p.Waiting(name(last, n))
		}
		rows = chrome.Eval[int](page, `raw("readonly", async (tx,`+
			` got) => (await got(tx.objectStore("log").getAll())).filter(({ epoch }) => epoch > 0).length)`)
		if rows >= calls {
			continue
		}
		for n := range calls {
			r.p.Release(name(last, n))
		}
		chrome.Script[chrome.Void](page, `await all;`)
	}
	last--
	page.Reload()
	page.WaitFor(`window.ready`)
	begin(page)
	for n := connections; n < calls; n++ {
		r.p.Waiting(name(last, n))
		r.p.Release(name(last, n))
	}
	chrome.Eval[chrome.Void](page, `void Promise.allSettled(calls.map(({ result }) => result)).then((all) `+
		`=> (window.ends = all.map(({ reason }) => reason?.code ?? "result")))`)
	for n := range connections {
		r.p.Release(name(last, n))
	}
	ends := chrome.Wait[[]string](page, `window.ends`)
	count := map[string]int{}
	for _, how := range ends {
		count[how]++
	}
	if count["result"] != calls-connections || count["outcome_unknown"] != connections {
		t.Errorf("the calls end with %v", ends)
	}
	for try := range last + 1 {
		for n := range calls {
			if runs := r.p.Oracle().Runs(name(try, n)); runs != 1 {
				t.Errorf("call %s ran %d times", name(try, n), runs)
			}
		}
	}
}

// TestFault127_QueuedCallOverAReload: the next page sends a call that waited, as its
// guarantee has said, but not an hour, a week or a month later, nor where the clock
// was set back meanwhile. A page that lives does not wait for longer, either.
func TestFault127_QueuedCallOverAReload(t *testing.T) {
	t.Parallel()
	const hour = 3_600_000
	for name, test := range map[string]struct {
		ahead int64
		code  string
	}{
		"at once": {0, ""}, "an hour": {hour, "unsent"}, "a week": {7 * 24 * hour, "unsent"},
		"a month":  {29 * 24 * hour, "unsent"},
		"set back": {-hour, "unsent"},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			r := queueRig(t)
			page := queued(r, `{ ack: "manual" }`)
			chrome.Eval[chrome.Void](page, fmt.Sprintf(`void (localStorage.ahead = %d)`, test.ahead))
			page.Reload()
			page.WaitFor(`window.ready`)
			begin(page)
			chrome.Eval[chrome.Void](page,
				`void watch(calls.find((call) => call.params.arguments.call === "late"))`)
			outcome(t, page, test.code)
			want := 1
			if test.code != "" {
				want = 0
			}
			if runs := r.p.Oracle().Runs("late"); runs != want {
				t.Errorf("it ran %d times, want %d", runs, want)
			}
		})
	}
	t.Run("no connection in time", func(t *testing.T) {
		row(t)
		r := queueRig(t)
		page := queued(r, `{ ack: "manual", sendWithin: 1500 }`)
		outcome(t, page, "unsent")
		for i := range 3 {
			r.p.Release(fmt.Sprintf("g%d", i))
		}
		chrome.Script[chrome.Void](page, `await mcp.callTool("sideeffect", { call: "after" }).result;`)
		if runs := r.p.Oracle().Runs("late"); runs != 0 {
			t.Errorf("it ran %d times", runs)
		}
	})
}

// TestFault128_FrozenOwnerSendsNothing: a tab is stopped without a word while its call
// waits for a token, and another one takes the call over. Back again, and before it
// hears of that, the first one has its token: the note that the call leaves tells it
// whose call that is.
func TestFault128_FrozenOwnerSendsNothing(t *testing.T) {
	long(t)
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.SideEffects()
	refused := ""
	p.Unauthorized(func(token string) bool { return token == refused })
	s := newTabs(t, p, "")
	owner := s.blank()
	chrome.Eval[chrome.Void](owner, `(() => {
		for (const name of ["freeze", "resume"]) addEventListener(name, (e) => e.stopImmediatePropagation(), true);
		const hear = Object.getOwnPropertyDescriptor(BroadcastChannel.prototype, "onmessage");
		Object.defineProperty(BroadcastChannel.prototype, "onmessage", { ...hear, set(handler) {
			hear.set.call(this, (event) => { if (!window.deaf) handler(event); });
		} });
	})()`)
	s.options =
		`{ ack: "manual", token: () => window.asked++ ? new Promise((give) => (window.give = give)) : ` +
			chrome.JS(bearer("old")) + ` }`
	chrome.Eval[chrome.Void](owner, `void (window.asked = 0)`)
	s.begin(owner)
	owner.WaitFor(`window.begun`)
	s.options = `{ ack: "manual", token: () => ` + chrome.JS(bearer("new")) + ` }`
	watcher := s.open()
	refused = bearer("old")
	chrome.Eval[chrome.Void](owner, `void mcp.ping()`)
	owner.WaitFor(`window.give`)
	chrome.Eval[chrome.Void](owner, `void track(mcp.callTool("sideeffect", { call: "a" }))`)
	owner.WaitFor(`tracked.a.call.guarantee === "resumable"`)
	watcher.WaitFor(`tracked.a`)
	chrome.Eval[chrome.Void](owner, `void (window.deaf = true)`)
	owner.Freeze()
	watcher.WaitFor(`tracked.a.done`)
	owner.Thaw()
	chrome.Eval[chrome.Void](owner, `give(`+chrome.JS(bearer("new"))+`)`)
	owner.WaitFor(`tracked.a.call.followed || tracked.a.done`)
	chrome.Script[chrome.Void](owner, `await mcp.ping();`)
	if runs := p.Oracle().Runs("a"); runs != 1 {
		t.Errorf("it ran %d times", runs)
	}
	if code := chrome.Eval[string](watcher, `tracked.a.code`); code != "" {
		t.Errorf("who took it over is told %q", code)
	}
}

// bearer returns a bearer token of one and the same user.
func bearer(name string) string {
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"i","sub":"s"}`)) + "." + name
}
