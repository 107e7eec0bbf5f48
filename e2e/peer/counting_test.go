//go:build !js

package peer_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// patient reads a call to its result by GET with Last-Event-ID, however often
// the connection dies, and returns the sequence numbers that came.
func (c *resumer) patient(id int, arguments string) (got []int, result string) {
	c.t.Helper()
	s, cursor, seen := c.call(id, "count", arguments), "", map[string]bool{}
	for range 1000 {
		for {
			e, err := s.next()
			if err != nil {
				break
			}
			cursor = e.id
			var m struct {
				Result json.RawMessage
				Params struct{ Message string }
			}
			json.Unmarshal([]byte(e.data), &m)
			if seen[e.id] {
				continue
			}
			seen[e.id] = true
			if _, _, seq := peer.ParseMark(m.Params.Message); seq > 0 {
				got = append(got, seq)
			}
			if m.Result != nil {
				return got, string(m.Result)
			}
		}
		r := c.request("GET", "")
		r.Header.Set("Last-Event-Id", cursor)
		a, err := c.http.Do(r)
		if err != nil {
			continue // NoAnswer
		}
		defer a.Body.Close()
		s = read(a)
	}
	c.t.Fatal("no result")
	return nil, ""
}

func upTo(n int) []int {
	var all []int
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

func TestCountOverRandomCuts(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			p := peer.New(t, peer.Options{})
			p.Counting(&peer.RandomCuts{Seed: seed, Chance: 0.4, Hold: seed%2 == 0})
			p.OnResume(peer.ResumeFaults(seed, 0.5, 10))
			c, o := resuming(t, p, peer.Revision20251125), p.Oracle()
			got, result := c.patient(1, `{"call":"a","n":25,"bytes":100,"retry_ms":0}`)
			equal(t, "each once", slices.Equal(got, upTo(25)), true)
			contains(t, "result", result, `"n":25`)
			equal(t, "produced", slices.Equal(o.Produced("a"), upTo(25)), true)
			equal(t, "runs", o.Runs("a"), 1)
			equal(t, "at once", o.MaxOpenStreams("a"), 1)
			until(t, p, "closed", func() bool { return o.OpenStreams("a") == 0 })
			clean(t, p)
		})
	}
}

// Several pages at once, some of them in one session: nobody gets what is
// another's.
func TestCountForManyTabs(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Counting(&peer.RandomCuts{Seed: 3, Chance: 0.3})
	shared, o := resuming(t, p, peer.Revision20251125), p.Oracle()
	var tabs sync.WaitGroup
	for i := range 8 {
		c := shared
		if i%2 == 0 {
			c = resuming(t, p, peer.Revision20251125)
		}
		tabs.Go(func() {
			label := fmt.Sprint("tab ", i)
			got, _ := c.patient(10+i, fmt.Sprintf(`{"call":%q,"n":30,"every_ms":1,"retry_ms":0}`, label))
			if !slices.Equal(got, upTo(30)) || o.Runs(label) != 1 || o.MaxOpenStreams(label) != 1 {
				t.Errorf("%s: %v, %d runs, %d at once", label, got, o.Runs(label), o.MaxOpenStreams(label))
			}
		})
	}
	tabs.Wait()
	equal(t, "initializes", o.Initializes(), 5)
	clean(t, p)
}

// The same seed cuts in the same places.
func TestRandomCutsAreNotRandom(t *testing.T) {
	for range 2 {
		p := peer.New(t, peer.Options{})
		p.Counting(&peer.RandomCuts{Seed: 7, Chance: 0.5, Hold: true})
		c := resuming(t, p, peer.Revision20251125)
		c.patient(1, `{"call":"a","n":20}`)
		equal(t, "connections", p.Oracle().Connections("a"), 10)
	}
}

// A page goes and another comes, with the session and the cursor: the run did
// not care.
func TestCountOutlivesItsClient(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	c, o := resuming(t, p, peer.Revision20251125), p.Oracle()
	s := c.call(1, "count", `{"call":"a","n":3,"gate":"g"}`)
	prime, _ := s.next()
	p.Pass("g")
	one, _ := s.next()
	equal(t, "one", what(one), "p1")
	c.http.CloseIdleConnections()
	p.CutStreams(peer.FIN)
	p.Pass("g")
	until(t, p, "two", func() bool { return slices.Equal(o.Produced("a"), upTo(2)) })
	next := &resumer{&client{t: t, url: p.URL(), session: c.session, http: c.http}, c.revision}
	s = read(next.get(one.id))
	two, _ := s.next()
	equal(t, "replayed", what(two), "p2")
	p.Release("g")
	rest, _ := s.rest()
	equal(t, "live", words(rest), "p3 result")
	all, _ := read(next.get(prime.id)).rest()
	equal(t, "still there", words(all), "p1 p2 p3 result")
	equal(t, "initializes", o.Initializes(), 1)
	equal(t, "deletes", o.Deletes(""), 0)
	next.do(next.request("DELETE", ""))
	equal(t, "deletes", o.Deletes(c.session), 1)
	equal(t, "session", slices.Equal(o.Sessions(), []string{c.session}), true)
	var found []int
	for _, e := range o.Messages("a") {
		found = append(found, e.Written)
	}
	equal(t, "written", fmt.Sprint(found), "[1 2 2 2 2]")
	clean(t, p)
}

func TestSideEffects(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.SideEffects()
	c, o := resuming(t, p, peer.Revision20250618), p.Oracle()
	list := body(c.ask(1, "tools/list", "{}", ""))
	contains(t, "tools", list, `{"annotations":{"readOnlyHint":true},"description":"Changes nothing."`,
		`{"annotations":{"idempotentHint":true}`)
	for i, tool := range []string{"sideeffect", "lookup", "upsert"} {
		args := fmt.Sprintf(`{"call":"one %s","lose":1,"opened":true}`, tool)
		got, err := c.call(10+i, tool, args).rest()
		equal(t, "lost", len(got) == 0 && err != nil, true)
		got, _ = c.call(20+i, tool, args).rest()
		equal(t, "again", words(got), "result")
		equal(t, "runs", o.Runs("one "+tool), 2)
	}
	equal(t, "labels", fmt.Sprint(o.Labels()), "[one sideeffect one lookup one upsert]")
}
