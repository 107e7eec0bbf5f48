//go:build !js

package chrome

import (
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
)

// TaskTime returns how long the page's main thread has been busy since it was
// opened, in seconds.
func TaskTime(p *Page) float64 {
	p.t.Helper()
	Call(p, performance.Enable, performance.EnableParams{})
	got := Call(p, performance.GetMetrics, cdp.Empty{})
	for _, m := range got.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	p.t.Fatal("chrome: no metric TaskDuration")
	return 0
}
