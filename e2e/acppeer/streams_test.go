//go:build !js

package acppeer_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/internal/rawacp"
)

func TestCutAndReattach(t *testing.T) {
	for _, how := range []acppeer.How{acppeer.Clean, acppeer.FIN, acppeer.Reset} {
		t.Run(fmt.Sprint(how), func(t *testing.T) {
			r := open(t, acppeer.Options{})
			r.c.Prompt("s1", "count 5 @go")
			r.Pass("go", 2)
			r.session.Until(chunk("⟨2⟩"))
			if answer := r.c.Do(t.Context(), http.MethodGet, "s1", "",
				nil); answer.StatusCode != http.StatusConflict {
				t.Errorf("a second receiver gets %s", answer.Status)
			}
			if n := r.Cut("s1", how); n != 1 {
				t.Fatalf("cut %d streams", n)
			}
			if _, err := r.session.Rest(); (err == nil) != (how == acppeer.Clean) {
				t.Errorf("the stream ended with %v", err)
			}
			r.Release("go")
			if got := said(r.c.Open("s1").Until(rawacp.Idle)); got != counted(3, 5) {
				t.Errorf("the new stream brought %q", got)
			}
		})
	}
}

func TestLastEventID(t *testing.T) {
	r := open(t, acppeer.Options{EventIDs: true})
	r.c.Prompt("s1", "count 5")
	all := r.session.Until(rawacp.Idle)
	second := all[slices.IndexFunc(all, chunk("⟨2⟩"))]
	r.Cut("s1", acppeer.Reset)
	r.session.Rest()
	if got := said(r.c.OpenFrom("s1", second.EventID).Until(rawacp.Idle)); got != counted(3, 5) {
		t.Errorf("behind %s came %q", second.EventID, got)
	}
	for _, sent := range r.Sent("s1") {
		want := 1
		if sent.Serial > 4 { // user_message, running, ⟨1⟩ and ⟨2⟩ are before
			want = 2
		}
		if sent.Written != want {
			t.Errorf("update %d was written %d times, want %d", sent.Serial, sent.Written, want)
		}
	}
}

func TestOtherWaysWithStreams(t *testing.T) {
	t.Run("nothing is buffered", func(t *testing.T) {
		r := open(t, acppeer.Options{NoBuffer: true})
		r.c.Prompt("s1", "count 3 @go")
		r.Pass("go", 1)
		r.session.Until(chunk("⟨1⟩"))
		r.Cut("s1", acppeer.Clean)
		r.session.Rest()
		r.Pass("go", 1)
		r.Await("the second chunk", func() bool { return r.Counted("s1") == 2 })
		next := r.c.Open("s1")
		r.Release("go")
		if got := said(next.Until(rawacp.Idle)); got != "⟨3⟩" {
			t.Errorf("the new stream brought %q", got)
		}
	})
	t.Run("the newest receiver wins", func(t *testing.T) {
		r := open(t, acppeer.Options{NewestWins: true})
		second := r.c.Open("s1")
		if _, err := r.session.Rest(); err != nil {
			t.Errorf("the first stream ended with %v", err)
		}
		r.c.Prompt("s1", "count 1")
		second.Until(rawacp.Idle)
	})
	t.Run("a cut forgets the connection", func(t *testing.T) {
		r := open(t, acppeer.Options{ForgetOnCut: true})
		r.Cut("s1", acppeer.Clean)
		r.session.Rest()
		r.Await("the connection's end", func() bool { return len(r.Connections()) == 0 })
		if answer := r.c.Do(t.Context(), http.MethodGet, "s1", "",
			nil); answer.StatusCode != http.StatusNotFound {
			t.Errorf("answered %s", answer.Status)
		}
	})
}

// A half-open connection holds its stream until its client gives it up.
func TestStall(t *testing.T) {
	r := open(t, acppeer.Options{})
	r.Cut("s1", acppeer.Stall)
	r.c.Prompt("s1", "count 2")
	r.Await("the turn's end", func() bool { return r.Counted("s1") == 2 })
	get := func() int { return r.c.Do(t.Context(), http.MethodGet, "s1", "", nil).StatusCode }
	if status := get(); status != http.StatusConflict {
		t.Errorf("while it stalls: %d", status)
	}
	r.session.Close()
	if got, err := r.session.Rest(); len(got) > 0 || err == nil {
		t.Errorf("the stalled stream brought %v and %v", got, err)
	}
	r.Await("the stream's release", func() bool { return r.Receivers("s1") == 0 })
	if got := said(r.c.Open("s1").Until(rawacp.Idle)); got != counted(1, 2) {
		t.Errorf("the new stream brought %q", got)
	}
}

