//go:build !js

package main

// inFlight is how many calls run at a time where many do.
const inFlight = 32

// measureCalls takes small calls: one after another (p50 and p95 in ms, CPU of
// the main thread in ms per call), and many at a time (calls a second).
func measureCalls(f *field, r *results, s settings) error {
	return f.warmTurns(s, func(counted bool, e *entrant) error {
		var times []float64
		busy, err := e.tab.busy(func() (err error) {
			times, err = run[[]float64](e.tab, "sequential", s.calls)
			return err
		})
		if err != nil {
			return err
		}
		many, err := run[float64](e.tab, "concurrent", 2*s.calls, inFlight)
		if err != nil {
			return err
		}
		if !counted {
			return nil
		}
		r.add(e.name, "call p50", quantile(times, 0.5))
		r.add(e.name, "call p95", quantile(times, 0.95))
		r.add(e.name, "call cpu", busy/float64(len(times)))
		r.add(e.name, "calls 32", float64(2*s.calls)/many*1000)
		return nil
	})
}
