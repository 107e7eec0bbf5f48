//go:build !js

package simulate

import (
	"bytes"
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// byID returns the app's call with that id; nil for one that it has made again.
func (p *page) byID(id engine.CallID) *call {
	for i := range p.calls {
		if p.calls[i].id == id {
			return &p.calls[i]
		}
	}
	return nil
}

// told takes an event of a call's. Each event of a run comes once and in order,
// and the events of another run only after the app was told that there is one.
func (p *page) told(e engine.Effect) {
	k := p.byID(e.C)
	if k == nil {
		return
	}
	switch e.Event {
	case engine.EventResumed:
		if bytes.Contains(e.Data, []byte(`"restarted"`)) {
			k.run, k.got = -1, 0
			p.w.result.Restarted++
		}
	case engine.EventProgress:
		n, _ := strconv.Atoi(number(e.Data, `"progress":`))
		run, _ := strconv.Atoi(number(e.Data, `"total":`))
		r := &p.w.result
		r.Events++
		switch {
		case k.run >= 0 && run != k.run:
			r.Foreign++
		case n <= k.got:
			r.Twice++
		case n > k.got+1:
			r.Lost += n - k.got - 1
		}
		k.run, k.got = run, max(n, k.got)
	}
}

// settled takes the end of a call. An app whose call has failed makes it again
// after a while, as a person would.
func (p *page) settled(e engine.Effect) {
	k := p.byID(e.C)
	if k == nil {
		return
	}
	w := p.w
	if e.Outcome != engine.OutcomeResult {
		code := "rpc_error"
		if e.Failure != nil {
			code = string(e.Failure.Code)
		}
		w.result.Failures[code]++
		w.result.Remade++
		p.lose(k)
		k.id = ^engine.CallID(0)
		w.push(event{at: w.now + between(w.rng, 5*second, 15*second), kind: evRecall, page: p,
			n: uint32(k.index())})
		return
	}
	if missing := k.job.total - k.got; missing > 0 {
		w.result.Lost += missing
	}
	k.settled = true
	w.open--
	p.back(k)
}

func (k *call) index() int {
	for i := range k.page.calls {
		if k == &k.page.calls[i] {
			return i
		}
	}
	return -1
}
