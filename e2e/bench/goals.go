//go:build !js

package main

import (
	"fmt"
	"math"
)

// A goal is a figure of Holdfast's against a limit.
type goal struct {
	text  string
	limit float64
	atMin bool // the limit is the least, not the most
	of    func(*results) float64
}

// verdict is what became of a goal.
type verdict struct {
	Goal  string  `json:"goal"`
	Limit float64 `json:"limit"`
	Got   float64 `json:"got"`
	Met   bool    `json:"met"`
	// By is how far the figure is from the limit, as a part of it.
	By float64 `json:"by"`
}

// times is the median of the ratios between two contenders.
func times(contender, other, figure string) func(*results) float64 {
	return func(r *results) float64 {
		_, mid, _ := r.ratio(contender, other, figure)
		return mid
	}
}

func median(contender, figure string) func(*results) float64 {
	return func(r *results) float64 { return r.median(contender, figure) }
}

// slower is how many times as long a contender takes for one load as for another.
func slower(contender, one, other string) func(*results) float64 {
	return func(r *results) float64 { return r.median(contender, other) / r.median(contender, one) }
}

// more is the difference to raw.
func more(contender, figure string) func(*results) float64 { return moreThan(contender, raw, figure) }

// moreThan is the difference between two contenders.
func moreThan(contender, other, figure string) func(*results) float64 {
	return func(r *results) float64 { return r.median(contender, figure) - r.median(other, figure) }
}

