//go:build !js

package growth

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/security"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
)

var (
	most  = flag.Int("growth.most", 10_000, "calls in the largest journal")
	pages = flag.Bool("growth.chrome", false, "measure in Chrome, too")
	tries = flag.Int("growth.tries", 3, "measurements of each point, of which the least counts")
)

// patience is for a thousand calls on a busy machine.
const patience = time.Minute

// page is a tab at the origin.
type page struct {
	*chrome.Page
	b *testing.B
}

func newPage(b *testing.B, o *origin) *page {
	p := &page{chrome.Open(b, "about:blank"), b}
	// The certificate is httptest's own.
	chrome.Call(p.Page, security.SetIgnoreCertificateErrors,
		security.SetIgnoreCertificateErrorsParams{Ignore: true})
	chrome.Call(p.Page, performance.Enable, performance.EnableParams{})
	p.Navigate(o.URL + "/")
	p.ready()
	return p
}

func (p *page) ready() {
	p.WaitFor(`window.rig`)
	chrome.Script[chrome.Void](p.Page, `await rig.warm()`)
}

// run does something in the page and returns the main thread's time for it, in us.
func run[T any](p *page, script string) (T, float64) {
	before := chrome.TaskTime(p.Page)
	chrome.Script[chrome.Void](p.Page, `window.got = undefined; rig.`+script+`.then((value) => { window.got `+
		`= { value }; }, (error) => { window.got = { error: String(error) }; });`)
	p.WaitWithin(patience, `window.got`)
	if why := chrome.Eval[string](p.Page, `got.error ?? ""`); why != "" {
		p.b.Fatalf("%s: %s", script, why)
	}
	got := chrome.Eval[T](p.Page, `got.value`)
	return got, (chrome.TaskTime(p.Page) - before) * 1e6
}

// heap returns what the page's JavaScript holds, in KB.
func (p *page) heap() float64 {
	chrome.Call(p.Page, heapprofiler.CollectGarbage, cdp.Empty{})
	for _, m := range chrome.Call(p.Page, performance.GetMetrics, cdp.Empty{}).Metrics {
		if m.Name == "JSHeapUsedSize" {
			return m.Value / 1024
		}
	}
	p.b.Fatal("no metric JSHeapUsedSize")
	return 0
}

// BenchmarkGrowth measures everything once and writes it into docs/.
func BenchmarkGrowth(b *testing.B) {
	root, err := moduleroot.Find()
	if err != nil {
		b.Fatal(err)
	}
	var curves []Curve
	again := ""
	if *pages {
		curves = concurrentCalls(b)
		restored, ratios := journals(b)
		curves, again = append(curves, restored...), ratios
	}
	native, err := coreCurves(root)
	if err != nil {
		b.Fatal(err)
	}
	curves = append(curves, native...)
	about := head
	if *pages {
		about += inChrome
	}
	text := fmt.Sprintf("%s\n%s%s\n", about, Table(curves), again)
	text += fmt.Sprintf("\nMeasured on %d processors with %s: trust what compares within a line.\n",
		runtime.NumCPU(), runtime.Version())
	if err := os.WriteFile(filepath.Join(root, "docs", "growth.md"), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "docs", "growth.svg"), []byte(Picture(curves)),
		0o644); err != nil {
		b.Fatal(err)
	}
	fmt.Print(Table(curves), again, "\n")
}

const head = `# How cost grows

` + "`make growth`" + ` measures this and draws the picture. Costs are for one call or one update, where there are as many of them as the
column says; the last column is the cost at the end of the line over the least on it, so 1 is flat.

![What one call or update costs as their number grows, as a multiple of its least cost](growth.svg)

- The core's figures are of its own benchmarks, run natively, in processor time. Calls are durable ones with ten events of 200 bytes
  each. Calls under way go from their making to their outcome, with a commit for each round of events; restored ones have ended and
  were not acknowledged, and come in pieces of 48 KB, as from a page.`

const inChrome = `
- In Chrome, calls are made at once over HTTP/2. It opens 256 streams on a connection: of a thousand calls, the others are made, written
  to the journal and sent, and wait in the browser for a stream. "One more" is what a further call costs with that many in the journal;
  to restore is what a page does after a reload, until ` + "`calls()`" + ` has all of them with their events: it opens the database and
  reads it, takes over what the page before has left, and has the core fold it. They have ended: nothing is asked of the network.
  The raw read opens the same database, gets the same records with a ` + "`getAll`" + ` for each store, and leaves them as they are. Times are of the main
  thread, memory is what JavaScript holds after a garbage collection.`

