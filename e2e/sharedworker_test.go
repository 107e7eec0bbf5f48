//go:build !js

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// What the shared host rests on is not in every browser, and no standard has all
// of it: here is what we count on, without a line of Holdfast.

// plainWorker reads one stream, says what it has of it, and waits for the locks
// of its pages.
const plainWorker = `
const born = crypto.randomUUID();
const gone = [];
let read = 0, ended = "";
navigator.locks.request(born, () => new Promise(() => {}));
const stream = async () => {
	const reader = (await fetch("/stream")).body.getReader();
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return "done";
		read += value.length;
	}
};
onconnect = ({ ports: [port] }) => {
	port.onmessage = ({ data }) => {
		if (data.page) navigator.locks.request(data.page, () => { gone.push(data.page); });
		if (data.start) stream().catch(String).then((how) => { ended = how; });
		port.postMessage({ born, read, ended, gone });
	};
};
`

// plainPage is a page of it. EXTENDED is whether its worker outlives it.
const plainPage = `
window.me = crypto.randomUUID();
await new Promise((held) => { navigator.locks.request(me, () => (held(), new Promise(() => {}))); });
window.attach = (extendedLifetime) => {
	window.failed = false;
	window.worker = new SharedWorker("/plain.worker.mjs", { type: "module", name: "plain", extendedLifetime });
	worker.onerror = () => { failed = true; };
	worker.port.onmessage = ({ data }) => { window.state = data; };
	worker.port.postMessage({ page: me });
};
addEventListener("pagehide", ({ persisted }) => { if (persisted) localStorage["cached " + me] = "yes"; });
window.ask = () => { worker.port.postMessage({}); return state; };
attach(EXTENDED);
window.ready = true;
`

// plainSite is an origin of such pages, and its server's count of streams.
type plainSite struct {
	*chrome.Site
	page           string // its address
	opened, closed atomic.Int32
	send           chan struct{} // one byte each
}

func newPlainSite(t *testing.T, extended bool) *plainSite {
	t.Helper()
	s := &plainSite{Site: chrome.NewSite(t), send: make(chan struct{})}
	s.File("/plain.worker.mjs", plainWorker)
	s.page = s.Page("/plain", strings.Replace(plainPage, "EXTENDED", fmt.Sprint(extended), 1))
	s.Handle("/stream", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.opened.Add(1)
		defer s.closed.Add(1)
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		for {
			select {
			case <-r.Context().Done():
				return
			case <-s.send:
				_, _ = w.Write([]byte("."))
				w.(http.Flusher).Flush()
			}
		}
	}))
	return s
}

// reads sends a byte, and waits until a page's worker has so many.
func (s *plainSite) reads(page *chrome.Page, n int) {
	s.send <- struct{}{}
	page.WaitFor(`ready && ask().read === ` + chrome.JS(n))
}

// TestSharedWorkerOutlivesAReload: a worker with an extended lifetime goes on, and
// its stream with it, whatever becomes of its pages. Only a crash of the page that made
// it may be its own: Chrome starts it in the renderer of that page.
func TestSharedWorkerOutlivesAReload(t *testing.T) {
	t.Parallel()
	s := newPlainSite(t, true)
	elsewhere := chrome.NewSite(t)
	page := chrome.OpenWindow(t, s.page)
	page.WaitFor(`ready && state`)
	born := chrome.Eval[string](page, `(worker.port.postMessage({ start: true }), state.born)`)
	s.reads(page, 1)
	profile := page.Profile()
	for i, happens := range []struct {
		name string
		do   func()
	}{
		{"a reload", func() { page.Reload() }},
		{"another page of the origin and back", func() { page.Navigate(s.URL); page.Navigate(s.page) }},
		{"another origin and back", func() { page.Navigate(elsewhere.URL); page.Back() }},
		{"the last tab closes", func() { page.Close(); page = profile.Open(s.page) }},
	} {
		me := chrome.Eval[string](page, `me`)
		happens.do()
		s.reads(page, i+2)
		if now := chrome.Eval[string](page, `state.born`); now != born {
			t.Errorf("%s: another worker", happens.name)
		}
		if s.opened.Load() != 1 || s.closed.Load() != 0 {
			t.Errorf("%s: %d streams, %d closed", happens.name, s.opened.Load(), s.closed.Load())
		}
		// The lock that a page holds is the worker's when the page is gone. One in the back/forward
		// cache may keep its lock: Chromium can miss who asked for it while the page went in.
		page.WaitFor(fmt.Sprintf(`ask().gone.includes(%[1]s) || localStorage["cached " + %[1]s]`,
			chrome.JS(me)))
	}
}

// TestSharedWorkerDiesWithItsPage: without the option a reload is its end. A
// browser that does not know the option is one without it.
func TestSharedWorkerDiesWithItsPage(t *testing.T) {
	t.Parallel()
	s := newPlainSite(t, false)
	page := chrome.Open(t, s.page)
	page.WaitFor(`ready && state`)
	born := chrome.Eval[string](page, `(worker.port.postMessage({ start: true }), state.born)`)
	s.reads(page, 1)
	page.Reload()
	page.WaitFor(`ready && state`)
	if now := chrome.Eval[string](page, `state.born`); now == born {
		t.Error("the worker lives on")
	}
	eventually(t, "the stream to be closed", func() bool { return s.closed.Load() == 1 })
}

// TestSharedWorkerIsKilled: its page sees it by a lock, and by nothing else; the
// next worker of the name is another one.
func TestSharedWorkerIsKilled(t *testing.T) {
	t.Parallel()
	s := newPlainSite(t, true)
	page := chrome.Open(t, s.page)
	page.WaitFor(`ready && state`)
	born := chrome.Eval[string](page, `(worker.port.postMessage({ start: true }), state.born)`)
	s.reads(page, 1)
	page.WaitFor(`(await navigator.locks.query()).held.some(({ name }) => name === state.born)`)
	chrome.Eval[chrome.Void](page, `void navigator.locks.request(state.born, () => { window.over = true; })`)
	workers := page.Profile().SharedWorkers()
	if len(workers) != 1 || workers[0].URL != s.URL+"/plain.worker.mjs" {
		t.Fatalf("workers: %+v", workers)
	}
	workers[0].Kill()
	page.WaitFor(`window.over`)
	eventually(t, "the stream to be closed", func() bool { return s.closed.Load() == 1 })
	if chrome.Eval[bool](page, `failed`) {
		t.Error("Chrome has begun to say so: the lock may not be needed")
	}
	chrome.Eval[chrome.Void](page, `(state = null, attach(true))`)
	page.WaitFor(`state && state.born !== ` + chrome.JS(born))
}

// TestSharedWorkerOfOneLifetime: who asks for a worker that is there, but with the
// other lifetime, gets an error. So the lifetime must follow from the name.
func TestSharedWorkerOfOneLifetime(t *testing.T) {
	t.Parallel()
	page := chrome.Open(t, newPlainSite(t, true).page)
	page.WaitFor(`ready && state`)
	chrome.Eval[chrome.Void](page, `attach(false)`)
	page.WaitFor(`failed`)
}
