package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// toldAway makes a call that ends with that text while the store is away, by one of awayWays.
func toldAway(t *testing.T, flags journal.Flags, text string, ends func(o *onStream, result string)) *onStream {
	r := connected(t, mcp.Config{Journal: true, NoListen: true})
	r.store()
	o := r.onStreamAs(mcp.CallOptions{Key: "order-1", Flags: journal.ManualAck | flags})
	ends(o, coretest.Result(o.id, `{"content":[{"type":"text","text":"`+text+`"}]}`))
	o.wantResult()
	return o
}

// awayWays are the ways in which a call ends while the store is away, for a moment.
var awayWays = map[string]func(o *onStream, result string){
	"a commit is slow": func(o *onStream, result string) {
		o.event("", coretest.Progress(o.id, 1))
		ticket := o.Store.Flying()
		o.Advance(3000)
		o.Advance(500)
		o.event("", result)
		o.input("the commit lands", func(m *mcp.Client, now engine.Time) {
			o.Store.Land()
			m.Stored(now, ticket, journal.ResultOK, 0)
		})
	},
	"its own commit fails": func(o *onStream, result string) {
		o.event("", coretest.Progress(o.id, 1))
		o.store()
		o.event("", result)
		o.Stored(journal.ResultFailed, durable.ReasonFailed)
		o.audit()
		o.input("back", func(m *mcp.Client, now engine.Time) { m.Stored(now, 99, journal.ResultOK, 0) })
	},
	"twice": func(o *onStream, result string) {
		o.input("gone", func(m *mcp.Client, now engine.Time) { m.StoreGone(now, durable.ReasonLost) })
		o.event("", result)
		o.input("back", func(m *mcp.Client, now engine.Time) { m.Stored(now, 99, journal.ResultOK, 0) })
		o.storeIsBack()
	},
}

// Fault 527: a call ends while the store is away, and the app, which acknowledges by itself, has its
// outcome. The store works again, and a minute later the page goes: the next one has that outcome,
// and runs nothing again.
func TestFault527_OutcomeToldWhileTheStoreWasAway(t *testing.T) {
	for how, ends := range awayWays {
		for _, flags := range []journal.Flags{0, journal.Idempotent} {
			t.Run(how, func(t *testing.T) {
				o := toldAway(t, flags, "paid", ends)
				o.store()
				o.Advance(60_000)
				o.store()
				o = o.reload(0, 0)
				o.store()
				o.wantResult()
				if data := string(o.call(o.c).settled.Data); !strings.Contains(data, "paid") {
					o.fatal("the outcome is %s", data)
				}
				if x, _ := o.nextFetch(60_000); x != 0 {
					o.fatal("exchange %d follows", x)
				}
			})
		}
	}
}

// Fault 527: what the app has acknowledged meanwhile is not stored again, and what is too large to be kept
// in memory for that is not kept.
func TestFault527_AcknowledgedWhileTheStoreWasAway(t *testing.T) {
	r := connected(t, mcp.Config{Journal: true, NoListen: true})
	r.store()
	for _, what := range []string{"acked", "large", "kept"} {
		o := r.onStreamAs(mcp.CallOptions{Key: what, Flags: journal.ManualAck})
		r.input("gone", func(m *mcp.Client, now engine.Time) { m.StoreGone(now, durable.ReasonLost) })
		text := "short"
		if what == "large" {
			text = strings.Repeat("x", 1<<20)
		}
		o.event("", coretest.Result(o.id, `{"content":[{"type":"text","text":"`+text+`"}]}`))
		o.wantResult()
		if what == "acked" {
			o.input("ack", func(m *mcp.Client, now engine.Time) { m.Ack(now, o.c, 0, 0) })
		}
		r.input("back", func(m *mcp.Client, now engine.Time) { m.Stored(now, 99, journal.ResultOK, 0) })
		r.store()
	}
	var stored []string
	for _, id := range r.Store.Calls() {
		if call := r.Store.Record(id); call.Outcome != 0 {
			stored = append(stored, call.Head.Key)
		}
	}
	if strings.Join(stored, ",") != "kept" {
		r.fatal("stored are the outcomes of %q", stored)
	}
}
