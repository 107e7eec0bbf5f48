//go:build !js

package main

import "errors"

// A result is one large result, as a JSON body or over SSE.
type result struct {
	name string
	Size int  `json:"size"`
	SSE  bool `json:"sse"`
}

// largeResults are of one unit and of 16: in MB, which keeps below the 16 MiB
// that Holdfast takes for one event by default.
func largeResults(unit int) []result {
	return []result{
		{name: "1MB json", Size: unit},
		{name: "1MB sse", Size: unit, SSE: true},
		{name: "16MB json", Size: 16 * unit},
		{name: "16MB sse", Size: 16 * unit, SSE: true},
	}
}

// measureLarge takes the time of large results in ms, on pages that have had
// some, and the peak of memory of the largest on fresh pages.
func measureLarge(f *field, r *results, s settings) error {
	for _, l := range largeResults(s.unit) {
		err := f.warmTurns(s, func(counted bool, e *entrant) error {
			ms, err := run[float64](e.tab, "large", l)
			if err == nil && counted {
				r.add(e.name, l.name, ms)
			}
			return err
		})
		if err != nil {
			return err
		}
		if l.Size < 16*s.unit || s.noPeaks {
			continue
		}
		err = f.turns(s.rounds, func(_ int, e *entrant) error { return f.peak(e, r, l) })
		if errors.Is(err, errNoPeak) {
			r.note(raw, l.name+" peak", err.Error())
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// peak takes by how much the memory of a fresh page's process grew at most, in
// MB.
func (f *field) peak(e *entrant, r *results, l result) error {
	t, err := f.fresh(e)
	if err != nil {
		return err
	}
	defer t.close()
	process, err := t.process()
	if err != nil {
		return err
	}
	if _, err := t.heap(); err != nil { // what start-up left behind goes first
		return err
	}
	before, err := process.restartPeak()
	if err != nil {
		return err
	}
	if _, err := run[float64](t, "large", l); err != nil {
		return err
	}
	most, err := process.peak()
	if err != nil {
		return err
	}
	r.add(e.name, l.name+" peak", (most-before)/(1<<20))
	return nil
}
