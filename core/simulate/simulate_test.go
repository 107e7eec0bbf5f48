//go:build !js

package simulate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestIncidents: a thousand clients, whatever befalls them, lose no event, see
// none twice, never come before the server allows it, and all come back.
func TestIncidents(t *testing.T) {
	for _, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			r := NewWorld(Config{Clients: 1000, Seed: 7}, s).Run()
			if why := r.Broken(); why != "" {
				t.Error(why)
			}
			// Nothing of the above would show where nothing had happened.
			if r.Events < 2000 || r.Arrivals.Total() < 1000 || r.Served < 2000 {
				t.Errorf("%d events, %d requests: the incident did not happen", r.Events, r.Arrivals.Total())
			}
			if r.Repeated == 0 && !s.OwnSessions {
				t.Error("the service repeated no event: nothing shows that one is not delivered twice")
			}
			// A resume may be for every stream, and more than once; it reads what its client has missed.
			if n := r.Store.Resumes.Total(); !s.OwnSessions &&
				(n < 2000 || r.Store.Read == 0 || n > r.Served) {
				t.Errorf("the store: %d resumes, %d events read, of %d requests", n, r.Store.Read, r.Served)
			}
			if s.OwnSessions && r.Store.Begun.Total() == 0 {
				t.Error("calls were run again, and the store has not heard of it")
			}
			if s.Retry >= 0 && r.Floors < 1000 {
				t.Errorf("%d requests were held back by the server: nothing shows that they are", r.Floors)
			}
			if n := r.Failures["unauthorized"] + r.Failures["protocol_error"] +
				r.Failures["reconnect_loop"]; n > 0 {
				t.Errorf("%v", r.Failures)
			}
		})
	}
}

// TestSameSeedSameRun: what is printed with a seed can be had again.
func TestSameSeedSameRun(t *testing.T) {
	s := Scenarios()[0]
	play := func(seed uint64) Result { return NewWorld(Config{Clients: 200, Seed: seed}, s).Run() }
	a, b, c := play(3), play(3), play(4)
	if a.Row() != b.Row() || !slices.Equal(a.Arrivals.bins, b.Arrivals.bins) {
		t.Errorf("one seed, two runs:\n%s\n%s", a.Row(), b.Row())
	}
	if slices.Equal(a.Arrivals.bins, c.Arrivals.bins) {
		t.Error("two seeds, one run")
	}
}

// TestJudgement: what must not happen shows in the result where it does.
func TestJudgement(t *testing.T) {
	w := NewWorld(Config{Clients: 1}, Scenarios()[0])
	p := w.pages[0]
	k := &p.calls[0]
	*k = call{page: p, id: 1, run: -1}
	event := func(n, run string) {
		p.told(progress(`{"progressToken":1,"progress":` + n + `,"total":` + run + `}`))
	}
	event("1", "0")
	event("4", "0")
	event("4", "0")
	event("1", "9")
	k.notBefore = 10
	w.checkFloor(&exchange{page: p, call: k, purpose: forResume})
	r := w.result
	if r.Lost != 2 || r.Twice != 1 || r.Foreign != 1 || r.Undercut != 1 || r.Floors != 1 {
		t.Errorf("%+v", r)
	}
	if why := r.Broken(); !strings.Contains(why, "2 events lost") ||
		!strings.Contains(why, "before the server allowed") {
		t.Errorf("%q", why)
	}
}

func progress(data string) engine.Effect {
	return engine.Effect{Kind: engine.Deliver, Event: engine.EventProgress, C: 1, Data: []byte(data)}
}

// TestQueue: events come in order of time, and those of one time in order of
// their booking, whether they were near or far when they were booked.
func TestQueue(t *testing.T) {
	q := newQueue(100)
	near := int64(len(q.ring))
	rng := rand.New(rand.NewPCG(1, 1))
	booked, left := 0, map[int64][]uint32{} // left: by time, in order of booking
	book := func(now int64) {
		at := now + between(rng, 0, 4)*near/2 + between(rng, 0, 20)
		q.push(event{at: at, n: uint32(booked)})
		left[at] = append(left[at], uint32(booked))
		booked++
	}
	for range 1000 {
		book(0)
	}
	last := int64(0)
	for taken := 0; ; taken++ {
		e, ok := q.pop()
		if !ok {
			if taken != booked || booked < 5000 {
				t.Errorf("%d of %d came", taken, booked)
			}
			return
		}
		if e.at < last || left[e.at][0] != e.n {
			t.Fatalf("%v after %d, before %v", e, last, left[e.at])
		}
		last, left[e.at] = e.at, left[e.at][1:]
		if booked < 5000 {
			book(last)
		}
	}
}

// TestCurve: the busiest window is found wherever it lies.
func TestCurve(t *testing.T) {
	var c curve
	for _, at := range []int64{0, 5, 990, 995, 1000, 1005, 1080, 5000} {
		c.add(at)
	}
	for _, v := range []struct {
		width, from int64
		want        int
	}{{110, 0, 5}, {1000, 0, 5}, {100, 2000, 1}, {20, 900, 4}} {
		if got := c.Busiest(v.width, v.from); got != v.want {
			t.Errorf("%+v: %d", v, got)
		}
	}
}
