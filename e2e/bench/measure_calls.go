//go:build !js

package main

// inFlight is how many calls run at a time where many do.
const inFlight = 32

// asked is what a page has asked of the browser.
type asked struct{ Transactions, Locks float64 }

// measureCalls takes small calls: one after another (p50 and p95 in ms, CPU of
// the main thread in ms per call, transactions and requests for locks per call), the same
// of a tool that changes nothing, as its annotations say, and many at a time (calls a second).
func measureCalls(f *field, r *results, s settings) error {
	return f.warmTurns(s, func(counted bool, e *entrant) error {
		if _, err := run[any](e.tab, "list"); err != nil {
			return err
		}
		before, err := run[asked](e.tab, "asked")
		if err != nil {
			return err
		}
		var times []float64
		busy, err := e.tab.busy(func() error {
			return e.profiled("calls", counted, s, func() (err error) {
				times, err = run[[]float64](e.tab, "sequential", s.calls)
				return err
			})
		})
		if err != nil {
			return err
		}
		between, err := run[asked](e.tab, "asked")
		if err != nil {
			return err
		}
		var reading []float64
		idle, err := e.tab.busy(func() (err error) {
			reading, err = run[[]float64](e.tab, "sequential", s.calls, "look")
			return err
		})
		if err != nil {
			return err
		}
		after, err := run[asked](e.tab, "asked")
		if err != nil {
			return err
		}
		many, err := run[float64](e.tab, "concurrent", 2*s.calls, inFlight)
		if err != nil {
			return err
		}
		last, err := run[asked](e.tab, "asked")
		if err != nil {
			return err
		}
		if !counted {
			return nil
		}
		n := float64(s.calls)
		r.add(e.name, "call p50", quantile(times, 0.5))
		r.add(e.name, "call p95", quantile(times, 0.95))
		r.add(e.name, "call cpu", busy/n)
		r.add(e.name, "call commits", (between.Transactions-before.Transactions)/n)
		r.add(e.name, "call locks", (between.Locks-before.Locks)/n)
		r.add(e.name, "read p50", quantile(reading, 0.5))
		r.add(e.name, "read cpu", idle/n)
		r.add(e.name, "read commits", (after.Transactions-between.Transactions)/n)
		r.add(e.name, "calls 32", 2*n/many*1000)
		r.add(e.name, "calls 32 commits", (last.Transactions-after.Transactions)/(2*n))
		return nil
	})
}
