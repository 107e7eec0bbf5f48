//go:build !js

package wires

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// codes are the errors that a stream may be cut with. NO_ERROR is what a browser may take for a whole answer.
var codes = []http2.ErrCode{
	http2.ErrCodeNo, http2.ErrCodeProtocol, http2.ErrCodeInternal, http2.ErrCodeFlowControl,
	http2.ErrCodeStreamClosed,
	http2.ErrCodeRefusedStream, http2.ErrCodeCancel, http2.ErrCodeEnhanceYourCalm,
}

// TestFault442_StreamReset: a stream is cut by RST_STREAM, with each code that there is.
// The connection lives, and so do the other streams; the call goes on where it was, and ran once.
func TestFault442_StreamReset(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	page := w.open(`listen: false`)
	some := codes
	if !*all {
		some = []http2.ErrCode{http2.ErrCodeNo, http2.ErrCodeInternal, http2.ErrCodeRefusedStream}
	}
	for _, code := range some {
		label := code.String()
		w.calls(page, 4, 2, label)
		if n := w.proxy.Reset(code); n != 1 {
			t.Fatalf("%d streams were open", n)
		}
		w.come(page, 1, 3, label)
		w.counted(page, 4, label)
		w.resumes(label, 1)
	}
	if _, made := w.proxy.Connections(); made != 1 {
		t.Errorf("%d connections were made", made)
	}
}

// TestFault443_GoAway: the server's GOAWAY comes in the middle of streams, as at each deploy behind a
// proxy. They go on; what is asked afterwards goes over another connection; and when the old one is closed,
// each is resumed there.
func TestFault443_GoAway(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	page := w.open(`listen: false`)
	calls := labels(5)
	w.calls(page, 5, 2, calls...)
	w.proxy.GoAway()
	eventually(t, "another connection", func() bool {
		// The browser may not have heard yet: then the request is on the connection that goes, and may fail.
		chrome.Script[chrome.Void](page, `await mcp.request("tools/list").result.catch(() => {});`)
		open, made := w.proxy.Connections()
		return open == 2 && made == 2
	})
	w.come(page, 1, 3, calls...)
	for _, label := range calls {
		w.resumes(label, 0)
	}
	w.proxy.CloseLeaving()
	w.come(page, 1, 4, calls...)
	w.counted(page, 5, calls...)
	for _, label := range calls {
		w.resumes(label, 1)
	}
}

// TestFault444_ConnectionClosedUnderStreams: thirty streams are on one connection, and it is closed. Each is
// resumed, once, and each call ran once.
func TestFault444_ConnectionClosedUnderStreams(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	page := w.open(`listen: false`)
	calls := labels(30)
	w.calls(page, 3, 1, calls...)
	if n := w.proxy.Open(); n != len(calls) {
		t.Fatalf("%d streams are open", n)
	}
	if open, _ := w.proxy.Connections(); open != 1 {
		t.Fatalf("%d connections are open", open)
	}
	w.proxy.Close()
	w.come(page, 1, 2, calls...)
	w.counted(page, 3, calls...)
	for _, label := range calls {
		w.resumes(label, 1)
	}
}

// TestFault447_IdleStreamsClosed: a proxy ends each stream that has been silent for 30 seconds, by RST_STREAM
// or as if it was whole; so it does to the one that resumes it. A call that is silent for long loses nothing
// and runs once.
func TestFault447_IdleStreamsClosed(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	page := w.open(`listen: false`)
	w.proxy.IdleLimit(30 * time.Second)
	for _, properly := range []bool{false, true} {
		label := fmt.Sprintf("properly_%v", properly)
		w.calls(page, 4, 2, label)
		for n := range 3 {
			eventually(t, "its stream", func() bool { return w.proxy.Open() == 1 })
			if ended := w.proxy.Advance(29*time.Second, properly); ended != 0 {
				t.Fatalf("%d streams are ended after 29 s", ended)
			}
			if ended := w.proxy.Advance(time.Second, properly); ended != 1 {
				t.Fatalf("%d streams are ended after 30 s", ended)
			}
			eventually(t, "it is resumed", func() bool { return w.p.Oracle().Connections(label) == n+2 })
		}
		w.come(page, 1, 3, label)
		w.counted(page, 4, label)
		w.resumes(label, 3)
	}
}

// TestFault448_HeadTruncated: the head of an answer ends in its middle, with the connection. Whether the
// tool has run the client cannot know, and it sends nothing twice: what Chrome sends again by
// itself has the same id. Of the head that a resume gets nothing is lost.
func TestFault448_HeadTruncated(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	page := w.open(`listen: false`)
	w.calls(page, 4, 2, "resumed")
	w.proxy.Reset(http2.ErrCodeInternal)
	w.proxy.TruncateHeads(2)
	w.come(page, 1, 3, "resumed")
	w.counted(page, 4, "resumed")

	w.proxy.TruncateHeads(1)
	chrome.Eval[chrome.Void](page, `call("sideeffect", "unknown", {})`)
	page.WaitFor(`tracked.unknown.done`)
	code := chrome.Eval[string](page, `tracked.unknown.code`)
	var ids []string
	for _, r := range w.p.Of("tools/call") {
		ids = append(ids, r.ID)
	}
	ids = ids[1:] // of the first call
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("the request was sent with the ids %v", ids)
		}
	}
	if len(ids) == 1 && code != "outcome_unknown" || len(ids) > 1 && code != "" {
		t.Errorf("after %d requests the call ended with %q", len(ids), code)
	}
	t.Logf("one call, %d requests", len(ids))
}