// concurrentCalls has 1 to 1,000 calls under way.
func concurrentCalls(b *testing.B) []Curve {
	cpu := Curve{Panel: "Concurrent durable calls, in Chrome", Name: "main thread", Unit: "us a call"}
	held := Curve{Panel: cpu.Panel, Name: "memory while under way", Unit: "KB a call"}
	o := newOrigin(b)
	p := newPage(b, o)
	chrome.Script[chrome.Void](p.Page, `await rig.connect()`)
	for _, n := range []int{1, 10, 100, 1_000} {
		spent, kept := math.Inf(1), math.Inf(1)
		for range *tries {
			// As many rounds as it takes for a hundred calls: one alone is not measurable.
			var sum, bytes float64
			rounds := max(1, 100/n)
			for range rounds {
				before := p.heap()
				_, made := run[bool](p, fmt.Sprintf("make(%d)", n))
				if rounds == 1 {
					bytes = p.heap() - before
				}
				got, ended := run[int](p, "end()")
				if got != n*eventsEach {
					b.Fatalf("%d events of %d calls", got, n)
				}
				chrome.Script[chrome.Void](p.Page, `await rig.ack()`)
				sum += made + ended
			}
			spent = min(spent, sum/float64(rounds*n))
			kept = min(kept, bytes/float64(n))
		}
		b.Logf("%d calls at once: %.0f us each", n, spent)
		cpu.Points = append(cpu.Points, Point{n, spent})
		if n >= 100 {
			held.Points = append(held.Points, Point{n, kept})
		}
	}
	return []Curve{cpu, held}
}

// read is what the page says of a restore, or of a read of the same records.
type read struct {
	Ms                 float64
	N, Rows, Positions int
	Bytes              int
}

// journals fills a journal and comes back to it.
func journals(b *testing.B) ([]Curve, string) {
	const panel = "Calls in the journal, in Chrome"
	more := Curve{Panel: panel, Name: "one more call, main thread", Unit: "us"}
	cpu := Curve{Panel: panel, Name: "restore after reload, main thread", Unit: "us a call"}
	wall := Curve{Panel: panel, Name: "restore after reload", Unit: "us a call"}
	raw := Curve{Panel: panel, Name: "the same records read raw", Unit: "us a call"}
	o := newOrigin(b)
	p := newPage(b, o)
	chrome.Script[chrome.Void](p.Page, `await rig.connect()`)
	made, ratio := 0, ""
	for n := 10; n <= *most; n *= 10 {
		for made < n {
			k := min(n-made, 200)
			run[bool](p, fmt.Sprintf("make(%d)", k))
			run[int](p, "end()")
			made += k
		}
		one := math.Inf(1)
		for range *tries {
			var sum float64
			const rounds = 20
			for range rounds {
				_, begun := run[bool](p, "make(1)")
				_, ended := run[int](p, "end()")
				chrome.Script[chrome.Void](p.Page, `await rig.ack()`)
				sum += begun + ended
			}
			one = min(one, sum/rounds)
		}
		more.Points = append(more.Points, Point{n, one})

		leastRaw, least, busy := math.Inf(1), math.Inf(1), math.Inf(1)
		var there read
		for range *tries {
			p.Reload()
			p.ready()
			there, _ = run[read](p, "raw()")
			leastRaw = min(leastRaw, there.Ms)
			got, spent := run[read](p, "restore()")
			if there.N != n || got.N != n || got.Positions != n*eventsEach {
				b.Fatalf("of %d calls %d came back, with %d events; %d are stored", n, got.N, got.Positions,
					there.N)
			}
			least, busy = min(least, got.Ms), min(busy, spent)
		}
		each := func(ms float64) Point { return Point{n, ms * 1000 / float64(n)} }
		wall.Points, raw.Points = append(wall.Points, each(least)), append(raw.Points, each(leastRaw))
		cpu.Points = append(cpu.Points, Point{n, busy / float64(n)})
		ratio += fmt.Sprintf(
			"- %s calls (%s rows, %s KB): restored in %s ms, read raw in %s ms: %.2f times\n",
			thousands(n), thousands(there.Rows), thousands(there.Bytes/1024), figure(least), figure(leastRaw),
			least/leastRaw)
	}
	return []Curve{more, cpu, wall, raw}, "\n## Restore against a raw read\n\n" + ratio
}
