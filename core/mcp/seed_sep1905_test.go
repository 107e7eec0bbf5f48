package mcp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// The lines of SEP-1905's "Implementation Checklist" for clients, in its words and
// its order. A line that scenarios of the same proposal prove plays them.
func TestSEP1905_ClientChecklist(t *testing.T) {
	line := func(words string, prove func(t *testing.T)) { t.Run(words, prove) }

	line("Capability negotiation: Client correctly declares supported modes in tasks.responses.modes",
		func(t *testing.T) {
			r := connected(t, withDisk)
			var sent struct {
				Params struct {
					Capabilities struct {
						Tasks struct{ Responses struct{ Modes []string } }
					}
				}
			}
			if err := json.Unmarshal([]byte(r.body(r.requestOf("initialize"))), &sent); err != nil {
				r.fatal("%v", err)
			}
			if got := sent.Params.Capabilities.Tasks.Responses.Modes; !slices.Equal(
				got, []string{"task", "immediate", "streaming"}) {
				r.fatal("declared %q", got)
			}
			play1905(t, "New Client + Old Server")
		})

	// Which modes are named, the page decides; here they leave as it wrote them.
	line("Mode specification: Client correctly specifies responseModes in task-augmented requests",
		func(t *testing.T) {
			r := connected(t, withDisk)
			for _, task := range []string{`{"ttl":60000,"responseModes":["immediate","streaming","task"]}`,
				`{"responseModes":["task"]}`, `{}`} {
				r.Call("tools/call", `{"name":"work","arguments":{},"task":`+task+`}`,
					mcp.CallOptions{Durable: true})
				r.store()
				var sent struct {
					Params struct{ Task json.RawMessage }
				}
				if err := json.Unmarshal([]byte(r.body(r.Newest())), &sent); err != nil ||
					string(sent.Params.Task) != task {
					r.fatal("task %s leaves as %s", task, sent.Params.Task)
				}
			}
		})

	line("Immediate mode: Client correctly processes immediate results with content field",
		func(t *testing.T) {
			play1905(t, "Immediate Mode - Complete Results")
			result := strings.TrimSuffix(whole(2), "}") + `,"structuredContent":{"n":2},"isError":false`
			for _, more := range []string{``, `,` + related1905,
				`,"task":{"taskId":"T","status":"completed"}`} {
				o := connected(t, withDisk).tool(mcp.CallOptions{})
				o.json(o.x, coretest.Result(o.id, result+more+`}`))
				o.wantResult()
				if got := string(o.call(o.c).settled.Data); got != result+more+`}` {
					o.fatal("the result is %s", got)
				}
				o.wantSegments(0)
				o.quiet() // whatever task there is, nobody asks about it
			}
		})

	line("Task mode: Client correctly polls status and retrieves final results", func(t *testing.T) {
		play1905(t, "Task Mode - Standard Flow")
		play1905(t, "Immediate Mode Fallback")
	})

	// In each of the three forms that the initial response may have.
	line("Streaming mode: Client correctly handles partial-content and tracks segments", func(t *testing.T) {
		const made = `"task":{"taskId":"T","status":"working","pollInterval":1000}`
		for first, opening := range map[int]string{
			2: `{` + made + `,` + members([]int{1, 2}, ""),
			0: `{` + made + `}`,
			1: partial(`,"isComplete":false,`+related1905, 1),
		} {
			o := connected(t, withDisk).tool(mcp.CallOptions{})
			o.Head(o.x, 200, "content-type", coretest.Stream)
			o.event("", coretest.Result(o.id, opening))
			o.store()
			o.wantSegments(first)
			for n := first + 1; n <= 4; n++ {
				o.streams(`,"isComplete":false,`+related1905, n)
				o.wantSegments(n)
				o.wantPending() // the request stays open behind its first response
			}
			o.streams(`,"isComplete":true,` + related1905)
			o.gives("tasks/result", whole(4))
			o.wantWhole(4)
			o.quiet()
		}
		play1905(t, "Streaming Mode - Initial Response Only")
		play1905(t, "Streaming Mode - Multiple Responses")
	})

	line("Segment tracking: Client maintains received seqNr set to detect duplicates", func(t *testing.T) {
		o := newStreamed(connected(t, withDisk), 1, 2)
		o.streams("", 4) // held, and known as well
		for _, again := range []int{1, 2, 4} {
			before := o.Client.Counters().DuplicateSegments
			o.streams("", again)
			if n := o.Client.Counters().DuplicateSegments; n != before+1 {
				o.fatal("number %d is not known: %d duplicates", again, n)
			}
		}
		o = o.reloads() // the set is the journal's, too
		o.gives("tasks/result", partial("", 1, 2, 3, 4))
		o.wantSegments(4)
		if n := o.Client.Counters().DuplicateSegments; n != 2 {
			o.fatal("%d duplicates are counted after a reload", n)
		}
	})

	// However the events are cut, and with messages between them that have no part
	// in it: a notification is no carrier of segments.
	line("SSE handling: Client correctly parses JSON-RPC messages from SSE events (if using SSE)",
		func(t *testing.T) {
			play1905(t, "Streaming Mode - SSE Stream")
			for _, size := range []int{1, 7, 4096} {
				o := connected(t, withDisk).tool(mcp.CallOptions{})
				head, tail, _ := strings.Cut(
					coretest.Result(o.id, partial(`,"isComplete":false,`+related1905, 1)), ",")
				stream := ": a comment\r\n" +
					"event: message\r\nid: event-1\r\ndata: " + head + "\r\ndata: ," + tail + "\r\n\r\n" +
					"id: event-2\ndata: " + `{"jsonrpc":"2.0","method":"notifications/tasks/status",` +
					`"params":{"taskId":"T","status":"working","statusMessage":"half",` +
					members([]int{9}, "}") + "\n\n" +
					"id: event-3\ndata: " + coretest.Result(o.id,
					partial(`,"isComplete":true,`+related1905, 2)) +
					"\n\n"
				o.Head(o.x, 200, "content-type", coretest.Stream)
				for part := range slices.Chunk([]byte(stream), size) {
					o.Chunk(o.x, string(part))
				}
				o.store()
				o.wantSegments(2)
				o.wantTold(engine.EventTask, `"half"`, 1)
				o.gives("tasks/result", whole(2))
				o.wantWhole(2)
			}
		})

	line("Deduplication: Client ignores duplicate segments based on seqNr", func(t *testing.T) {
		play1905(t, "Duplicate Segment Detection")
		play1905(t, "Mixed Mechanisms")
	})

	line("Gap detection: Client detects missing seqNr values and requests them via lastSeqNr",
		func(t *testing.T) {
			play1905(t, "Streaming Mode - Gap Detection")
		})

	// "Sort all segments by their seqNr values, remove the seqNr field, combine the
	// remaining fields": where the server keeps no merged result of its own.
	line("Segment merging: Client correctly merges segments into content array", func(t *testing.T) {
		o := newStreamed(connected(t, withDisk), 1)
		o.streams("", 3)
		o.gives("tasks/result", partial("", 2))
		block :=
			`{"type":"image","data":"AA==","seqNr":4,"mimeType":"image/png","annotations":{"seqNr":"stays"}}`
		o.event("", coretest.Result(o.id, `{"partial-content":[`+block+`],"isComplete":true,`+related1905+
			`}`))
		o.store()
		o.refuses("tasks/result", -32603)
		o.store()
		o.wantResult()
		want := strings.TrimSuffix(whole(3), "]}") +
			`,{"type":"image","data":"AA==","mimeType":"image/png","annotations":{"seqNr":"stays"}}]}`
		if got := string(o.call(o.c).settled.Data); got != want {
			o.fatal("merged into %s, want %s", got, want)
		}
		play1905(t, "Streaming Mode - Initial Response Only")
	})

	// Not before isComplete, and not while a number below the last is missing.
	line("Completion detection: Client correctly detects streaming completion via isComplete",
		func(t *testing.T) {
			for _, more := range []string{`,"isComplete":false`, ``, `,"isComplete":"true"`,
				`,"isComplete":null`} {
				o := newStreamed(connected(t, withDisk), 1)
				o.streams(more, 2)
				o.gives("tasks/get", `{"taskId":"T","status":"working"}`)
				o.wantSegments(2)
				o.wantPending()
			}
			o := newStreamed(connected(t, withDisk), 1)
			o.streams(`,"isComplete":true`, 3)
			if n := lastSeqNr(o.gives("tasks/result", partial(`,"isComplete":true`, 2, 3))); n != 1 {
				o.fatal("asked from %d", n)
			}
			o.wantSegments(3)
			o.gives("tasks/result", whole(3))
			o.wantWhole(3)
			o.quiet()
		})

	line("Error handling: Client correctly handles task failures, cancellations, and TTL expiration",
		func(t *testing.T) {
			play1905(t, "Task Failure During Streaming")
			play1905(t, "Task Cancellation During Streaming")
			play1905(t, "TTL Expiration During Streaming")
			// A failure with nothing made: "standard content format with the error message".
			o := newStreamed(connected(t, withDisk))
			failed := `{"content":[{"type":"text","text":"no"}],"isError":true,"isComplete":true,` +
				related1905 +
				`}`
			o.event("", coretest.Result(o.id, failed))
			o.store()
			o.wantSegments(0)
			if x, _ := o.asked("tasks/result", 5_000); x != 0 {
				o.json(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request), failed))
			}
			o.wantResult()
			if got := string(o.call(o.c).settled.Data); !strings.Contains(got, `"isError":true`) ||
				!strings.Contains(got, `"text":"no"`) {
				o.fatal("the result is %s", got)
			}
			o.quiet()
		})

	line("Resume support: Client correctly uses lastSeqNr to resume streaming", func(t *testing.T) {
		play1905(t, "Streaming Mode - Resume with lastSeqNr")
		for _, reloaded := range []bool{false, true} {
			o := newStreamed(connected(t, withDisk), 1, 2)
			if o.cut(engine.EndNetwork); reloaded {
				o = o.reloads()
			}
			// Number by number: each request names what the one before has brought.
			for n := 2; n < 5; n++ {
				body := o.gives("tasks/result", partial(fmt.Sprintf(`,"isComplete":%v`, n == 4), n+1))
				if lastSeqNr(body) != n || strings.Contains(body, `"id":`+o.id+`,`) {
					o.fatal("resumed with %s", body)
				}
			}
			o.wantSegments(5)
			o.gives("tasks/result", whole(5))
			o.wantWhole(5)
			o.quiet()
		}
	})
}

// requestOf is the newest request of that method.
func (r *rig) requestOf(method string) (found engine.ExchangeID) {
	r.t.Helper()
	for x, e := range r.Exchanges() {
		if x > found && strings.Contains(string(e.Request.Body), `"method":"`+method+`"`) {
			found = x
		}
	}
	if found == 0 {
		r.fatal("%s was not sent", method)
	}
	return found
}
