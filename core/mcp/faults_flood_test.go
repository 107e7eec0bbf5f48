package mcp_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 532: a server floods a page with pings, and takes no answers for a while. What a person
// answers then is sent as soon as there is a place, before the answers to the pings.
func TestFault532_AnswerAfterAFlood(t *testing.T) {
	r := connected(t, mcp.Config{NoListen: true, Handles: []string{"elicitation/create"}})
	o := r.stream("tools/call")
	o.event("q", `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?"}}`)
	for n := range 264 {
		o.event(fmt.Sprint("p", n), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, n+100))
	}
	r.input("respond",
		func(m *mcp.Client, now engine.Time) { m.Respond(now, 1, true, []byte(`{"action":"accept"}`)) })
	for _, x := range r.UnderWay() {
		if x != o.x {
			r.Head(x, 202)
			r.endIfLive(x)
			break
		}
	}
	if r.posted(`"accept"`) == 0 {
		r.fatal("the answer does not go first")
	}
}

// Fault 739: thousands of pings at once: each is answered, in order, 50 a second at most; of those past a
// thousand that wait the oldest are dropped, which is counted, and told once.
func TestFault739_AFloodOfPings(t *testing.T) {
	r := connected(t, mcp.Config{NoListen: true})
	o := r.stream("tools/call")
	const pings = 1_301
	for n := range pings {
		o.event(fmt.Sprint("p", n), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, n+1_000))
	}
	began, sent, last := r.Now, 0, 0
	for {
		for _, x := range r.UnderWay() {
			var id int
			if x == o.x {
				continue
			}
			if fmt.Sscanf(string(r.Exchange(x).Request.Body), `{"jsonrpc":"2.0","id":%d`, &id); id <= last {
				r.fatal("ping %d is answered after %d", id, last)
			}
			last, sent = id, sent+1
			r.Head(x, 202)
			r.endIfLive(x)
		}
		if in := r.Now.Since(began); int64(sent) > in/24+8 {
			r.fatal("%d answers in %d ms", sent, in)
		}
		d := r.NextDeadline()
		if d < 0 || d > 1_000 {
			break
		}
		r.Advance(d)
	}
	if sent != 1_008 || last != pings+999 || r.Client.Counters().RefusedRequests != 293 {
		r.fatal("%d answers, the last to %d, %d dropped", sent, last, r.Client.Counters().RefusedRequests)
	}
	r.wantBroken("too_many_requests", 1)
}

// Fault 532: where there is no room even so, the answer is sent later.
func TestFault532_MoreAnswersThanThereIsRoomFor(t *testing.T) {
	r := connected(t, mcp.Config{NoListen: true, Handles: []string{"elicitation/create"}})
	o := r.stream("tools/call")
	const asked = 530
	for n := range asked {
		o.event(fmt.Sprint("q", n),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{"message":"?"}}`,
				n+1))
		o.agrees(uint32(n + 1))
	}
	for range 20 {
		for more := true; more; {
			more = false
			for _, x := range r.UnderWay() {
				if x != o.x && !r.Exchange(x).Head {
					r.Head(x, 202)
					r.endIfLive(x)
					more = true
				}
			}
		}
		if d := r.NextDeadline(); d >= 0 && d < 60_000 {
			r.Advance(d)
		}
	}
	if n := r.posted(`"accept"`); n != asked {
		r.fatal("%d of %d answers are sent", n, asked)
	}
}
