package mcp_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 739: a server ends the stream after each event, and wants to be asked again at once; or a proxy cuts
// it there. Each event comes, and it is asked for once a second in the end. A connection that lasts ends
// that.
func TestFault739_CutAfterEachEvent(t *testing.T) {
	for _, how := range []engine.Ending{engine.EndClean, engine.EndNetwork} {
		o := connected(t, mcp.Config{}).stream("tools/call")
		o.say("retry: 0\nid: p\ndata:\n\n")
		began, last := o.Now, int64(0)
		for n := 1; n <= 100; n++ {
			o.progress(n)
			o.cut(how)
			_, last = o.resume()
		}
		if took := o.Now.Since(began); took < 85_000 {
			o.fatal("ending %d: 100 connections in %d ms", how, took)
		}
		if last < 1_000 || last > 1_300 {
			o.fatal("ending %d: asked after %d ms", how, last)
		}
		o.Advance(1_500)
		o.progress(101)
		o.cut(how)
		if _, waited := o.resume(); waited > 300 {
			o.fatal("ending %d: after one that lasted it is asked for after %d ms", how, waited)
		}
		for n, p := range o.call(o.c).numbers() {
			if p != n+1 {
				o.fatal("event %d is %d", n+1, p)
			}
		}
		if n := len(o.call(o.c).numbers()); n != 101 {
			o.fatal(fmt.Sprint(n, " events"))
		}
		o.result("r")
		o.wantResult()
	}
}
