//go:build !js

package engines

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// storyLimit is how long a story may take before its browser is ended. It says nothing
// of how quick anything has to be: it is far above what a busy machine needs.
const storyLimit = 3 * time.Minute

// A scene is one story in one engine: a browser on a profile of its own, a
// site that has the module, and what ends a browser that hangs.
type scene struct {
	*testing.T
	ctx     context.Context // of the whole story
	limits  limits
	house   *house
	engine  Engine
	options Options
	site    *chrome.Site
	before  string // what the story's pages run first
	pages   []*page
	running atomic.Pointer[Browser]
	doing   question
}

// grace is how long after the limit of its story the browser may still show its pages.
const grace = 30 * time.Second

// limits are those of a story, of the time after it, and of a look at one of its pages then.
type limits struct{ story, grace, look time.Duration }

// A question is what the browser was asked last.
type question struct {
	what string
	at   time.Time
}

// slow is from when on an answer is worth a line in the log.
const slow = 5 * time.Second

// ask notes what the browser is asked next.
func (s *scene) ask(what string) {
	if took := time.Since(s.doing.at); !s.doing.at.IsZero() && took > slow {
		s.Logf("%v passed since it was asked: %s", took.Round(time.Millisecond), s.doing.what)
	}
	s.doing = question{what, time.Now()}
}

// play tells a story in an engine. A browser that does not answer is ended after the
// limit, and the test says in which story that was, and what it had been asked.
func play(t *testing.T, in *house, l limits, tell func(*scene)) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(context.Background(), l.story,
		fmt.Errorf("the story has had its %v", l.story))
	defer cancel()
	s := &scene{T: t, ctx: ctx, limits: l, house: in, engine: in.engine}
	s.ask("nothing")
	// A command ends with its context; what does not even so ends with its browser.
	defer time.AfterFunc(l.story+l.grace, s.kill).Stop()
	defer s.end()
	tell(s)
}

// alone gives the story a browser process and a profile of its own, which it may kill or
// take the network from.
func (s *scene) alone(o Options) {
	s.Helper()
	profile, err := os.MkdirTemp("", "holdfast-engine-")
	if err != nil {
		s.Fatal(err)
	}
	s.options = o
	s.options.Profile = profile
}

// fail ends the story, and says what the browser was asked.
func (s *scene) fail(format string, args ...any) {
	s.Helper()
	why := ""
	if s.ctx.Err() != nil {
		why = fmt.Sprintf("%v. ", context.Cause(s.ctx))
	}
	s.Fatalf("%s: %s%s; it was asked: %s", s.engine.Name(), why, fmt.Sprintf(format, args...), s.doing.what)
}

// own gives the story its site. Stories that say nothing have one.
func (s *scene) own() *chrome.Site {
	s.Helper()
	if s.site == nil {
		s.site = chrome.NewSite(s.T)
	}
	return s.site
}

// start starts the browser.
func (s *scene) start() Browser {
	s.Helper()
	if browser := s.running.Load(); browser != nil {
		return *browser
	}
	s.ask("to start")
	begin := s.house.user
	if s.options.Profile != "" {
		begin = func(ctx context.Context) (Browser, error) { return s.engine.Start(ctx, s.options) }
	}
	browser, err := begin(s.ctx)
	if err != nil {
		s.fail("it does not start: %v", err)
	}
	s.running.Store(&browser)
	if s.ctx.Err() != nil {
		s.kill()
	}
	return browser
}

// kill ends the browser as a crash does, if one runs.
func (s *scene) kill() {
	if browser := s.running.Swap(nil); browser != nil {
		(*browser).Kill()
	}
}

// open opens a page, and starts the browser for the first.
func (s *scene) open(url string) *page {
	s.Helper()
	browser := s.start()
	s.ask("to open " + url)
	tab, err := browser.Open(s.ctx, url)
	if err != nil {
		s.fail("%v", err)
	}
	p := &page{s: s, tab: tab}
	s.pages = append(s.pages, p)
	return p
}

// crash kills the browser with all its pages. The next open starts it again, on
// the same profile.
func (s *scene) crash() {
	s.kill()
	s.pages = nil
}

// offline takes the network from the browser, or gives it back.
func (s *scene) offline(offline bool) {
	s.Helper()
	s.ask("to be offline, or no more")
	if err := s.start().Offline(s.ctx, offline); err != nil {
		s.fail("%v", err)
	}
}

// lookLimit bounds each look at a page after its story.
const lookLimit = 3 * time.Second

// leaveLimit bounds how long a browser may take to close the pages of a story.
const leaveLimit = 20 * time.Second

// end checks what the pages threw, shows what a failed story needs shown, and
// ends the browser.
func (s *scene) end() {
	for i, p := range s.pages {
		if p.closed || s.running.Load() == nil {
			continue
		}
		if thrown, err := p.look(`window.thrown ?? []`); err == nil && thrown != "[]" && !s.Failed() {
			s.Errorf("page %d threw %s", i+1, thrown)
		}
		if s.Failed() {
			has, err := p.look(`({ address: location.href, thrown: window.thrown, trails: window.trails,` +
				` states: window.states, host: window.mcp?.host })`)
			s.Logf("page %d has %s (%v)", i+1, has, err)
		}
	}
	if s.options.Profile == "" {
		s.leave()
		return
	}
	s.kill()
	if err := os.RemoveAll(s.options.Profile); err != nil {
		s.Logf("the profile stays behind: %v", err)
	}
}

// leave closes the pages of a browser that other stories use as well. One that cannot do
// so, or that was ended, is not used again.
func (s *scene) leave() {
	browser := s.running.Swap(nil)
	if browser == nil {
		s.house.forget()
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), min(leaveLimit, 4*s.limits.look))
	defer cancel()
	if err := (*browser).Leave(ctx); err != nil {
		s.Logf("%s does not close its pages: %v", s.engine.Name(), err)
		s.house.forget()
	}
}
