//go:build !js

package simulate

import "testing"

func TestProf(t *testing.T) {
	s := Scenarios()
	w := NewWorld(Config{Clients: 1000, Seed: 1}, s[len(s)-1])
	r := w.Run()
	n := 0
	for _, p := range w.pages {
		if p.broken > 0 && n < 4 {
			n++
			d, ok := p.client.Deadline()
			t.Logf("page %d broken %d still %v noisy %v offline %v since %d wholeAt %d now %d timerAt %d requests %d deadline %d %v", p.index, p.broken, p.still, p.noisy, p.offline, p.since, p.wholeAt, w.now, p.timerAt, p.requests, int64(d)-int64(p.now()), ok)
			for _, x := range p.live {
				t.Logf("  x%d purpose %d status %d headed %v reading %v closing %v deaf %v backlog %d", x.id, x.purpose, x.status, x.headed, x.reading, x.closing, x.deaf, len(x.backlog))
			}
			for _, k := range p.calls {
				t.Logf("  call %+v", k)
			}
		}
	}
	t.Log(r.Violations())
}
