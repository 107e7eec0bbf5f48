//go:build !js

package engines

import (
	"strings"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// blocked is a browser that refuses pages their storage: calls work, live in
// memory, and say so.
func blocked(s *scene) {
	s.alone(Options{Blocked: true})
	inMemory(s)
}

// refusing is a page whose storage is refused, for engines that have no such setting.
const refusing = `
for (const name of ["indexedDB", "localStorage", "sessionStorage"]) {
	Object.defineProperty(globalThis, name, { get() { throw new DOMException("refused", "SecurityError"); } });
}
globalThis.BroadcastChannel = class { constructor() { throw new DOMException("refused", "SecurityError"); } };
navigator.locks.request = () => Promise.reject(new DOMException("refused", "SecurityError"));
`

// refused is blocked, where a script has to do it.
func refused(s *scene) {
	s.before = refusing
	inMemory(s)
}

func inMemory(s *scene) {
	p := s.counting(peer.Options{})
	page := s.openKeeper(p.URL(), byHand)
	page.counts(p, "a", 5, 2)
	if got := eval[string](page, `mcp.durability + " " + calls.a.guarantee`); got != "memory lost-on-reload" {
		s.Errorf("it says %q", got)
	}
	connections := p.Oracle().Connections("a")
	p.CutStreams(peer.FIN)
	s.resumes(p, "a", connections)
	s.pass(p, 4)
	page.ends(p, "a", 5)
	if got := eval[bool](page, `holdfast.persist ? holdfast.persist() : mcp.persist()`); got {
		s.Error("storage is said to last that is refused")
	}
}

// private is a private window: a reload in mid-call is survived as in any other; when the window closes
// nothing is left, also in the profile that it was of.
func private(s *scene) {
	const inAnyHost = `{ host: "auto", ack: "manual" }`
	s.alone(Options{Private: true})
	p := s.counting(peer.Options{})
	page := s.openKeeper(p.URL(), inAnyHost)
	page.counts(p, "a", 6, 3)
	page.stored("a")
	if got := eval[string](page, `mcp.durability`); got != "indexeddb" {
		s.Errorf("durability is %q", got)
	}
	page.reload()
	page.waitFor(`window.ready && trails.a`)
	s.pass(p, 4)
	page.ends(p, "a", 6)
	page.counts(p, "b", 3, 1)
	page.stored("b")
	s.crash()
	page = s.openKeeper(p.URL(), inAnyHost)
	if left := eval[string](page,
		`JSON.stringify([Object.keys(trails), (await mcp.stored()).calls])`); left != "[[],0]" {
		s.Errorf("the next window has %s", left)
	}
}

// forget has one tab forget the user while the other has a call, and then wipe everything: nothing
// of it is on the disk, and the calls end all the same.
func forget(s *scene) {
	p := s.counting(peer.Options{})
	leaver := s.openKeeper(p.URL(), byHand)
	page := s.openKeeper(p.URL(), byHand)
	page.counts(p, "a", 5, 2)
	page.stored("a")
	if rows := eval[int](page, `mcp.stored().then(({ rows }) => rows)`); rows == 0 {
		s.Fatal("nothing is stored: what follows proves nothing")
	}
	eval[void](leaver, `mcp.forget()`)
	page.waitFor(`mcp.durability === "memory" && calls.a.guarantee === "lost-on-reload"`)
	s.pass(p, 4)
	page.ends(p, "a", 5)
	page.reload()
	page.waitFor(`window.ready`)
	if n := eval[int](page, `Object.keys(trails).length`); n != 0 {
		s.Errorf("%d forgotten calls come back", n)
	}
	page.counts(p, "b", 3, 1)
	page.stored("b")
	eval[void](leaver, `holdfast.wipe()`)
	page.waitFor(`mcp.durability === "memory"`)
	s.pass(p, 3)
	page.ends(p, "b", 3)
	if left := eval[string](page, atRest); strings.Contains(left, `"b"`) || strings.Contains(left, p.URL()) {
		s.Errorf("on the disk there is still %.400s", left)
	}
	page.reload()
	page.waitFor(`window.ready`)
	if n := eval[int](page, `Object.keys(trails).length`); n != 0 {
		s.Errorf("%d wiped calls come back", n)
	}
}

// atRest is all that the databases of a page's origin hold, as text. A database that is open elsewhere
// and is being deleted is not waited for.
const atRest = `(async () => {
	const done = (request) => new Promise((resolve, reject) => {
		request.onsuccess = () => resolve(request.result);
		request.onerror = request.onblocked = () => reject(request.error);
	});
	const text = (value) => {
		if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return new TextDecoder().decode(value);
		if (value && typeof value === "object") return Object.values(value).map(text).join(" ");
		return JSON.stringify(value) ?? "";
	};
	let all = Object.entries(localStorage).join(" ");
	for (const { name } of await indexedDB.databases()) {
		const db = await done(indexedDB.open(name));
		for (const store of db.objectStoreNames) all += text(await done(db.transaction(store).objectStore(store).getAll()));
		db.close();
	}
	return all;
})()`
