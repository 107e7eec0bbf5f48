//go:build !js

package wires

import (
	"fmt"
	"testing"

	"golang.org/x/net/http2"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// locks is how many Web Locks for connections are held and waited for in a page's origin.
func locks(page *chrome.Page) int {
	return chrome.Script[int](page, `return locks();`)
}

// begins has a page make calls, all at one gate.
func (w *wire) begins(page *chrome.Page, n int, labels ...string) {
	chrome.Eval[chrome.Void](page,
		fmt.Sprintf(`%s.forEach((label) => count(label, { n: %d, gate: "go" }))`, chrome.JS(labels), n))
}

// TestFault449_NoBoundOverHTTP2: a hundred calls are in flight over HTTP/2, in two tabs. All of them are at
// the server at once, on one connection a tab has no more of than the other, and no call has a Web Lock.
func TestFault449_NoBoundOverHTTP2(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	one, two := w.open(`listen: false`), w.open(`listen: false`)
	calls := labels(100)
	w.begins(one, 2, calls[:50]...)
	w.begins(two, 2, calls[50:]...)
	eventually(t, "all calls at the server at once", func() bool { return w.proxy.Open() == len(calls) })
	if n := locks(one); n != 0 {
		t.Errorf("there are %d locks for connections", n)
	}
	if open, made := w.proxy.Connections(); open != 1 || made != 1 {
		t.Errorf("%d connections of %d", open, made)
	}
	w.p.Release("go")
	w.counted(one, 2, calls[:50]...)
	w.counted(two, 2, calls[50:]...)
}

// TestFault449_NoBoundInASharedWorker: the same in the shared host, whose tabs have one client.
func TestFault449_NoBoundInASharedWorker(t *testing.T) {
	t.Parallel()
	long(t)
	w := newWire(t)
	one, two := w.open(`listen: false, host: "shared"`), w.open(`listen: false, host: "shared"`)
	calls := labels(100)
	w.begins(one, 2, calls[:50]...)
	w.begins(two, 2, calls[50:]...)
	eventually(t, "all calls at the server at once", func() bool { return w.proxy.Open() == len(calls) })
	if n := locks(one); n != 0 {
		t.Errorf("there are %d locks for connections", n)
	}
	w.p.Release("go")
	w.counted(one, 2, calls[:50]...)
	w.counted(two, 2, calls[50:]...)
}

// TestFault441_HTTPSOverHTTP11: a server behind TLS speaks HTTP/1.1. A page of its origin knows by
// its own address: its calls take turns on three connections, and other requests find one.
func TestFault441_HTTPSOverHTTP11(t *testing.T) {
	t.Parallel()
	w := newServer(t, peer.Options{HTTP1: true})
	page := w.open(`listen: false`)
	calls := labels(12)
	w.begins(page, 4, calls...)
	bounded(t, w, page, len(calls))
	w.p.Release("go")
	w.counted(page, 4, calls...)
}

// bounded checks that calls take turns on three connections: all of them come to the server, and other
// requests find a way there.
func bounded(t *testing.T, w *wire, page *chrome.Page, calls int) {
	t.Helper()
	eventually(t, "all calls at the server", func() bool {
		if n := w.p.OpenStreams(); n > 4 { // one that the server has not missed yet
			t.Fatalf("%d streams are open", n)
		}
		return len(w.p.Oracle().Labels()) == calls
	})
	if n := locks(page); n == 0 {
		t.Error("there is no lock for a connection")
	}
	for range 5 {
		chrome.Script[chrome.Void](page, `await mcp.request("tools/list").result;`)
		if n := w.p.OpenStreams(); n > 4 {
			t.Errorf("%d streams are open", n)
		}
	}
}

// TestFault441_AnotherOriginIsLearned: the server is of another origin than the page, over HTTP/1.1, and
// sends Timing-Allow-Origin. The page learns it with the first answer, and the next page knows before its
// first request: the calls that come back take turns at once.
func TestFault441_AnotherOriginIsLearned(t *testing.T) {
	t.Parallel()
	w := newServer(t, peer.Options{HTTP1: true, CORS: peer.CORS{Timing: true}})
	server := w.origin
	home := newServer(t, peer.Options{})
	w.origin, w.profile = home.origin, home.profile
	page := w.profile.Open(w.origin + "/app")
	w.origin = server
	w.begin(page, `listen: false`)
	calls := labels(8)
	w.begins(page, 4, calls[0])
	eventually(t, "it is learned", func() bool { return locks(page) > 0 })
	w.begins(page, 4, calls[1:]...)
	bounded(t, w, page, len(calls))
	page.WaitFor(`Object.values(tracked).every(({ call }) => call.guarantee !== "lost-on-reload")`)
	page.Reload()
	w.begin(page, `listen: false`)
	page.WaitFor(fmt.Sprintf(`Object.keys(tracked).length >= %d`, len(calls)))
	bounded(t, w, page, len(calls))
	w.p.Release("go")
	w.counted(page, 4, calls...)
}

// TestFault441_HTTP11InMidLife: the connection is of HTTP/2, and then the server asks for HTTP/1.1 (a proxy
// was put in between). Calls have as many streams as there are calls, and then take turns.
func TestFault441_HTTP11InMidLife(t *testing.T) {
	t.Parallel()
	long(t)
	w := newWire(t)
	page := w.open(`listen: false`)
	calls := labels(12)
	// No more than five: a browser tells of an answer when it has ended, and the one that
	// shall end needs a connection.
	w.begins(page, 4, calls[:5]...)
	eventually(t, "five calls at once", func() bool { return w.proxy.Open() == 5 })
	// else who cuts them ends them
	page.WaitFor(`Object.values(tracked).every(({ call }) => call.guarantee === "resumable")`)
	w.proxy.Reset(http2.ErrCodeHTTP11Required)
	chrome.Script[chrome.Void](page, `await mcp.request("tools/list").result;`)
	eventually(t, "it is learned", func() bool { return locks(page) > 0 })
	w.begins(page, 4, calls[5:]...)
	eventually(t, "three streams", func() bool { return w.p.OpenStreams() <= 3 })
	bounded(t, w, page, len(calls))
	w.p.Release("go")
	w.counted(page, 4, calls...)
}
