//go:build !js

package peer_test

import (
	"errors"
	"io"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

func steps(n int, cutAfter int, how peer.Cutting) peer.Script {
	s := peer.Script{peer.Prime(50)}
	for i := 1; i <= n; i++ {
		s = append(s, peer.Progress(float64(i), float64(n), ""))
		if i == cutAfter {
			s = append(s, peer.Cut(how))
		}
	}
	return append(s, peer.Text("all"))
}

// 2025-11-25 basic/transports: the server replays what came after the cursor,
// of that stream only, and goes on with it.
func TestReplayAfterEveryKindOfCut(t *testing.T) {
	for name, how := range map[string]peer.Cutting{"clean": peer.Clean, "fin": peer.FIN,
		"reset": peer.Reset} {
		t.Run(name, func(t *testing.T) {
			p := peer.New(t, peer.Options{})
			p.Tool("steps", steps(5, 2, how))
			c := connect(t, p)
			first, end := read(c.call("steps", "{}")).rest()
			if (how == peer.Clean) != errors.Is(end, io.EOF) ||
				how == peer.Clean && errors.Is(end, io.ErrUnexpectedEOF) {
				t.Errorf("ended with %v", end)
			}
			if how == peer.Reset && len(first) == 0 {
				first = []event{{id: "s2-0"}} // RST may eat what was sent; s1 is the standalone stream
			}
			cursor := first[len(first)-1].id
			second, end := read(c.get(cursor)).rest()
			equal(t, "end of the replay", end, io.EOF)
			if how != peer.Reset {
				equal(t, "first", words(first), "prime p1 p2")
				equal(t, "second", words(second), "p3 p4 p5 result")
			}
			equal(t, "runs", p.Ran("steps"), 1)
			again, _ := read(c.get(first[0].id)).rest()
			equal(t, "from the start", words(again), "p1 p2 p3 p4 p5 result")
			clean(t, p)
		})
	}
}

func TestResumeGoesOnLive(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Tool("work", peer.Script{
		peer.Prime(-1), peer.Progress(1, 0, ""), peer.Gate("cut"), peer.Cut(peer.FIN),
		peer.Progress(2, 0, ""), peer.Resumed(), peer.Gate("end"), peer.Progress(3, 0, ""), peer.Text("ok"),
	})
	c := connect(t, p)
	s := read(c.call("work", "{}"))
	s.next()
	one, _ := s.next()
	equal(t, "one", what(one), "p1")
	p.Waiting("cut")
	p.Release("cut")
	if _, err := s.next(); err == nil {
		t.Fatal("the connection lives on after FIN")
	}
	s = read(c.get(one.id))
	two, _ := s.next()
	equal(t, "replayed", what(two), "p2")
	p.Waiting("end")
	p.Release("end")
	live, end := s.rest()
	equal(t, "live", words(live), "p3 result")
	equal(t, "end", end, io.EOF)
}

func TestStallKeepsTheConnectionSilent(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Tool("work", peer.Script{
		peer.Prime(-1), peer.Cut(peer.Stall), peer.Gate("stalled"), peer.Progress(1, 0, ""), peer.Text("ok"),
	})
	c := connect(t, p)
	s := read(c.call("work", "{}"))
	prime, err := s.next()
	if err != nil {
		t.Fatal(err)
	}
	p.Waiting("stalled")
	p.Release("stalled")
	got, _ := read(c.get(prime.id)).rest()
	equal(t, "resumed", words(got), "p1 result")
	equal(t, "stalled stream is still open", p.OpenStreams() >= 1, true)
}

func TestTornEventIsStoredWhole(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Tool("work", peer.Script{peer.Prime(-1), peer.Torn(peer.Text("whole"), 20, peer.FIN)})
	c := connect(t, p)
	first, end := read(c.call("work", "{}")).rest()
	equal(t, "first", words(first), "prime")
	equal(t, "end", errors.Is(end, io.ErrUnexpectedEOF), true)
	second, _ := read(c.get(first[0].id)).rest()
	equal(t, "second", words(second), "result")
}

func TestFaultsOnResume(t *testing.T) {
	for name, tc := range map[string]struct {
		fault peer.Fault
		want  string
	}{
		"cut before any id": {peer.Fault{Cut: peer.FIN}, ""},
		"cut after two":     {peer.Fault{Cut: peer.Clean, After: 2}, "p2 p3"},
		"repeat":            {peer.Fault{Repeat: 1}, "p1 p2 p3 result"},
		"from start":        {peer.Fault{FromStart: true}, "p1 p2 p3 result"},
		"hole":              {peer.Fault{Skip: 1}, "p3 result"},
		"foreign":           {peer.Fault{Foreign: true}, "notifications/message p2 p3 result"},
	} {
		t.Run(name, func(t *testing.T) {
			p := peer.New(t, peer.Options{})
			p.Tool("steps", steps(3, 1, peer.Clean))
			p.OnResume(func(n int) peer.Fault {
				if n == 1 {
					return tc.fault
				}
				return peer.Fault{}
			})
			c := connect(t, p)
			first, _ := read(c.call("steps", "{}")).rest()
			got, _ := read(c.get(first[1].id)).rest()
			equal(t, "faulty", words(got), tc.want)
			got, _ = read(c.get(first[1].id)).rest()
			equal(t, "healthy", words(got), "p2 p3 result")
		})
	}
}

func TestRefusedResume(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Tool("steps", steps(3, 1, peer.Clean))
	p.OnResume(func(int) peer.Fault {
		return peer.Fault{Answer: &peer.Response{Status: 503, Header: map[string]string{"Retry-After": "2"}}}
	})
	c := connect(t, p)
	first, _ := read(c.call("steps", "{}")).rest()
	r := c.get(first[1].id)
	equal(t, "status", r.StatusCode, 503)
	equal(t, "retry-after", r.Header.Get("Retry-After"), "2")
	equal(t, "logged", p.Of("RESUME")[0].Status, 503)
}
