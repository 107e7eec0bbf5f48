package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// The checklist of SEP-2339 is a heading without lines. What a client can be held
// to is in the flow that it spells out and in what its author answers to the
// reviewers; these are those sentences, in its words and its order.
func TestSEP2339_Checklist(t *testing.T) {
	line := func(words string, prove func(t *testing.T)) { t.Run(words, prove) }
	const working = `{"taskId":"T","status":"working","createdAt":"2025-11-25T10:30:00Z",` +
		`"lastUpdatedAt":"2025-11-25T10:50:00Z","ttl":30000,"pollInterval":5000}`
	const hello = `{"content":[{"type":"text","text":"Hello, Luca!"}],"isError":false}`
	const luca = `{"name":{"action":"accept","content":{"input":"Luca"}}}`
	created := func(t *testing.T) *onTask {
		o := connected(t, withDisk).tool(mcp.CallOptions{})
		o.json(o.x, coretest.Result(o.id, `{"task":`+working+`}`))
		return o
	}
	never := func(o *onTask, methods ...string) {
		o.t.Helper()
		for _, method := range methods {
			if n := o.posted(`"method":"` + method + `"`); n != 0 {
				o.fatal("%s left %d times", method, n)
			}
		}
	}

	line("Once the client receives the CreateTaskResult, it begins polling tasks/continue",
		func(t *testing.T) {
			o := created(t)
			if body := o.gives("tasks/continue", working); !strings.HasSuffix(body, `"taskId":"T"}}`) {
				o.fatal("sent %s", body)
			}
			never(o, "tasks/get", "tasks/result")
		})

	line("On each request while the task is in a \"working\" status, the server returns a regular "+
		"task response", func(t *testing.T) {
		o := created(t)
		o.gives("tasks/continue", working)
		for range 5 {
			if _, waited := o.asked("tasks/continue", 60_000); waited != 5_000 {
				o.fatal("polled after %d ms", waited)
			}
			o.gives("tasks/continue", working)
			o.wantPending()
		}
		o.wantTold(engine.EventTask, `"working"`, 1)
	})

	line("The server sends the elicitation payload via an IncompleteResult. Note that the task info is not "+
		"present in this response", func(t *testing.T) {
		o := created(t)
		o.gives("tasks/continue", `{`+asksName+`}`)
		o.wantTold(engine.EventInput, "", 1)
		o.wantBroken("task_status", 0)
		o.wantPending()
	})

	line("If the client were to send a tasks/get request during this time, it would see a regular status "+
		"response with \"input_required\"", func(t *testing.T) {
		o := created(t)
		o.gives("tasks/continue", `{`+asksName+`}`)
		o.input("peek", func(m *mcp.Client, now engine.Time) { m.Peek(now, o.c) })
		o.gives("tasks/get", `{"taskId":"T","status":"input_required"}`)
		o.wantTold(engine.EventPeek, `"input_required"`, 1)
		o.wantTold(engine.EventInput, "", 1) // the peek asks nothing of its own
		if n := o.posted(`"method":"tasks/get"`); n != 1 {
			o.fatal("%d tasks/get", n)
		}
	})

	line("The user enters their name, and the client repeats the tasks/continue request with the satisfied "+
		"information", func(t *testing.T) {
		o := created(t)
		o.gives("tasks/continue", `{`+asksName+`}`)
		o.answers(luca)
		if body := o.gives("tasks/continue", working); !strings.HasSuffix(
			body, `"params":{"_meta":{"progressToken":`+coretest.RequestID(
				o.Exchange(o.requestOf("tasks/continue")).Request)+`},"taskId":"T","inputResponses":`+luca+
				`}}`) {
			o.fatal("sent %s", body)
		}
	})

	line("With the elicitation fulfilled and no other outstanding requests to send, the server moves the "+
		"task back into the \"working\" status", func(t *testing.T) {
		o := created(t)
		o.gives("tasks/continue", `{`+asksName+`}`)
		o.answers(luca)
		o.gives("tasks/continue", working)
		if body := o.gives("tasks/continue", working); strings.Contains(body, "inputResponses") {
			o.fatal("answered again: %s", body)
		}
		o.wantPending()
	})

	line("On the next tasks/continue request, the server sends the final tool result inlined into the "+
		"task object", func(t *testing.T) {
		o := created(t)
		o.gives("tasks/continue", strings.Replace(strings.TrimSuffix(working, "}"), "working", "completed",
			1)+`,"result":`+hello+`}`)
		o.store()
		o.wantResult()
		if got := string(o.call(o.c).settled.Data); got != hello {
			o.fatal("the result is %s", got)
		}
		never(o, "tasks/result", "tasks/get")
		o.quiet()
	})

	line("This SEP inlines the final result/error into tasks/get and removes tasks/result",
		func(t *testing.T) {
			o := created(t)
			o.gives("tasks/continue",
				`{"taskId":"T","status":"failed","error":{"code":-32000,"message":"no","data":[1]}}`)
			o.store()
			if s := o.call(o.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError ||
				string(s.Data) != `{"code":-32000,"message":"no","data":[1]}` {
				o.fatal("settled %+v", s)
			}
			never(o, "tasks/result")
			o.quiet()
		})

	// "tasks/get will return input_required until the response is received ... if
	// tasks/continue were called again, the response would be exactly the same
	// inputRequests right? - Yes to both questions."
	line("If tasks/continue were called again, the response would be exactly the same inputRequests",
		func(t *testing.T) {
			o := created(t)
			for range 4 {
				o.gives("tasks/continue", `{`+asksName+`}`)
			}
			o.wantTold(engine.EventInput, "", 1)
			o = o.reloads()
			o.gives("tasks/continue", `{`+asksName+`}`)
			o.answers(luca)
			o.gives("tasks/continue", `{`+asksName+`}`) // it crossed with the answer
			o.gives("tasks/continue", working)
			if n := o.posted(`"inputResponses"`); n != 1 {
				o.fatal("answered %d times", n)
			}
		})

	line("inputRequests is a map, with each pending request getting a unique key within that "+
		"particular request", func(t *testing.T) {
		o := created(t)
		two := `{"inputRequests":{"a":{"method":"elicitation/create","params":{"message":"a?"}},` +
			`"b":{"method":"elicitation/create","params":{"message":"b?"}}}}`
		o.gives("tasks/continue", two)
		o.answers(`{"b":{"action":"decline"}}`)
		if body := o.gives("tasks/continue",
			`{"inputRequests":{"a":{"method":"elicitation/create","params":{"message":"a?"}}}}`); !strings.HasSuffix(body, `"inputResponses":{"b":{"action":"decline"}}}}`) {
			o.fatal("sent %s", body)
		}
		o.answers(`{"a":{"action":"accept","content":{}}}`)
		if body := o.gives("tasks/continue", working); !strings.HasSuffix(
			body, `"inputResponses":{"a":{"action":"accept","content":{}}}}}`) {
			o.fatal("sent %s", body)
		}
	})

	line("The tasks/continue result would just include an optional inputRequests field that would be "+
		"populated when the task is in input_required status", func(t *testing.T) {
		o := created(t)
		o.gives("tasks/continue", `{"taskId":"T","status":"input_required","pollInterval":1000,`+asksName+`}`)
		o.wantTold(engine.EventInput, "", 1)
		o.wantTold(engine.EventTask, `"input_required"`, 1)
		o.answers(luca)
		if body := o.gives("tasks/continue", working); !strings.Contains(body, `"inputResponses":`+luca) {
			o.fatal("sent %s", body)
		}
	})
}
