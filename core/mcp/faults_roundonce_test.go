package mcp_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 476: a person has answered what a call asks for, and the store fails, or takes too
// long, for the commit that has the answer, or for the one that says that the answer leaves.
// It leaves once, from whichever page, or the call ends as unsent.
func TestFault476_AnswerThatCannotBeNoted(t *testing.T) {
	fails := map[string]func(o *onTask){
		"fails": func(o *onTask) {
			o.Stored(journal.ResultFailed, durable.ReasonFailed)
			o.audit()
		},
		"hangs": func(o *onTask) {
			o.Advance(durable.CommitWithin)
		},
		"hangs, and lands": func(o *onTask) {
			o.Advance(durable.CommitWithin)
			late := o.Store.Land()
			o.input("late", func(m *mcp.Client, now engine.Time) { m.Stored(now, late, journal.ResultOK, 0) })
		},
	}
	for name, fail := range fails {
		for _, first := range []bool{true, false} { // the commit that has the answer, or the next
			for _, reloads := range []bool{false, true} { // by the page after the one that has it
				if first && reloads {
					continue
				}
				t.Run(name, func(t *testing.T) {
					o := inARound(t, 0)
					o.answers(roundAnswer)
					if !first {
						o.Stored(journal.ResultOK, 0)
						o.audit()
					}
					if reloads {
						o = o.reloads()
						o.token("t1")
					}
					fail(o)
					sent := o.posted(`inputResponses`)
					for o.Store.Flying() != 0 && name != "hangs" {
						o.store()
					}
					unsent := o.call(o.c).settled != nil
					if len(o.Store.Calls()) > 0 {
						o = o.next()
						sent += o.posted(`inputResponses`)
					}
					if sent > 1 || unsent && sent > 0 {
						o.fatal("sent %d times, and told that it is not: %v", sent, unsent)
					}
				})
			}
		}
	}
}
