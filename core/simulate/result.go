//go:build !js

package simulate

import (
	"slices"
	"strconv"
)

// Result is what a scenario came to.
type Result struct {
	Scenario Scenario
	Config   Config

	Events    int // delivered to the apps
	Lost      int // never delivered, although the service had given them: must be 0
	Twice     int // delivered twice: must be 0
	Foreign   int // of another run, without word of it: must be 0
	Repeated  int // that the service gave twice, for the client to drop
	Floors    int // requests that a retry or a Retry-After held back
	Undercut  int // of those that came too early: must be 0
	Unsettled int // calls without an outcome: must be 0
	Away      int // clients that never had all their streams again: must be 0

	// streams that were well, and that a client asked for once more because they were silent
	Doubted   int
	Restarted int            // calls that the client ran again, and said so
	Remade    int            // calls that failed, and that the app made again
	Failures  map[string]int // of those, by code

	Arrivals curve // requests at the load balancer since the incident began
	Served   int   // that an instance took
	Refused  int   // that were answered with 503

	Store Store // what was asked of the event store since the incident began

	Requests []int // of each client, sorted
	// ms that each client was without all of its streams although it could have had them, sorted
	Waits []int64
	Whole int64 // ms from the moment the service was back until 99 of 100 clients were whole for good
}

// Shown returns how much of the incident is worth a picture, in ms: until 99 of
// 100 clients are whole, and a little more.
func (r *Result) Shown() int64 { return (r.Scenario.Outage + r.Whole) * 11 / 10 }

// count notes a request's arrival.
func (w *World) count(x *exchange) {
	if w.finishing || !w.began(w.now) {
		return
	}
	w.result.Arrivals.add(w.now - w.incident)
	x.page.requests++
}

// whole notes that a page has all its streams again.
func (w *World) whole(p *page) {
	w.result.Waits = append(w.result.Waits, max(w.now-p.since, 0))
	p.wholeAt = w.now
}

func (w *World) conclude() {
	r := &w.result
	slices.Sort(r.Waits)
	var at []int64
	for _, p := range w.pages {
		r.Requests = append(r.Requests, p.requests)
		if p.broken > 0 {
			r.Away++
		}
		at = append(at, max(p.wholeAt-w.mended, 0))
	}
	slices.Sort(r.Requests)
	slices.Sort(at)
	r.Whole = Percentile(at, 99)
}

// Percentile returns the p-th percentile of sorted values, 0 of none.
func Percentile[T int | int64](sorted []T, p float64) T {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(p/100*float64(len(sorted))), len(sorted)-1)]
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
