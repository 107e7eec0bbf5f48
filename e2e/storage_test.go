//go:build !js

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/storage"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// rig is a page with the whole runtime, on a store that a test damages, and a
// server whose tool counts.
type rig struct {
	t       *testing.T
	p       *peer.Peer
	site    *chrome.Site
	profile *chrome.Profile
	address string
}

// storeRig makes one. damage is run in the page before it connects.
func storeRig(t *testing.T, damage string) *rig {
	t.Helper()
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	p.Counting(nil)
	r := &rig{t: t, p: p, site: chrome.NewSite(t), profile: chrome.NewProfile(t)}
	r.address = r.site.Page("/app", appScript+`
		window.told = [];
		window.begin = async (options = {}) => {
			window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, options);
			mcp.on("durability", ({ durability, why = "" }) => told.push(durability + " " + why));
			window.calls = await mcp.calls();
			return calls.length;
		};
		window.raw = (mode, run) => new Promise((resolve, reject) => {
			const open = indexedDB.open("holdfast");
			open.onerror = () => reject(open.error);
			open.onsuccess = () => {
				const tx = open.result.transaction([...open.result.objectStoreNames], mode);
				let value;
				Promise.resolve(run(tx, (request) => new Promise((got) => { request.onsuccess = () => got(request.result); }))).then((v) => (value = v));
				tx.oncomplete = () => { open.result.close(); resolve(value); };
				tx.onabort = () => reject(tx.error);
			};
		});
		`+damage+`
		window.ready = true;`)
	return r
}

// open opens a page; it has not connected yet.
func (r *rig) open() *chrome.Page {
	r.t.Helper()
	page := r.profile.Open(r.address)
	page.WaitFor(`window.ready`)
	return page
}

// begin connects; it returns how many calls came back.
func begin(page *chrome.Page) int { return chrome.Eval[int](page, `begin()`) }

