package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// inARound makes a call of 2026-07-28 that has asked for a name.
func inARound(t *testing.T, flags journal.Flags) *onTask {
	t.Helper()
	cfg := modernDisk
	cfg.HasTokenProvider, cfg.SignIn = true, true
	r := newRig(t, cfg)
	r.Start()
	r.token("t1")
	r.json(r.Newest(), coretest.Result(coretest.RequestID(r.Exchange(r.Newest()).Request),
		`{"supportedVersions":["2026-07-28"],`+
			`"capabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`))
	o := r.tool(mcp.CallOptions{Flags: flags})
	o.json(o.x, coretest.Result(o.id, `{"resultType":"input_required",`+
		`"inputRequests":{"name":{"method":"elicitation/create"}},"requestState":"s"}`))
	o.wantTold(engine.EventInput, `"name"`, 1)
	return o
}

const roundAnswer = `{"name":{"action":"accept"}}`

// answered is inARound where a person has answered, and the answer has left.
func answered(t *testing.T, flags journal.Flags) *onTask {
	t.Helper()
	o := inARound(t, flags)
	o.answers(roundAnswer)
	o.store()
	return o
}

// next is the page after this one, which has a token at once.
func (o *onTask) next() *onTask {
	o.t.Helper()
	o = o.reloads()
	o.token("t1")
	o.store()
	return o
}

// wantAnswerSent checks that the request under way has the answer and the state.
func (o *onTask) wantAnswerSent() engine.ExchangeID {
	o.t.Helper()
	x, _ := o.asked("tools/call", 60_000)
	if x == 0 {
		o.fatal("it is not sent")
	}
	if body := o.body(x); !strings.Contains(body, `"inputResponses":`+roundAnswer) ||
		!strings.Contains(body, `"requestState":"s"`) {
		o.fatal("sent %s", body)
	}
	o.wantTold(engine.EventInput, "", 0)
	return x
}

// Fault 487: a call asks for input, is answered, and becomes a task; the page loads again.
// The task carries the call, and nothing runs again.
func TestFault487_TaskAfterARound(t *testing.T) {
	for _, flags := range []journal.Flags{0, journal.Idempotent} {
		for _, reloads := range []int{1, 2} {
			for _, again := range []bool{false, true} {
				o := answered(t, flags)
				x := o.waits("tools/call")
				o.json(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request),
					`{"resultType":"task","taskId":"T","status":"working","pollIntervalMs":1000}`))
				o.wantTold(engine.EventGuarantee, "durable", 1)
				for range reloads {
					if again {
						o.storedAgain()
					}
					o = o.next()
				}
				o.wantPending()
				o.gives("tasks/get", `{"taskId":"T","status":"completed","result":{"content":[]}}`)
				o.wantResult()
				if n := o.posted(`"tools/call"`); n != 0 {
					o.fatal("sent %d times", n)
				}
			}
		}
	}
}

// Fault 487: where that task is lost, and the tool may run twice, it runs with the answer:
// a person is asked once.
func TestFault487_TaskAfterARoundIsLost(t *testing.T) {
	o := answered(t, journal.Idempotent)
	x := o.waits("tools/call")
	o.json(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request),
		`{"resultType":"task","taskId":"T","status":"working","pollIntervalMs":1000}`))
	o = o.next()
	o.refuses("tasks/get", -32602)
	o.wantAnswerSent()
}
