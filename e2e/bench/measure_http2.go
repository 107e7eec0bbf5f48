//go:build !js

package main

import "slices"

// manyInFlight is more calls than HTTP/1.1 has connections for, and fewer than any server of HTTP/2 has
// streams.
const manyInFlight = 100

// overHTTP2 are the contenders that are measured over HTTP/2 as well.
var overHTTP2 = []string{raw, official, holdfast, holdfastOff, holdfast + shared}

// measureHTTP2 takes small calls over TLS with HTTP/2: one after another (p50 in ms, CPU of the main
// thread in ms per call, requests for locks per call), and 32 and 100 at a time (calls a second).
func measureHTTP2(f *field, r *results, s settings) error {
	over := &field{root: f.root, browser: f.browser, server: f.server}
	defer over.close()
	for _, e := range f.entrants {
		if !slices.Contains(overHTTP2, e.name) {
			continue
		}
		site := newSite(e.parcel.folder, f.server, true)
		over.stop = append(over.stop, func() {
			site.CloseClientConnections()
			site.Close()
		})
		over.entrants = append(over.entrants, &entrant{contender: e.contender, parcel: e.parcel, site: site})
	}
	return over.warmTurns(s, func(counted bool, e *entrant) error {
		if _, err := run[any](e.tab, "list"); err != nil {
			return err
		}
		before, err := run[asked](e.tab, "asked")
		if err != nil {
			return err
		}
		var times []float64
		busy, err := e.tab.busy(func() (err error) {
			times, err = run[[]float64](e.tab, "sequential", s.calls)
			return err
		})
		if err != nil {
			return err
		}
		after, err := run[asked](e.tab, "asked")
		if err != nil {
			return err
		}
		some, err := run[float64](e.tab, "concurrent", 2*s.calls, inFlight)
		if err != nil {
			return err
		}
		many, err := run[float64](e.tab, "concurrent", 2*s.calls, manyInFlight)
		if err != nil || !counted {
			return err
		}
		n := float64(s.calls)
		r.add(e.name, "h2 p50", quantile(times, 0.5))
		r.add(e.name, "h2 p95", quantile(times, 0.95))
		r.add(e.name, "h2 cpu", busy/n)
		r.add(e.name, "h2 locks", (after.Locks-before.Locks)/n)
		r.add(e.name, "h2 32", 2*n/some*1000)
		r.add(e.name, "h2 100", 2*n/many*1000)
		return nil
	})
}
