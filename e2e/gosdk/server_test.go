//go:build !js

package gosdk_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
)

// A cut in the middle loses nothing and repeats nothing: the ids of both halves
// are one unbroken row.
func TestResumeAfterCut(t *testing.T) {
	s := gosdk.New(gosdk.Options{})
	c := connect(t, s)
	first := read(c.call("count", `{"n":12,"delayMs":15}`))
	prime, err := first.next()
	if err != nil {
		t.Fatal(err)
	}
	name, ok := strings.CutSuffix(prime.id, "_0")
	equal(t, "priming event", prime.lines, "event: prime\nid: "+name+"_0\ndata: \n")
	equal(t, "first id", ok, true)
	var all []event
	for range 3 {
		e, err := first.next()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	equal(t, "cut", s.CutStreams(), 1)
	late, end := first.rest()
	equal(t, "the cut is an error", end, io.ErrUnexpectedEOF)
	all = append(all, late...)
	rest, end := read(c.resume(all[len(all)-1].id)).rest()
	equal(t, "the end is none", end, io.EOF)
	all = append(all, rest...)
	equal(t, "events", len(all), 13)
	for i, e := range all {
		equal(t, "id", e.id, fmt.Sprintf("%s_%d", name, i+1))
		equal(t, "type", strings.HasPrefix(e.lines, "event: message\n"), true)
	}
	again, _ := read(c.resume(prime.id)).rest()
	equal(t, "replay from the start", len(again), 13)
	none, end := read(c.resume(all[12].id)).rest()
	equal(t, "nothing is left after the answer", len(none), 0)
	equal(t, "and the stream just ends", end, io.EOF)
}

// A new GET without Last-Event-ID replays the standalone stream from its start.
func TestStandaloneStream(t *testing.T) {
	s := gosdk.New(gosdk.Options{})
	c := connect(t, s)
	one := read(c.resume(""))
	ok, _ := one.ReadString('\n')
	equal(t, "opening comment", ok, ": ok\n")
	one.ReadString('\n')
	s.Announce()
	e, _ := one.next()
	equal(t, "id", e.id, "_0")
	equal(t, "what", strings.Contains(e.lines, "notifications/tools/list_changed"), true)
	equal(t, "a second one", c.resume("").StatusCode, 409)
	s.CutStreams()
	two := read(c.resume(""))
	two.next() // the comment
	e, _ = two.next()
	equal(t, "again", e.id, "_0")
}

func TestRestartForgets(t *testing.T) {
	s := gosdk.New(gosdk.Options{})
	c := connect(t, s)
	first := read(c.call("slow", `{"seconds":600}`))
	e, _ := first.next()
	s.Restart()
	late, end := first.rest()
	equal(t, "nothing is said", len(late), 0)
	equal(t, "the stream is cut", end, io.ErrUnexpectedEOF)
	equal(t, "the session is gone", c.resume(e.id).StatusCode, 404)
	c.initialize()
	equal(t, "a new one works", c.post("ping", "{}").StatusCode, 200)
}

func TestCancelReachesTheTool(t *testing.T) {
	said := make(chan string, 2)
	s := gosdk.New(gosdk.Options{Logf: func(f string, a ...any) { said <- fmt.Sprintf(f, a...) }})
	c := connect(t, s)
	hear := func(want string) {
		t.Helper()
		select {
		case line := <-said:
			equal(t, line, strings.HasPrefix(line, want), true)
		case <-time.After(20 * time.Second):
			t.Fatalf("never heard %q", want)
		}
	}
	first := read(c.call("slow", `{"seconds":600}`))
	first.next()
	// The priming event leaves before the SDK hands the call on: a cancel sent
	// at once may come first and is then lost.
	hear("slow: began")
	c.send(
		c.request("POST",
			fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`,
				c.id)))
	hear("slow: cancelled after")
	// The SDK answers all the same: late, with an error result.
	answer, end := first.rest()
	equal(t, "answers", len(answer), 1)
	equal(t, "answer", strings.Contains(answer[0].lines, `"isError":true`), true)
	equal(t, "end", end, io.EOF)
}

func TestTools(t *testing.T) {
	s := gosdk.New(gosdk.Options{})
	c := connect(t, s)
	c.post("logging/setLevel", `{"level":"info"}`)
	for _, tc := range []struct{ tool, args, want string }{
		{"add", `{"a":2,"b":0.5}`, `"structuredContent":{"sum":2.5}`},
		{"echo", `{"text":"hi"}`, `"text":"hi"`},
		{"fail", `{}`, `"isError":true`},
		{"fail", `{}`, `the anchor is stuck`},
		{"slow", `{"seconds":0}`, `Done after 0 seconds.`},
		{"random_image", `{"seed":7}`, `"mimeType":"image/png"`},
		{"count", `{"n":2,"delayMs":0}`, `"progressToken":"t","message":"2 of 2","progress":2,"total":2`},
		{"count", `{"n":0}`, `"isError":true`},
		{"write_report", `{"topic":"kelp","sections":2,"tone":"formal","delayMs":0}`,
			`begins: What can be seen`},
		{"write_report", `{"topic":"kelp","tone":"rude"}`, `"isError":true`},
		{"add_note", `{"text":"rope","delayMs":0}`, `"structuredContent":{"notes":1}`},
		{"none", `{}`, `"code":-32602`},
	} {
		body, err := io.ReadAll(c.call(tc.tool, tc.args).Body)
		if err != nil || !strings.Contains(string(body), tc.want) {
			t.Errorf("%s %s: %v, no %s in\n%s", tc.tool, tc.args, err, tc.want, body)
		}
	}
	equal(t, "notes", len(s.Notes()), 1)
}

func TestPreflight(t *testing.T) {
	s := gosdk.New(gosdk.Options{})
	c := connect(t, s)
	r := c.request("OPTIONS", "")
	r.Header.Set("Access-Control-Request-Headers", "last-event-id,mcp-param-x")
	a := c.send(r)
	equal(t, "status", a.StatusCode, 204)
	equal(t, "reflected", a.Header.Get("Access-Control-Allow-Headers"), "last-event-id,mcp-param-x")
	equal(t, "exposed", strings.Contains(c.post("ping", "{}").Header.Get("Access-Control-Expose-Headers"),
		"Mcp-Session-Id"), true)
}

// The headers of a resumed GET leave with its first event, not before: a client
// must not take a silent one for a dead server.
func TestResumedGetIsSilentUntilItsFirstEvent(t *testing.T) {
	s := gosdk.New(gosdk.Options{})
	c := connect(t, s)
	first := read(c.call("slow", `{"seconds":0.4}`))
	prime, _ := first.next()
	s.CutStreams()
	first.rest()
	start := time.Now()
	answer := c.resume(prime.id)
	equal(t, "headers waited", time.Since(start) > 100*time.Millisecond, true)
	rest, _ := read(answer).rest()
	equal(t, "events", len(rest), 1)
}
