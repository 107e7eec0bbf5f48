package mcp_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 588: a server says on the stream of a call that its lists have changed, as where a tool
// adds tools, before the result or behind it. That is news for all: the client hears it as
// it does on the GET stream, once, and the call as before.
func TestFault588_ChangedOnTheStreamOfACall(t *testing.T) {
	for _, method := range []string{"tools/list_changed", "prompts/list_changed", "resources/list_changed",
		"resources/updated", "elicitation/complete"} {
		o := connected(t, mcp.Config{}).stream("tools/call")
		message := `{"jsonrpc":"2.0","method":"notifications/` + method +
			`","params":{"uri":"a","elicitationId":"e"}}`
		told := func() (client, call int) {
			o.say(coretest.Message("", message))
			for _, e := range o.Effects {
				switch {
				case e.Kind != engine.Deliver || e.Event != engine.EventNotification:
				case e.C == 0:
					client++
				default:
					call++
				}
			}
			return client, call
		}
		if got := fmt.Sprint(told()); got != "1 1" {
			o.fatal("%s: the client and the call are told %s times", method, got)
		}
		o.result("")
		if got := fmt.Sprint(told()); got != "1 0" {
			o.fatal("%s: behind the result the client and the call are told %s times", method, got)
		}
		if n := o.Client.Counters().LateNotifications; n != 0 {
			o.fatal("%s: %d counted as late", method, n)
		}
	}
}

// Fault 588: what was known of the tools is not used from then on to run one of them twice.
func TestFault588_HintsOfToolsThatHaveChanged(t *testing.T) {
	for _, changed := range []bool{false, true} {
		r := connected(t, mcp.Config{})
		r.input("tools",
			func(m *mcp.Client, now engine.Time) { m.Tools(now, []byte(`{"tools":{"work":{"flags":1}}}`)) })
		o := r.stream("tools/call")
		if changed {
			o.event("", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		again := r.stream("tools/call")
		again.cut(engine.EndNetwork)
		restarted := again.call(again.c).settled == nil
		if restarted == changed {
			again.fatal("changed %v: run again %v", changed, restarted)
		}
	}
}
