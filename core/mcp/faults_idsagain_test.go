package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 531: a server gives its event ids from the start on each connection, and asks a person
// something under an id that was seen. The person is asked, once, and the call goes on; a
// question that comes again is a duplicate.
func TestFault531_QuestionUnderAnIDThatWasSeen(t *testing.T) {
	r := connected(t, mcp.Config{NoListen: true, Handles: []string{"elicitation/create"}})
	o := r.stream("tools/call")
	o.progress(1)
	o.progress(2)
	o.cut(engine.EndNetwork)
	o.resume()
	for range 2 {
		o.asks("e1", "?")
	}
	if n := o.told(engine.EventRequest, "elicitation"); n != 1 {
		o.fatal("the person is asked %d times", n)
	}
	if n := r.Client.Counters().DuplicateEvents; n != 1 {
		o.fatal("%d duplicates are counted", n)
	}
	o.agrees(1)
	if r.posted(`"accept"`) != 1 {
		o.fatal("the answer is not sent")
	}
	o.cut(engine.EndNetwork)
	o.resume()
	o.asks("e1", "?") // a replay
	if n := o.told(engine.EventRequest, "elicitation"); n != 1 {
		o.fatal("after a replay the person is asked %d times", n)
	}
	o.result("e2")
	o.wantResult()
}
