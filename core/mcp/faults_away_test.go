package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// tokenAway says that the provider needs the network, and could not reach it.
func (r *rig) tokenAway() {
	r.input("tokenaway", func(m *mcp.Client, now engine.Time) {
		m.Token(now, "", &engine.Error{Code: engine.CodeNetwork, Op: "token", Retryable: true,
			Message: "away"})
	})
}

// leftBehind returns a page that comes after one which had a call on a stream, with
// a token provider that it has just asked.
func leftBehind(t *testing.T) *onStream {
	t.Helper()
	r := connected(t, mcp.Config{HasTokenProvider: true, Journal: true, NoListen: true})
	r.store()
	o := &onStream{rig: r, c: r.Call("tools/call", `{"name":"t"}`,
		mcp.CallOptions{Durable: true, Connected: true})}
	r.store()
	o.x = r.Newest()
	o.id = coretest.RequestID(r.Exchange(o.x).Request)
	o.accept()
	r.Chunk(o.x, "id: e1\ndata:\n\n")
	r.store()
	return o.reload(0, 0)
}

// Fault 136: the page loads without network, and its token provider needs one. It
// has the calls of the page before it. Nothing leaves without a token, however long
// that takes; the provider is asked now and then, and at once when the network is
// back. Then everything goes on.
func TestFault136_OpensFromTheJournal(t *testing.T) {
	t.Parallel()
	o := leftBehind(t)
	o.offline()
	o.tokenAway()
	if got := strings.Join(o.states, " "); !strings.Contains(got, `"state":"open"`) ||
		!strings.HasSuffix(got, `{"state":"offline"}`) {
		o.fatal("it says %s", got)
	}
	for end := o.Now.After(hour); o.Now < end; {
		asked := o.tokens
		d := o.NextDeadline()
		if d < 0 {
			o.fatal("nobody asks again")
		}
		o.Advance(max(d, 1))
		if o.tokens > asked {
			o.tokenAway()
		}
	}
	if o.Newest() != 0 {
		o.fatal("%d requests without a token", o.Newest())
	}
	if o.tokens < 10 || o.tokens > 1_000 {
		o.fatal("the provider was asked %d times in an hour", o.tokens)
	}
	o.wantPending()
	asked := o.tokens
	o.online()
	o.Advance(0)
	if o.tokens != asked+1 {
		o.fatal("the network is back, and the provider was asked %d times", o.tokens-asked)
	}
	o.token("t2")
	o.x, _ = o.nextFetch(1_000)
	if got := o.bearer(o.x); got != "Bearer t2" {
		o.fatal("the resume carries %q", got)
	}
	o.accept()
	o.result("e2")
	o.store()
	o.wantResult()
	if last := o.states[len(o.states)-1]; !strings.Contains(last, `"state":"open"`) {
		o.fatal("at last it says %s", last)
	}
}

// Fault 136: a call that is made meanwhile waits for a token for as long as calls may
// wait to be sent, and is safe to repeat then.
func TestFault136_ACallMeanwhile(t *testing.T) {
	t.Parallel()
	o := leftBehind(t)
	o.tokenAway()
	call := o.Call("tools/call", `{"name":"t"}`, mcp.CallOptions{Durable: true, Connected: true})
	o.store()
	for n := 0; o.call(call).settled == nil && n < 1_000; n++ {
		asked := o.tokens
		o.Advance(max(o.NextDeadline(), 1))
		if o.tokens > asked {
			o.tokenAway()
		}
		o.store()
	}
	if s := o.call(call).settled; s == nil || s.Failure == nil || s.Failure.Code != engine.CodeUnsent {
		o.fatal("it ends as %+v", s)
	}
	o.wantPending()
	if o.Newest() != 0 {
		o.fatal("%d requests without a token", o.Newest())
	}
}

// Fault 136: the token expires while the page works, and the network goes. What waits
// for a token waits on, with its place in its stream.
func TestFault136_TheNetworkGoesWithTheToken(t *testing.T) {
	t.Parallel()
	o := connected(t, withToken).primed("p")
	o.cut(engine.EndNetwork)
	o.resumeStarts()
	o.Head(o.x, 401)
	o.tokenAway()
	o.wantPending()
	o.online()
	o.Advance(0)
	o.token("t2")
	o.resume()
	o.progress(1)
	o.result("e2")
	o.wantResult()
}

// Fault 136: where there is nothing that a page could go on with, or the provider
// gives no token although it could, there is no client.
func TestFault136_NothingToGoOnWith(t *testing.T) {
	t.Parallel()
	fresh := newRig(t, mcp.Config{HasTokenProvider: true, Journal: true})
	fresh.Start()
	fresh.tokenAway()
	signedOut := leftBehind(t)
	signedOut.tokenFails()
	for _, r := range []*rig{fresh, signedOut.rig} {
		if last := r.states[len(r.states)-1]; !strings.HasPrefix(last, `{"state":"failed"`) {
			r.fatal("it says %s", last)
		}
	}
}
