package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 49: after close() nothing happens any more, whatever was under way:
// every call has been rejected, no exchange and no timer is left, and what a
// host reports late leads to nothing. Only the DELETE is waited for, 2 s at most.
func TestFault49_CloseAtEveryStage(t *testing.T) {
	for _, s := range stages {
		for name, answer := range map[string]func(r *rig, x engine.ExchangeID){
			"answered": func(r *rig, x engine.ExchangeID) { r.Head(x, 200); r.endIfLive(x) },
			"refused":  func(r *rig, x engine.ExchangeID) { r.Head(x, 405, "content-type", "text/html") },
			"no end":   func(r *rig, x engine.ExchangeID) { r.Head(x, 202) },
			"broken":   func(r *rig, x engine.ExchangeID) { r.End(x, engine.EndNetwork) },
			"silent":   func(*rig, engine.ExchangeID) {},
		} {
			t.Run(s.name+"/"+name, func(t *testing.T) {
				o := s.to(t)
				before := o.Newest()
				o.close()
				o.wantFailure(engine.CodeClosed)
				if o.Newest() > before {
					if m := o.Exchange(o.Newest()).Request.Method; m != "DELETE" || o.Newest() != before+1 {
						o.fatal("close() starts a %s", m)
					}
					answer(o.rig, o.Newest())
					o.Advance(2_000)
				}
				if last := o.states[len(o.states)-1]; last != `{"state":"closed"}` {
					t.Errorf("the state is %s", last)
				}
				o.wantIdle()
				o.wantDead()
			})
		}
	}
}

// endIfLive ends an exchange that the client has not aborted.
func (r *rig) endIfLive(x engine.ExchangeID) {
	if !r.Exchange(x).Over {
		r.End(x, engine.EndClean)
	}
}

// wantDead checks that no input has an effect any more, but that a call made
// now is rejected at once.
func (o *onStream) wantDead() {
	o.t.Helper()
	quiet := func(line string, do func(c *mcp.Client, now engine.Time)) {
		if e := o.World.Input(line, do); len(e) > 0 {
			o.fatal("%s has effects", line)
		}
	}
	for x := engine.ExchangeID(1); x <= o.Newest()+1; x++ {
		quiet("head", func(c *mcp.Client, now engine.Time) { c.Head(now, x, engine.Head{Status: 200}) })
		quiet("chunk", func(c *mcp.Client, now engine.Time) {
			c.Chunk(now, x, []byte(coretest.Message("z", coretest.Result(o.id, `{}`))))
		})
		quiet("end", func(c *mcp.Client, now engine.Time) { c.End(now, x, engine.EndNetwork, "") })
	}
	quiet("token", func(c *mcp.Client, now engine.Time) { c.Token(now, "t2", nil) })
	quiet("offline", (*mcp.Client).Offline)
	quiet("online", (*mcp.Client).Online)
	quiet("woke", func(c *mcp.Client, now engine.Time) { c.Woke(now, 60_000) })
	quiet("pause", func(c *mcp.Client, now engine.Time) { c.Pause(now, o.c, true) })
	quiet("unpause", func(c *mcp.Client, now engine.Time) { c.Pause(now, o.c, false) })
	quiet("cancel", func(c *mcp.Client, now engine.Time) { c.Cancel(now, o.c, "") })
	quiet("start", (*mcp.Client).Start)
	quiet("close", (*mcp.Client).Close)
	quiet("advance", (*mcp.Client).Advance)
	late := o.Call("ping", "", mcp.CallOptions{})
	if s := o.call(late).settled; s == nil || s.Failure == nil || s.Failure.Code != engine.CodeClosed {
		o.fatal("a call after close() is not rejected with closed")
	}
	o.wantIdle()
}

// Fault 49: cancel() ends a call at every stage and at once. The server is
// told where it has heard of the call, and only there; the client lives on.
func TestFault49_CancelAtEveryStage(t *testing.T) {
	for _, s := range stages {
		t.Run(s.name, func(t *testing.T) {
			o := s.to(t)
			o.cancel(o.c)
			o.wantFailure(engine.CodeCancelled)
			want := 0
			waits := strings.HasPrefix(s.name, "token wait")
			if s.sent && !waits { // no request leaves while a token is asked for
				want = 1
			}
			if n := o.posted(`"notifications/cancelled"`, `"requestId":`+o.id); n != want {
				o.fatal("%d notifications/cancelled, want %d", n, want)
			}
			if o.x != 0 && !o.Exchange(o.x).Over {
				o.fatal("the call's exchange is still open")
			}
			for _, x := range o.UnderWay() {
				if strings.Contains(string(o.Exchange(x).Request.Body), `"tools/call"`) {
					o.fatal("the call is under way in exchange %d", x)
				}
			}
			if waits {
				o.token("t2") // the provider answers after all
			}
			if n := o.posted(`"notifications/cancelled"`, `"requestId":`+o.id); s.sent && n != 1 {
				o.fatal("%d notifications/cancelled in the end, want 1", n)
			}
			o.cancel(o.c)
			settled := o.call(o.c).settled
			o.Advance(1_000)
			if n := o.posted(`"tools/call"`); s.name == "token wait of a call" && n != 1 {
				o.fatal("the cancelled call is sent after the token came")
			}
			if o.call(o.c).settled != settled {
				o.fatal("the call settles again")
			}
			if held := o.Client.Held(); held.Calls > 1 || held.ByID != held.Calls ||
				held.ByCall != held.Calls {
				o.fatal("the client still holds %+v", held) // one may be the handshake
			}
		})
	}
}

// Fault 49: a handshake that fails ends the client in mid-chunk. What follows
// in the same chunk is nobody's: a ping is not answered any more.
func TestFault49_NothingIsReadAfterTheEnd(t *testing.T) {
	r := newRig(t, mcp.Config{})
	r.Start()
	x := r.Newest()
	id := coretest.RequestID(r.Exchange(x).Request)
	r.Head(x, 200, "content-type", coretest.Stream)
	r.Chunk(x, coretest.Message("1", coretest.Result(id, `{"protocolVersion":"1999-01-01"}`))+
		coretest.Message("2", `{"jsonrpc":"2.0","id":7,"method":"ping"}`)+
		coretest.Message("3", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)+
		coretest.Message("4", "not JSON"))
	for ended, i := false, 0; i < len(r.Effects); i++ {
		e := r.Effects[i]
		if ended && e.Kind != engine.Abort {
			r.fatal("after the end comes %s", coretest.Describe(e))
		}
		ended = ended || e.Kind == engine.State && string(e.Data) == `{"state":"failed"}`
	}
	r.wantIdle()
}
