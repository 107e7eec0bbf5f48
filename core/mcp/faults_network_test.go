package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 47: a browser that says it is offline is wrong often enough (loopback,
// VPN) that attempts become rare and never stop; when it says online, the next
// one is made at once.
func TestFault47_OfflineSlowsAndOnlineTries(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.offline()
	o.cut(engine.EndNetwork)
	waits := o.attempts(600_000, func() { o.cut(engine.EndNetwork) })
	if len(waits) < 10 || len(waits) > 20 {
		t.Errorf("%d attempts in ten minutes offline", len(waits))
	}
	for i, waited := range waits {
		if waited < 30_000 {
			t.Errorf("attempt %d came after %d ms", i+1, waited)
		}
	}
	o.online()
	if from, waited := o.resume(); waited != 0 || from != "p" {
		t.Errorf("online: resumed from %q after %d ms", from, waited)
	}
	o.progress(1)
	o.wantProgress(1)
}

// Fault 47: being offline says nothing about a stream that is open, so it is
// left alone. Being online again demands a sign of life within a second.
func TestFault47_OpenStreamProvesItself(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.offline()
	if len(o.Effects) != 0 || o.Exchange(o.x).Over {
		t.Error("offline touches an open stream")
	}
	o.Advance(10_000)
	o.progress(1)
	o.online()
	o.Advance(999)
	o.progress(2) // alive: nothing happens
	o.Advance(60_000)
	if o.Exchange(o.x).Over {
		t.Fatal("a stream that had proved itself was aborted")
	}
	o.online()
	if after := o.silent(); after != 1_000 {
		t.Errorf("a silent stream was aborted after %d ms", after)
	}
	if from, waited := o.resume(); from != "e2" || waited > 250 {
		t.Errorf("resumed from %q after %d ms", from, waited)
	}
	o.wantProgress(1, 2)
}

// Fault 47: a stream that could not be resumed is not put to the proof: to
// abort it would lose what may still come.
func TestFault47_StreamWithoutACursorIsLeftAlone(t *testing.T) {
	o := connected(t, mcp.Config{}).stream("tools/call")
	o.online()
	o.woke(0)
	o.Advance(120_000)
	if o.Exchange(o.x).Over {
		t.Fatal("aborted")
	}
	o.result("")
	o.wantResult()
}

// spin accepts every reconnect and closes it at once, until the call settles or
// the time, in ms, is over. It returns when the closes were, from the first on.
func (o *onStream) spin(during int64, how engine.Ending, say string) []int64 {
	o.t.Helper()
	began := o.Now
	at := []int64{0}
	for o.call(o.c).settled == nil {
		x, _ := o.nextFetch(during - o.Now.Since(began))
		if x == 0 {
			break
		}
		o.x = x
		o.Head(o.x, 200, "content-type", coretest.Stream)
		if say != "" {
			o.say(say)
		}
		o.cut(how)
		at = append(at, o.Now.Since(began))
	}
	return at
}

// Fault 48: a server that accepts and closes at once, at one cursor, and asks
// to be polled quickly, would be polled for ever. Five closes within 500 ms are
// enough: the app is told, the pace becomes that of backoff, and in the end the
// call is rejected.
func TestFault48_HotLoopGuard(t *testing.T) {
	for retry := range map[int]bool{0: true, 10: true, 50: true, 100: true} {
		for _, say := range []string{"", ": hello\n\n", fmt.Sprintf("retry: %d\n\n", retry),
			"id: p\ndata:\n\n"} {
			name := fmt.Sprintf("retry: %d, then %q", retry, say)
			o := connected(t, mcp.Config{}).stream("tools/call")
			o.say(fmt.Sprintf("id: p\nretry: %d\ndata:\n\n", retry))
			o.cut(engine.EndClean)
			at := o.spin(1_000_000, engine.EndClean, say)
			o.wantFailure(engine.CodeReconnectLoop)
			first := -1
			for _, e := range o.call(o.c).events {
				if e.Event != engine.EventStatus || !strings.Contains(string(e.Data), `"cut"`) {
					continue
				}
				first++
				if strings.Contains(string(e.Data), `"code":"reconnect_loop"`) {
					break
				}
			}
			if first < 5 || first > 6 || at[first]-at[first-4] > 500 {
				t.Errorf("%s: tripped at close %d, closes at %v", name, first, at)
				continue
			}
			for i := first + 1; i < len(at); i++ {
				if at[i]-at[i-1] < 1_000 {
					t.Errorf("%s: after the guard tripped close %d came after %d ms", name, i, at[i]-at[i-1])
				}
			}
			if after := len(at) - 1 - first; after != mcp.LoopTries+1 {
				t.Errorf("%s: %d more tries", name, after)
			}
			if o.call(o.c).settled.Failure.Retryable {
				t.Errorf("%s: a tool that may have run counts as retryable", name)
			}
			o.wantIdle()
		}
	}
}

// Fault 48: without a retry of the server's the ladder keeps the pace, so the
// guard has no reason to trip and the call waits on.
func TestFault48_LadderNeedsNoGuard(t *testing.T) {
	for _, how := range cuts {
		o := connected(t, mcp.Config{}).primed("p")
		o.cut(how)
		at := o.spin(600_000, how, "")
		o.wantPending()
		if busy := busiest(append([]int64(nil), at...), 500); busy > 2 || len(at) > 31 {
			t.Errorf("%d attempts, %d of them within 500 ms", len(at), busy)
		}
		if status := o.lastStatus(); strings.Contains(status, "code") {
			t.Errorf("status %s", status)
		}
	}
}

// Fault 48: anything new ends the suspicion, and so does a connection that
// lasts: a proxy which closes quiet streams every minute is no hot loop.
func TestFault48_GuardForgets(t *testing.T) {
	o := connected(t, mcp.Config{}).stream("tools/call")
	o.say("id: p\nretry: 20\ndata:\n\n")
	for n := 1; n <= 30; n++ {
		for range 4 {
			o.cut(engine.EndClean)
			o.resume()
		}
		o.progress(n)
	}
	o.wantPending()
	o.cut(engine.EndClean)
	for range 5 {
		o.resume()
		o.cut(engine.EndClean)
	}
	if status := o.lastStatus(); !strings.Contains(status, "reconnect_loop") {
		t.Fatalf("the guard has not tripped: %s", status)
	}
	for range 50 {
		o.resume()
		o.Advance(2_000)
		o.say(": alive\n\n")
		o.Advance(28_000)
		o.cut(engine.EndClean)
		o.wantPending()
	}
	if status := o.lastStatus(); strings.Contains(status, "reconnect_loop") {
		t.Errorf("status %s", status)
	}
}

// Fault 48: the stream for unasked messages has no call to reject. It goes on,
// slowly, since nothing else tells of what it carries.
func TestFault48_ListenStreamGoesOn(t *testing.T) {
	r := newRig(t, mcp.Config{}).connectListening()
	for range 100 {
		r.Chunk(r.Newest(), "retry: 0\n\n")
		r.End(r.Newest(), engine.EndClean)
		x, waited := r.nextFetch(60_000)
		if x == 0 {
			t.Fatalf("not opened again after %d statuses, the last %s", len(r.statuses),
				r.statuses[len(r.statuses)-1])
		}
		if looping := strings.Contains(r.statuses[len(r.statuses)-1], "reconnect_loop"); looping &&
			waited < 1_000 {
			t.Errorf("opened again after %d ms", waited)
		}
		r.Head(x, 200, "content-type", coretest.Stream)
	}
	if all := strings.Join(r.statuses, " "); !strings.Contains(all, `"code":"reconnect_loop"`) {
		t.Error("the app is not told")
	}
}
