//go:build !js

package e2e

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// How long TestSharedSchedules goes on: `make hosts` and `make soak` say more.
var visitEnds = flag.Int("visitends", 6, "ends of pages and workers in TestSharedSchedules")

// TestSharedSchedules has pages in the shared host carry counting calls, and reloads
// them, sends them away and back, closes and reopens them at random. While the worker
// lives the server sees nothing of that: no stream is cut, and no page hears of a resume.
// Where it is killed and renderers crash, nothing is lost, twice, or run again.
func TestSharedSchedules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, revision string
		kills          bool
	}{
		{"a session's wire", peer.Revision20251125, false},
		{"a wire on which a cut is a cancel", peer.Revision20260728, false},
		{"and kills", peer.Revision20251125, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			row(t)
			t.Parallel()
			_, random := seeded(t)
			p := peer.New(t, peer.Options{Revision: test.revision})
			p.Counting(nil)
			s := &schedule{book: newLedger(t, p), random: random, kills: test.kills}
			for round := 0; s.ends < *visitEnds/3 && !t.Failed(); round++ {
				s.browser(t, p)
				s.round(round)
			}
			s.book.report("%d browsers, %d ends of pages, %d of workers, %d streams cut", s.browsers, s.ends,
				s.killed, s.cut)
			blameless(t, p)
		})
	}
}

// A schedule is what happens to the pages of one profile.
type schedule struct {
	*visits
	book   *ledger
	random *rand.Rand
	kills  bool
	pages  []*chrome.Page
	since  time.Time // when this browser came

	browsers, ends, killed, cut int
}

// browser has the next round be in another browser before the worker of this one can be four minutes old:
// Chromium ends a worker that has no page just when five minutes are over since it was once without one
// (docs/hosts.md), and a schedule that ends a page every half second meets that moment.
func (s *schedule) browser(t *testing.T, p *peer.Peer) {
	t.Helper()
	if time.Since(s.since) < 3*time.Minute {
		return
	}
	for _, page := range s.pages {
		page.Close()
	}
	s.visits = newVisits(t, p, "")
	s.pages = []*chrome.Page{s.open()}
	s.since = time.Now()
	s.browsers++
}

// round makes calls, ends pages until the calls have ended, and compares what the last
// page has had with what the server made.
func (s *schedule) round(round int) {
	s.t.Helper()
	plan := []counting{
		{Call: fmt.Sprintf("r%da", round), N: 120, Every: 10, Bytes: 200, Retry: 10},
		{Call: fmt.Sprintf("r%db", round), N: 30, Every: 40, Retry: 10},
		{Call: fmt.Sprintf("r%dc", round), N: 300, Bytes: 50, Retry: 10},
	}
	carry(s.pages[0], plan)
	if s.kills {
		s.pages[0].WaitFor(
			`Object.values(trails).every(({ guarantee, outcome }) => guarantee === "resumable" || outcome)`)
	}
	for ended := false; !ended && !s.t.Failed(); {
		wait := s.random.IntN(150)
		trails := chrome.Eval[map[string]trail](s.pages[0],
			fmt.Sprintf(`new Promise((resolve) => setTimeout(() => resolve(trails), %d))`, wait))
		if s.kills && slices.ContainsFunc(slices.Collect(maps.Values(trails)),
			func(has trail) bool { return has.Outcome == "runtime_exited" }) {
			s.renew()
			continue
		}
		s.book.page(trails)
		ended = true
		for _, made := range plan {
			ended = ended && trails[made.Call].Outcome != ""
		}
		s.end()
	}
	if s.kills {
		s.renew() // the last end may have been the worker's
	}
	last := s.pages[0]
	// A tab that was there in earlier rounds has their calls as well.
	has := fmt.Sprintf(`["r%[1]da", "r%[1]db", "r%[1]dc"].map((call) => trails[call])`, round)
	last.WaitFor(`window.ready && ` + has + `.every(Boolean)`)
	resumed := chrome.Eval[int](last, has+`.reduce((n, { resumed }) => n + resumed.length, 0)`)
	settleAll(last, s.book, plan)
	if s.kills {
		return
	}
	if resumed > 0 {
		s.t.Errorf("%d resumes were reported", resumed)
	}
	s.cut += s.p.Cancelled("count")
	for _, made := range plan {
		s.cut += max(len(s.p.Oracle().Requests(made.Call))-1, 0)
		s.uncut(made.Call)
	}
}

// end does something to one of the pages, or to their worker. One page is always there
// afterwards, and it is the first.
func (s *schedule) end() {
	s.t.Helper()
	s.ends++
	page := s.pages[0]
	what := s.random.IntN(5)
	if s.kills {
		what = s.random.IntN(7)
	}
	switch what {
	case 0, 1:
		page.Reload()
	case 2:
		page.Navigate(s.site.URL + "/")
		page.Back()
	case 3:
		page.Navigate(s.away)
		page.Back()
	case 4:
		if s.random.IntN(2) == 0 && len(s.pages) < 3 {
			s.pages = append([]*chrome.Page{s.open()}, s.pages...)
		} else {
			page.Close()
			s.first()
		}
	case 5: // and its worker with it, if this is the page that started it
		page.Crash()
		s.first()
	case 6:
		if workers := s.profile.SharedWorkers(); len(workers) > 0 {
			workers[0].Kill()
			s.killed++
			page.Reload()
		}
	}
	s.pages[0].WaitFor(`window.ready`)
}

// renew reloads the first page. Where a worker dies, a page that stays hears `runtime_exited`
// of its calls (fault 58), and its client takes them up again as new objects: what it was
// told of the old ones is no loss, and what the store has of them it shows once it is reloaded.
func (s *schedule) renew() {
	s.pages[0].Reload()
	s.pages[0].WaitFor(`window.ready`)
}

// first has the next page be the first; there is one afterwards.
func (s *schedule) first() {
	if s.pages = s.pages[1:]; len(s.pages) == 0 {
		s.pages = []*chrome.Page{s.open()}
	}
}