// start makes the call and lets it count to two.
func (r *rig) start(page *chrome.Page) {
	r.t.Helper()
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("count", { n: 4, call: "a", gate: "go" }))`)
	r.p.Pass("go")
	r.p.Pass("go")
	page.WaitFor(`seen.progress.length === 2`)
}

// finish lets the call go on to its end, which has to be the right one, and
// looks at what the client says of the store.
func (r *rig) finish(page *chrome.Page, durability string, told ...string) {
	r.t.Helper()
	r.p.Pass("go")
	r.p.Pass("go")
	r.p.Pass("go")
	outcome(r.t, page, "")
	counted(r.t, page, 4)
	r.is(page, durability, told...)
	if n := r.p.Oracle().Runs("a"); n != 1 {
		r.t.Errorf("the call ran %d times", n)
	}
}

// is checks where the client says that calls are kept, and what it has told.
func (r *rig) is(page *chrome.Page, durability string, told ...string) {
	r.t.Helper()
	page.WaitFor(`told.length >= ` + chrome.JS(len(told)))
	got := chrome.Eval[struct {
		Durability string
		Told       []string
	}](page, `({ durability: mcp.durability, told })`)
	if got.Durability != durability || !slices.Equal(got.Told, told) {
		r.t.Errorf("got %+v, want %s and %q", got, durability, told)
	}
}

// TestFault63_NoIndexedDB: without a database, however that shows, calls live as
// long as the page, and the client says why.
func TestFault63_NoIndexedDB(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, damage, why string }{
		{"missing", `Object.defineProperty(globalThis, "indexedDB", { value: undefined });`, "missing"},
		{"forbidden",
			`Object.defineProperty(globalThis, "indexedDB", { get() { throw new DOMException("no",` +
				` "SecurityError"); } });`, "missing"},
		{"open throws",
			`IDBFactory.prototype.open = () => { throw new DOMException("no", "SecurityError"); };`,
			"missing"},
		{"open fails", `IDBFactory.prototype.open = () => {
			const request = Object.assign(new EventTarget(), { error: new DOMException("no", "InvalidStateError") });
			setTimeout(() => request.onerror(new Event("error")));
			return request;
		};`, "missing"},
		// As Chrome says it where the user blocks the cookies of this site, or of frames of other sites
		// (fault 732).
		{"denied", `for (const asked of ["open", "deleteDatabase"]) IDBFactory.prototype[asked] = () => {
			const request = Object.assign(new EventTarget(), { error: new DOMException("The user denied permission to access the database.", "UnknownError") });
			setTimeout(() => request.onerror(new Event("error")));
			return request;
		};`, "missing"},
		{"open hangs", `IDBFactory.prototype.open = () => new EventTarget();`, "timeout"},
	} {
		t.Run(test.name, func(t *testing.T) {
			row(t)
			r := storeRig(t, test.damage)
			page := r.open()
			begin(page)
			r.start(page)
			if guarantee := chrome.Eval[string](page, `call.guarantee`); guarantee != "lost-on-reload" {
				t.Errorf("guarantee %s", guarantee)
			}
			r.finish(page, "memory", "memory "+test.why)
			forgot := chrome.Script[[]string](page, `await mcp.stored();
				return [(await attempt(() => mcp.forget())).code, (await attempt(() => holdfast.wipe())).code];`)
			// A database that does not open may hold something: that is said. To
			// delete it whole needs no opening.
			want := []string{"", ""}
			if test.why == "timeout" {
				want[0] = "storage_failed"
			}
			if !slices.Equal(forgot, want) {
				t.Errorf("forget and wipe end with %q, want %q", forgot, want)
			}
		})
	}
}

// TestFault62_QuotaUnderACall: where there is no room, a call goes on in memory
// to its right result, and the client says so.
func TestFault62_QuotaUnderACall(t *testing.T) {
	t.Parallel()
	r := storeRig(t, "")
	small := 150_000.0
	meter := r.profile.Open(r.site.URL)
	chrome.Call(meter, storage.OverrideQuotaForOrigin,
		storage.OverrideQuotaForOriginParams{Origin: r.site.URL, QuotaSize: &small})
	page := r.open()
	begin(page)
	chrome.Eval[chrome.Void](page,
		`void watch(mcp.callTool("count", { n: 4, call: "a", gate: "go", bytes: 4e6 }))`)
	r.p.Pass("go")
	page.WaitFor(`seen.progress.length === 1 && told.length === 1`)
	if guarantee := chrome.Eval[string](page, `call.guarantee`); guarantee != "lost-on-reload" {
		t.Errorf("guarantee %s", guarantee)
	}
	r.p.Pass("go")
	r.finish(page, "memory", "memory quota")
}

// TestFault64_ConnectionToTheDatabaseBreaks: a dead handle is dropped and a new
// one opened; one after the other dead is memory.
func TestFault64_ConnectionToTheDatabaseBreaks(t *testing.T) {
	t.Parallel()
	const breaks = `
		const real = IDBDatabase.prototype.transaction;
		const dead = new WeakSet();
		window.kill = 0; // how many handles die from now on
		IDBDatabase.prototype.transaction = function (...args) {
			if (kill > 0 && !dead.has(this)) { kill--; dead.add(this); }
			if (dead.has(this)) throw new DOMException("The database connection is closing.", "InvalidStateError");
			return real.apply(this, args);
		};`
	t.Run("once", func(t *testing.T) {
		row(t)
		r := storeRig(t, breaks)
		page := r.open()
		begin(page)
		r.start(page)
		chrome.Eval[chrome.Void](page, `void (kill = 1)`)
		r.p.Pass("go")
		page.WaitFor(`seen.progress.length === 3 && kill === 0 && call.guarantee === "resumable"`)
		page.Reload()
		page.WaitFor(`window.ready`)
		if n := begin(page); n != 1 {
			t.Fatalf("%d calls came back", n)
		}
		chrome.Eval[chrome.Void](page, `void watch(calls[0])`)
		r.finish(page, "indexeddb")
	})
	t.Run("for ever", func(t *testing.T) {
		row(t)
		r := storeRig(t, breaks)
		page := r.open()
		begin(page)
		r.start(page)
		chrome.Eval[chrome.Void](page, `void (kill = Infinity)`)
		r.finish(page, "memory", "memory lost")
	})
}

// TestFault68_CommitAborts: a transaction that aborts at its end, with no error
// anywhere, has stored nothing: nobody waits for it, or takes it for stored.
func TestFault68_CommitAborts(t *testing.T) {
	t.Parallel()
	r := storeRig(t, `
		const real = IDBTransaction.prototype.commit;
		IDBTransaction.prototype.commit = function () { window.aborting ? this.abort() : real.call(this); };
		const put = IDBObjectStore.prototype.add;
		IDBObjectStore.prototype.add = function (...args) {
			const request = put.apply(this, args);
			if (window.aborting) queueMicrotask(() => { try { this.transaction.abort(); } catch {} });
			return request;
		};`)
	page := r.open()
	begin(page)
	r.start(page)
	page.WaitFor(`call.guarantee === "resumable"`)
	chrome.Eval[chrome.Void](page, `void (window.aborting = true)`)
	r.p.Pass("go")
	page.WaitFor(`seen.progress.length === 3 && told.length === 1 && call.guarantee === "lost-on-reload"`)
	r.finish(page, "memory", "memory lost")
}

// TestFault65_ClearedUnderACall: once the site's data was cleared, nothing of the
// call is written any more, and the next page finds nothing.
func TestFault65_ClearedUnderACall(t *testing.T) {
	t.Parallel()
	r := storeRig(t, "")
	page := r.open()
	begin(page)
	r.start(page)
	page.WaitFor(`call.guarantee === "resumable"`)
	chrome.Call(page, storage.ClearDataForOrigin,
		storage.ClearDataForOriginParams{Origin: r.site.URL, StorageTypes: "all"})
	page.WaitFor(`call.guarantee === "lost-on-reload"`)
	r.finish(page, "memory", "memory closed")
	if databases := chrome.Eval[int](page, `indexedDB.databases().then((all) => all.length)`); databases !=
		0 {
		t.Errorf("the page has made %d databases", databases)
	}
	page.Reload()
	page.WaitFor(`window.ready`)
	if n := begin(page); n != 0 {
		t.Errorf("%d calls came back", n)
	}
}

// TestFault71_EvictedBetweenPages: what is gone when a page loads was never
// there; it starts as at the first time.
func TestFault71_EvictedBetweenPages(t *testing.T) {
	t.Parallel()
	r := storeRig(t, "")
	r.profile.InWindows()
	page := r.open()
	begin(page)
	r.start(page)
	page.WaitFor(`call.guarantee === "resumable"`)
	page.Navigate(r.site.URL)
	chrome.Call(page, storage.ClearDataForOrigin,
		storage.ClearDataForOriginParams{Origin: r.site.URL, StorageTypes: "all"})
	page.Navigate(r.address)
	page.WaitFor(`window.ready`)
	if n := begin(page); n != 0 {
		t.Errorf("%d calls came back", n)
	}
	r.is(page, "indexeddb")
	if sum := chrome.Script[int](page,
		`return (await mcp.callTool("add", { a: 1, b: 2 }).result).structuredContent.sum;`); sum != 3 {
		t.Errorf("sum %d", sum)
	}
	if n := r.p.Oracle().Initializes(); n != 2 {
		t.Errorf("%d handshakes", n)
	}
}

// TestFault66_DatabaseHeldByAnotherTab: an open that gets no event at all, since
// another tab does not let go, is memory after three seconds; with the tab gone,
// the next page has the database again.
func TestFault66_DatabaseHeldByAnotherTab(t *testing.T) {
	t.Parallel()
	r := storeRig(t, "")
	r.held("", (*chrome.Page).Close)
}

// TestFault67_DatabaseHeldByAFrozenTab: the same where the tab would let go, if it
// were not asleep.
func TestFault67_DatabaseHeldByAFrozenTab(t *testing.T) {
	long(t)
	t.Parallel()
	r := storeRig(t, "")
	r.held(`db.onversionchange = () => db.close(); window.asleep = true;`, (*chrome.Page).Thaw)
}

// held has a tab hold the database, as its script has it, while another page
// works with the runtime, and lets it go in the end.
func (r *rig) held(script string, release func(*chrome.Page)) {
	r.t.Helper()
	holder := r.profile.Open(r.site.URL)
	chrome.Script[chrome.Void](holder, `
		window.db = await new Promise((resolve) => { const open = indexedDB.open("holdfast", 1); open.onsuccess = () => resolve(open.result); });
		`+script)
	if chrome.Eval[bool](holder, `Boolean(window.asleep)`) {
		holder.Freeze()
	}
	// Somebody wants to delete the database: until that is done, nobody opens it.
	page := r.open()
	chrome.Eval[chrome.Void](page, `void indexedDB.deleteDatabase("holdfast")`)
	begin(page)
	r.start(page)
	r.finish(page, "memory", "memory timeout")
	release(holder)
	next := r.open()
	begin(next)
	r.is(next, "indexeddb")
}

// TestFault60_NewerVersionComes: a page of a newer version upgrades the database
// under a call. This one writes no more and says so; what the newer one has is
// left alone, and a page of the old version finds memory.
func TestFault60_NewerVersionComes(t *testing.T) {
	t.Parallel()
	r := storeRig(t, "")
	page := r.open()
	begin(page)
	r.start(page)
	page.WaitFor(`call.guarantee === "resumable"`)
	newer := r.profile.Open(r.site.URL)
	chrome.Script[chrome.Void](newer, `await new Promise((resolve, reject) => {
		const open = indexedDB.open("holdfast", 2);
		open.onblocked = () => reject(new Error("blocked"));
		open.onupgradeneeded = () => open.result.createObjectStore("later").put("kept", "k");
		open.onsuccess = () => resolve(open.result.close());
	});`)
	r.finish(page, "memory", "memory newer")
	old := r.open()
	begin(old)
	r.is(old, "memory", "memory newer")
	kept := chrome.Script[string](newer, `return new Promise((resolve) => {
		const open = indexedDB.open("holdfast");
		open.onsuccess = () => { const got = open.result.transaction("later").objectStore("later").get("k"); got.onsuccess = () => resolve(got.result); };
	});`)
	if kept != "kept" {
		t.Errorf("the newer version's row is %q", kept)
	}
}

// TestFault70_DamagedRows: records of hostile types, torn and forged ones cost
// themselves; the page loads, and the calls beside them come back.
func TestFault70_DamagedRows(t *testing.T) {
	t.Parallel()
	r := storeRig(t, "")
	page := r.open()
	begin(page)
	r.start(page)
	page.WaitFor(`call.guarantee === "resumable"`)
	damaged := chrome.Script[int](page, `
		await mcp.close();
		return raw("readwrite", async (tx, got) => {
			const server = (await got(tx.objectStore("servers").getAllKeys()))[0][0];
			const calls = tx.objectStore("calls"), log = tx.objectStore("log");
			const head = (await got(calls.getAll()))[0];
			const rows = await got(log.getAll());
			let n = 0;
			const evil = [
				{ plain: "text" }, { plain: null }, { plain: new Uint8Array([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]) }, { plain: new Uint8Array(0) },
				{ epoch: "1" }, { epoch: -1 }, { epoch: 2 ** 60 }, { owner: { toString: null } }, { sealed: { length: 2 ** 32 } }, { sealed: null },
				{ plain: new Uint8Array(head.plain.map((byte) => byte ^ 0x80)) }, { plain: head.plain.slice(0, head.plain.length - 3) },
				{ plain: new Uint8Array([...head.plain, 1, 2, 3]) }, { plain: head.plain, __proto__: { polluted: true } },
			];
			for (const change of evil) calls.put({ ...head, ...change, call: head.call + ++n });
			calls.put({ server, call: "text" });
			calls.put({ server, call: [1, [2]] });
			for (const row of rows) {
				for (const change of [{ plain: 7 }, { secret: "x" }, { secret: new Uint8Array(5) }, { plain: row.plain.slice(1) }, { plain: new Uint8Array(row.plain.map((byte) => ~byte)) }]) {
					log.put({ ...row, ...change, call: row.call + 1000 + ++n });
				}
			}
			// In the log of the good call: rows that could not be its.
			for (const change of [{ epoch: 1, n: 1e9, plain: [] }, { epoch: 99, n: 1 }, { epoch: 1, n: -5 }, { epoch: 1, n: 0.5 }]) log.put({ ...rows[0], ...change });
			tx.objectStore("ids").put({ server, last: { valueOf: 1 } });
			return n;
		});`)
	if damaged < 20 {
		t.Fatalf("only %d records were damaged", damaged)
	}
	page.Reload()
	page.WaitFor(`window.ready`)
	chrome.Eval[int](page, `begin()`)
	if n := chrome.Eval[int](page,
		`calls.filter((call) => call.params.arguments.call === "a" && call.method === "tools/call").length`); n < 1 {
		t.Errorf("the good call did not come back: %d", n)
	}
	usage := chrome.Eval[struct{ Calls, Quarantined int }](page, `mcp.stored()`)
	if usage.Quarantined < 5 {
		t.Errorf("usage %+v", usage)
	}
	if sum := chrome.Script[int](page,
		`return (await mcp.callTool("add", { a: 1, b: 2 }).result).structuredContent.sum;`); sum != 3 {
		t.Errorf("sum %d", sum)
	}
	r.is(page, "indexeddb")
	if chrome.Eval[bool](page, `({}).polluted === true`) {
		t.Error("a record has changed all objects")
	}
}

// TestFault72_DeepAndLargeValues: arguments of a thousand levels, which no
// structured clone could hold much more of, and a result of eight megabytes are
// stored as bytes. What is nested beyond the limit, so that no page would read it
// back, is sent and not stored.
func TestFault72_DeepAndLargeValues(t *testing.T) {
	t.Parallel()
	r := storeRig(t, "")
	large := strings.Repeat("0123456789abcdef", 1<<19)
	r.p.ToolFunc("keep", func(c peer.Call) peer.Script {
		return peer.Script{peer.Progress(1, 1, ""), peer.Gate("end"), peer.Text(large)}
	})
	page := r.open()
	const begin = `begin({ limits: { depth: 1024 } })`
	chrome.Eval[int](page, begin)
	chrome.Eval[chrome.Void](page, `void (window.nested = (levels) => {
		let deep = 1;
		for (let i = 0; i < levels; i++) deep = i % 2 ? [deep] : { a: deep };
		return { deep };
	})`)
	chrome.Script[chrome.Void](page, `
		watch(mcp.callTool("keep", nested(1000), { ack: "manual" }));
		window.deeper = mcp.callTool("keep", nested(5000), { ack: "manual" });`)
	page.WaitFor(`seen.progress.length === 1`)
	r.p.Release("end")
	outcome(t, page, "")
	if n := chrome.Script[int](page, `return (await deeper.result).content[0].text.length;`); n != len(
		large) {
		t.Errorf("the deeper call's text has %d characters", n)
	}
	page.Reload()
	page.WaitFor(`window.ready`)
	if n := chrome.Eval[int](page, begin); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	got := chrome.Script[struct{ Depth, Length, Stored int }](page, `
		let depth = 0;
		for (let v = calls[0].params.arguments.deep; v !== 1; v = v.a ?? v[0]) depth++;
		return { depth, length: (await calls[0].result).content[0].text.length, stored: (await mcp.stored()).calls };`)
	if got.Depth != 1000 || got.Length != len(large) || got.Stored != 1 {
		t.Errorf("got %+v", got)
	}
	r.is(page, "indexeddb")
}
