package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 683: the server does not take a second stream beside the first, and says when to ask again. The first
// goes on until then, and nobody asks before, whatever else the app subscribes to meanwhile.
func TestFault683_RetryAfterForASecondStream(t *testing.T) {
	for _, more := range []bool{false, true} {
		r := listensModern(t)
		old := r.Newest()
		r.acknowledges(old)
		x, _ := r.subscribesToThree()
		r.Head(x, 503, "retry-after", "60")
		if more {
			r.Advance(1_000)
			r.subscribe(`["a","b","c"]`)
		}
		r.Advance(58_000)
		if r.Newest() != x || !r.Client.Owned(old) {
			r.fatal("more %v: before it is time, it listens by %q", more, r.listening())
		}
		r.Advance(2_000)
		again := r.Newest()
		if all := r.listening(); again == x || r.Client.Owned(old) || len(all) != 1 {
			r.fatal("more %v: when it is time, it listens by %q", more, all)
		}
		r.acknowledges(again)
		if last := r.statuses[len(r.statuses)-1]; last != `{"state":"open","missed":true}` {
			r.fatal("more %v: the app is told %s", more, last)
		}
	}
}

// Fault 683: the first is cut meanwhile, and asks for all of it when it is opened again: it does not end once
// more when it is time.
func TestFault683_OpenedAgainMeanwhile(t *testing.T) {
	r := listensModern(t)
	old := r.Newest()
	r.acknowledges(old)
	x, _ := r.subscribesToThree()
	r.Head(x, 503, "retry-after", "60")
	r.End(old, engine.EndNetwork)
	again, _ := r.nextFetch(30_000)
	r.acknowledges(again)
	r.Advance(61_000)
	if all := r.listening(); !r.Client.Owned(again) || r.Newest() != again || len(all) != 1 ||
		!strings.Contains(all[0], watches) {
		r.fatal("it listens by %q", all)
	}
}

// Fault 684: a stream ends for one that asks for more, since the server does not take both, or has not
// acknowledged the first. The other one is open a while later only, and the app hears that nobody has heard
// the server meanwhile.
func TestFault684_MissedBetweenTwoStreams(t *testing.T) {
	for _, acknowledged := range []bool{false, true} {
		r := listensModern(t)
		old := r.Newest()
		if acknowledged {
			r.acknowledges(old)
		} else {
			r.Head(old, 200, "content-type", "text/event-stream")
		}
		x, _ := r.subscribesToThree()
		r.Head(x, 503)
		if acknowledged {
			r.Head(r.Newest(), 503)
		}
		x, _ = r.nextFetch(30_000)
		r.acknowledges(x)
		if last := r.statuses[len(r.statuses)-1]; last != `{"state":"open","missed":true}` {
			r.fatal("acknowledged %v: the app is told %s", acknowledged, last)
		}
		r.End(x, engine.EndNetwork)
	}
}

// Fault 684: the app subscribes just before a stream that was cut is open again, which says that something
// was missed. It is said once: the next subscription finds nothing to say.
func TestFault684_SaidOnce(t *testing.T) {
	r := listensModern(t)
	old := r.Newest()
	r.acknowledges(old)
	r.End(old, engine.EndNetwork)
	r.Advance(r.NextDeadline() - 5)
	r.subscribe(`["a"]`)
	again, _ := r.nextFetch(5)
	r.acknowledges(again)
	if x, _ := r.nextFetch(1_000); x != 0 {
		r.fatal("it asks for the same again")
	}
	r.input("scarce", func(c *mcp.Client, now engine.Time) { c.Scarce(now, true) })
	r.subscribe(`["a","b"]`)
	r.Advance(10)
	statuses := len(r.statuses)
	r.acknowledges(r.Newest())
	if told := strings.Join(r.statuses[statuses:], " "); told != `{"state":"open"}` {
		r.fatal("the app is told %s", told)
	}
}