func TestKeepAlive(t *testing.T) {
	p := acppeer.New(t, acppeer.Options{KeepAlive: time.Millisecond})
	c := rawacp.New(t, p.URL())
	c.Initialize(2)
	answer := c.Do(t.Context(), http.MethodGet, "", "", nil)
	comments := make([]byte, len(":\n\n:\n\n"))
	if _, err := io.ReadFull(answer.Body, comments); err != nil || string(comments) != ":\n\n:\n\n" {
		t.Errorf("came %q, %v", comments, err)
	}
}

func TestCutAfterBytes(t *testing.T) {
	r := open(t, acppeer.Options{})
	r.CutAfter("s1", 300, acppeer.FIN)
	r.c.Prompt("s1", "count 3")
	all, err := r.session.Rest()
	if err == nil || len(all) >= 7 {
		t.Errorf("%d messages and %v", len(all), err)
	}
}

func TestTakenPromptWithoutReceipt(t *testing.T) {
	r := open(t, acppeer.Options{})
	r.Rule(acppeer.Rule{Kind: "session/prompt", After: true, Status: 502, Times: 1})
	if status := r.c.Post("s1", `{"jsonrpc":"2.0","id":9,"method":"session/prompt",`+
		`"params":{"sessionId":"s1","prompt":[{"type":"text","text":"count 1"}]}}`); status != 502 {
		t.Errorf("answered %d", status)
	}
	r.session.Until(rawacp.Idle)
	if got := r.Prompts(); len(got) != 1 {
		t.Errorf("prompts: %q", got)
	}
}

func TestRandomCutsOfWholeEventsLoseNothing(t *testing.T) {
	r := open(t, acppeer.Options{EventIDs: true})
	r.CutAtRandom(acppeer.RandomCuts{Seed: 3, Chance: 0.3, Lossless: true})
	r.c.Prompt("s1", "count 60")
	all, ended := r.session.UntilEnd(rawacp.Idle)
	for ended {
		var more []rawacp.Message
		more, ended = r.c.Open("s1").UntilEnd(rawacp.Idle)
		all = append(all, more...)
	}
	if said(all) != counted(1, 60) {
		t.Errorf("arrived: %s", said(all))
	}
	if n := r.RandomCutsMade(); n < 5 {
		t.Errorf("only %d cuts", n)
	}
}

func TestRandomCutsAreMadeGoodByLastEventID(t *testing.T) {
	r := open(t, acppeer.Options{EventIDs: true})
	r.CutAtRandom(acppeer.RandomCuts{Seed: 5, Chance: 0.3})
	r.c.Prompt("s1", "count 60")
	all, ended := r.session.UntilEnd(rawacp.Idle)
	for ended {
		last := "connection-1/s1/0"
		if len(all) > 0 {
			last = all[len(all)-1].EventID
		}
		var more []rawacp.Message
		more, ended = r.c.OpenFrom("s1", last).UntilEnd(rawacp.Idle)
		all = append(all, more...)
	}
	if said(all) != counted(1, 60) {
		t.Errorf("arrived: %s", said(all))
	}
}

func TestOutage(t *testing.T) {
	r := open(t, acppeer.Options{})
	url := r.URL()
	r.Down()
	if _, err := http.Get(url); err == nil {
		t.Error("somebody still listens")
	}
	r.Up()
	if r.URL() != url {
		t.Errorf("moved to %s", r.URL())
	}
	r.c.Open("s1")
	if answer := r.c.Do(t.Context(), http.MethodDelete, "", "",
		nil); answer.StatusCode != http.StatusAccepted || r.Deletes() != 1 {
		t.Errorf("DELETE: %s, %d", answer.Status, r.Deletes())
	}
}

func TestCORS(t *testing.T) {
	for _, c := range []struct {
		name   string
		cors   acppeer.CORS
		status int
		want   map[string]string
	}{
		{"careful", acppeer.CORS{}, 204, map[string]string{
			"Access-Control-Allow-Origin":      "http://page.example",
			"Access-Control-Expose-Headers":    "Acp-Connection-Id, Acp-Session-Id",
			"Access-Control-Allow-Credentials": ""}},
		{"none", acppeer.CORSNone, 405, map[string]string{"Access-Control-Allow-Origin": ""}},
		{"any", acppeer.CORSAny, 204, map[string]string{"Access-Control-Allow-Origin": "*"}},
		{"hidden", acppeer.CORSHidden, 204,
			map[string]string{"Access-Control-Allow-Credentials": "true",
				"Access-Control-Expose-Headers": ""}},
		{"rust", acppeer.CORSRust, 204, map[string]string{
			"Access-Control-Allow-Headers": "content-type, accept, acp-connection-id, acp-session-id"}},
	} {
		p := acppeer.New(t, acppeer.Options{CORS: c.cors})
		answer := rawacp.New(t, p.URL()).Do(t.Context(), http.MethodOptions, "", "",
			http.Header{"Origin": {"http://page.example"}})
		if answer.StatusCode != c.status {
			t.Errorf("%s: the preflight is answered %s", c.name, answer.Status)
		}
		for name, want := range c.want {
			if got := answer.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", c.name, name, got, want)
			}
		}
	}
}