// goals are what the project set itself, in ratios within one run wherever the
// machine has a say.
func goals() []goal {
	var all []goal
	atLeast := func(limit float64, text string, of func(*results) float64) {
		all = append(all, goal{text: text, limit: limit, atMin: true, of: of})
	}
	atMost := func(limit float64, text string, of func(*results) float64) {
		all = append(all, goal{text: text, limit: limit, of: of})
	}
	kept := map[string]string{holdfast: "kept", holdfastOff: "not kept"}

	atLeast(6, "200 B events/s, not kept, x official", times(holdfastOff, official, "200B rate"))
	atLeast(4, "200 B events/s, kept, x official", times(holdfast, official, "200B rate"))
	floors := map[string][2]float64{"200B": {0.7, 0.45}, "2KB": {0.8, 0.45}, "each": {0.8, 0.5}}
	for _, l := range loads(0) {
		if l.Wide {
			for _, who := range []string{holdfastOff, holdfast, holdfast + shared} {
				atMost(1.3, l.title+": time, x that of ASCII, "+who, slower(who, l.name+" rate", "2KB rate"))
			}
			continue
		}
		for i, who := range []string{holdfastOff, holdfast} {
			atLeast(floors[l.name][i], l.title+": events/s, "+kept[who]+", x raw",
				times(who, raw, l.name+" rate"))
			atMost([]float64{1.4, 2}[i], l.title+": main-thread CPU, "+kept[who]+", x raw",
				times(who, raw, l.name+" cpu"))
			atMost(50, l.title+": longest task, "+kept[who]+", ms", median(who, l.name+" longest"))
			atMost(1.5, l.title+": longest timer gap, "+kept[who]+", x raw", times(who, raw, l.name+" gap"))
		}
	}
	atMost(1.1, "call p50, not kept, x raw", times(holdfastOff, raw, "call p50"))
	atMost(1.5, "call p50, kept, ms more than raw", more(holdfast, "call p50"))
	atMost(1.5, "call p50, kept, of a tool that reads only, ms more than raw", more(holdfast, "read p50"))
	atMost(1.5, "main-thread CPU per call, kept, x official", times(holdfast, official, "call cpu"))
	atLeast(0.8, "32 in flight, kept, x official", times(holdfast, official, "calls 32"))
	atMost(1.2, "main-thread CPU per call, not kept, x raw", times(holdfastOff, raw, "call cpu"))
	atLeast(0.95, "32 in flight, not kept, x raw", times(holdfastOff, raw, "calls 32"))
	for _, how := range []string{"json", "sse"} {
		atMost(1.1, "16 MB "+how+", time, not kept, x raw", times(holdfastOff, raw, "16MB "+how))
		atMost(1.2, "16 MB "+how+", peak memory, not kept, x raw",
			times(holdfastOff, raw, "16MB "+how+" peak"))
	}
	for _, how := range []string{"json", "sse"} {
		atMost(1.3, "16 MB "+how+", time, kept, x raw", times(holdfast, raw, "16MB "+how))
		atMost(1.5, "16 MB "+how+", peak memory, kept, x raw", times(holdfast, raw, "16MB "+how+" peak"))
	}
	for _, who := range []string{holdfastOff, holdfast} {
		atMost(100, "memory growth from 50,000 to 100,000 events, "+kept[who]+", KB",
			median(who, "memory growth"))
	}
	atMost(0.25, "cut to first recovered event, own policies, x official", times(holdfast, official, "cut"))
	atMost(1.1, "cut to first recovered event, server says retry, x raw", times(holdfast, raw, "cut retry"))
	atMost(0, "cut twice: events lost", median(holdfast, "cut twice lost"))
	atMost(500, "from a second cut to its mending, ms", median(holdfast, "cut twice after"))
	atMost(1_500, "from a third cut to its mending, ms", median(holdfast, "cut thrice after"))
	atMost(50, "drop that cannot be resumed: reported, ms later than raw", more(holdfast, "drop"))
	atMost(1.2, "import to connected, cold, x official", times(holdfast, official, "connect cold"))
	atMost(1.5, "import to connected, cold, shared host, x official",
		times(holdfast+shared, official, "connect cold"))
	atMost(1, "import to connected, warm, x official", times(holdfast, official, "connect warm"))
	atMost(0.3, "import to connected, warm, shared host, x official",
		times(holdfast+shared, official, "connect warm"))
	atMost(1.5, "page memory once connected, x official", times(holdfast, official, "connected memory"))
	atMost(600, "wasm, brotli, KB", median(holdfast, "wasm brotli"))
	atMost(15, "JavaScript, brotli, KB", median(holdfast, "js brotli"))
	// A SharedWorker takes the work off the main thread, and costs a hop.
	for _, l := range loads(0)[:2] {
		atMost(0.5, l.title+": main-thread CPU, shared host, not kept, x raw",
			times(holdfastOff+shared, raw, l.name+" cpu"))
	}
	for _, who := range []string{holdfastOff, holdfast} {
		atMost(1, "call p50, shared host, "+kept[who]+", ms more than in the page",
			moreThan(who+shared, who, "call p50"))
		atLeast(0.9, "32 in flight, shared host, "+kept[who]+", x page host",
			times(who+shared, who, "calls 32"))
	}
	atMost(15, "connect of a second page, shared host, ms", median(holdfast+shared, "connect second"))
	atMost(15, "the same after preload(), ms", median(holdfast+shared, "connect preloaded"))
	atMost(1, "memory of a page that is attached to a shared host, x official",
		times(holdfast+shared, official, "connected memory"))
	atMost(10, "JavaScript of a page in a shared host, brotli, KB", median(holdfast+shared, "js brotli"))
	return all
}

// judge gives the verdicts on all goals that were measured.
func judge(r *results) []verdict {
	var all []verdict
	for _, g := range goals() {
		got := g.of(r)
		if math.IsNaN(got) {
			continue
		}
		v := verdict{Goal: g.text, Limit: g.limit, Got: got, Met: got <= g.limit}
		if g.atMin {
			v.Met = got >= g.limit
		}
		if g.limit != 0 {
			v.By = math.Abs(got-g.limit) / g.limit
		}
		all = append(all, v)
	}
	return all
}

// String says by how much a goal was missed, or met.
func (v verdict) String() string {
	word := "met"
	if !v.Met {
		word = "**missed**"
	}
	if v.Limit == 0 {
		return word
	}
	return fmt.Sprintf("%s by %.0f %%", word, 100*v.By)
}
