package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

func (r *rig) subscribe(uris string) {
	r.input("subscribe "+uris, func(c *mcp.Client, now engine.Time) { c.Subscribe(now, []byte(uris)) })
}

// listening returns the bodies of the subscriptions/listen that are under way, the newest last.
func (r *rig) listening() []string {
	var all []string
	for x := engine.ExchangeID(1); x <= r.Newest(); x++ {
		if body := string(r.Exchange(x).Request.Body); r.Client.Owned(x) &&
			strings.Contains(body, `"subscriptions/listen"`) {
			all = append(all, body)
		}
	}
	return all
}

// acknowledges has the server take a subscriptions/listen.
func (r *rig) acknowledges(x engine.ExchangeID) {
	r.Head(x, 200, "content-type", coretest.Stream)
	r.Chunk(x, coretest.Message("", `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",`+
		`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":`+
		coretest.RequestID(r.Exchange(x).Request)+`},"notifications":{}}}`))
}

const watches = `"resourceSubscriptions":["a","b","c"]`

// subscribesToThree has the app subscribe to three resources, as a page does whose worker was replaced. It
// returns the exchange that asks for all of them, and how many were made.
func (r *rig) subscribesToThree() (engine.ExchangeID, engine.ExchangeID) {
	r.t.Helper()
	before := r.Newest()
	for _, uris := range []string{`["a"]`, `["a","b"]`, `["a","b","c"]`} {
		r.subscribe(uris)
		r.Advance(1)
	}
	r.Advance(1_000)
	x := r.Newest()
	if body := string(r.Exchange(x).Request.Body); !strings.Contains(body, watches) {
		r.fatal("it asks for %s", body)
	}
	return x, x - before
}

// Fault 663: a worker takes the place of one that has ended, and is asked for all that its pages have
// subscribed to, one after the other. One stream asks for them, and the stream that there was goes on until
// the server has taken the new one: what the server says meanwhile is heard.
func TestFault663_OneStreamForAllSubscriptions(t *testing.T) {
	for _, acknowledged := range []bool{false, true} {
		r := listensModern(t)
		old := r.Newest()
		if acknowledged {
			r.acknowledges(old)
		}
		x, made := r.subscribesToThree()
		if made != 1 {
			r.fatal("acknowledged %v: %d streams for three subscriptions", acknowledged, made)
		}
		if r.Client.Owned(old) != acknowledged {
			r.fatal("acknowledged %v: the old stream is there %v", acknowledged, r.Client.Owned(old))
		}
		statuses := len(r.statuses)
		r.acknowledges(x)
		if r.Client.Owned(old) || len(r.listening()) != 1 {
			r.fatal("acknowledged %v: it listens by %q", acknowledged, r.listening())
		}
		if acknowledged && len(r.statuses) != statuses {
			r.fatal("to the app it is the stream that was there: %q", r.statuses[statuses:])
		}
	}
}

// Fault 663: the server does not take the second stream beside the first, as where a user may have one, or
// says nothing to it. The first makes room for it; who has subscribed hears what comes of that.
func TestFault663_NoSecondStream(t *testing.T) {
	for _, refusal := range []string{"503", "400", "the connection is cut", "an error", "silence"} {
		r := listensModern(t)
		old := r.Newest()
		r.acknowledges(old)
		x, _ := r.subscribesToThree()
		switch refusal {
		case "503":
			r.Head(x, 503)
		case "400":
			r.Head(x, 400)
		case "the connection is cut":
			r.End(x, engine.EndNetwork)
		case "an error":
			r.Head(x, 200, "content-type", coretest.Stream)
			r.Chunk(x, coretest.Message("", `{"jsonrpc":"2.0","id":`+
				coretest.RequestID(r.Exchange(x).Request)+`,"error":{"code":-32602,"message":"no"}}`))
		case "silence":
			r.Advance(10_000)
		}
		again := r.Newest()
		if r.Client.Owned(old) || r.Client.Owned(x) || again == x {
			r.fatal("%s: it listens by %q", refusal, r.listening())
		}
		if all := r.listening(); len(all) != 1 || !strings.Contains(all[0], watches) {
			r.fatal("%s: it listens by %q", refusal, all)
		}
		r.Head(again, 404)
		if last := r.statuses[len(r.statuses)-1]; last != `{"state":"off"}` || len(r.listening()) != 0 {
			r.fatal("%s: the last status is %s", refusal, last)
		}
	}
}

// Fault 663: the app ends its last subscription while the stream for the others is opened, or waits until the
// server takes it (fault 683): there is none any more.
func TestFault663_EndedMeanwhile(t *testing.T) {
	for _, waits := range []bool{false, true} {
		r := newRig(t, mcp.Config{Revision: "2026-07-28"})
		r.Start()
		x := r.Newest()
		r.Head(x, 200, "content-type", coretest.JSON)
		r.Chunk(x, coretest.Result(coretest.RequestID(r.Exchange(x).Request),
			`{"resultType":"complete","supportedVersions":["2026-07-28"],`+
				`"capabilities":{"resources":{"subscribe":true}}}`))
		r.End(x, engine.EndClean)
		x, _ = r.subscribesToThree()
		r.acknowledges(x)
		r.subscribe(`["a"]`)
		r.Advance(1_000)
		if len(r.listening()) != 2 {
			r.fatal("it listens by %q", r.listening())
		}
		if waits {
			r.Head(r.Newest(), 503, "retry-after", "60")
		}
		r.subscribe(`[]`)
		r.Advance(1_000)
		if len(r.listening()) != 0 {
			r.fatal("it listens by %q", r.listening())
		}
	}
}

// Fault 670: the app subscribes while the stream is cut, or not open again. Nobody heard the server
// meanwhile, and the app hears so once it is open.
func TestFault670_SubscribedWhileCut(t *testing.T) {
	for _, when := range []string{"cut", "opened again", "opened again, and subscribed twice", "not cut"} {
		r := listensModern(t)
		old := r.Newest()
		r.acknowledges(old)
		if when != "not cut" {
			r.End(old, engine.EndNetwork)
		}
		if strings.HasPrefix(when, "opened again") {
			r.nextFetch(30_000)
		}
		r.subscribe(`["a"]`)
		if strings.HasSuffix(when, "twice") {
			r.subscribe(`["a","b"]`)
		}
		r.Advance(10)
		statuses := len(r.statuses)
		x := r.Newest()
		r.acknowledges(x)
		if told := strings.Join(r.statuses[statuses:], " "); when == "not cut" && told != "" ||
			when != "not cut" && told != `{"state":"open","missed":true}` {
			r.fatal("%s: the app is told %q", when, told)
		}
		// Once: who subscribes because of that is not told again.
		r.subscribe(`["a","c"]`)
		r.Advance(10)
		r.acknowledges(r.Newest())
		if again := r.statuses[len(r.statuses)-1]; when != "not cut" &&
			(again != `{"state":"open","missed":true}` || len(r.statuses) != statuses+1) {
			r.fatal("%s: then the app is told %q", when, r.statuses[statuses:])
		}
	}
}
