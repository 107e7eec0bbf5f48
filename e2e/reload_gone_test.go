//go:build !js

package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/storage"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// usable checks that a client works on: a new call comes to its result.
func usable(t *testing.T, page *chrome.Page) {
	t.Helper()
	if sum := chrome.Script[float64](page,
		`return (await mcp.callTool("add", { a: 1, b: 2 }).result).structuredContent.sum;`); sum != 3 {
		t.Errorf("a new call: %v", sum)
	}
}

// leave closes the page; what it returns opens another one of the same person's
// on its address.
func leave(page *chrome.Page) (open func() *chrome.Page) {
	url, profile := chrome.Eval[string](page, `location.href`), page.Profile()
	page.Close()
	return func() *chrome.Page { return profile.Open(url) }
}

// TestFault56_SessionGone: the server has been restarted while no page was there.
// The call is lost, once; what came of it is still readable; a new one works.
func TestFault56_SessionGone(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := app(t, p.URL(), `{ ack: "manual" }`)
	counts(p, page, 6, 3, "{}")
	page.WaitFor(`call.guarantee === "resumable"`)
	open := leave(page)
	p.Restart()
	page = open()
	if n := connected(page, p.URL(), "{}"); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	outcome(t, page, "lost")
	counted(t, page, 3)
	usable(t, page)
	// the new call is acknowledged a moment after its result is read
	page.WaitFor(`(await mcp.stored()).calls === 1`)
	page.Reload()
	if n := connected(page, p.URL(), "{}"); n != 1 {
		t.Fatalf("%d calls came back: nobody has acknowledged the lost one", n)
	}
	outcome(t, page, "lost")
	counted(t, page, 3)
	if n := p.Oracle().Runs("a"); n != 1 {
		t.Errorf("ran %d times", n)
	}
}

// TestFault151_ServerRestarted: a call with a resume policy outlives its session, so
// the server that has been restarted is asked for it in the next one. It does not
// know it: the call is lost, once, in the page that made it and in one that comes
// later.
func TestFault151_ServerRestarted(t *testing.T) {
	t.Parallel()
	for name, reload := range map[string]bool{"the same page": false, "a later one": true} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{})
			p.Counting(nil, peer.Resumable(peer.ResumePolicy{MaxWait: 600}))
			page := app(t, p.URL(), "")
			counts(p, page, 6, 3, "{}")
			page.WaitFor(`call.guarantee === "resumable"`)
			if reload {
				open := leave(page)
				p.Restart()
				page = open()
				if n := connected(page, p.URL(), "{}"); n != 1 {
					t.Fatalf("%d calls came back", n)
				}
			} else {
				p.Restart()
			}
			outcome(t, page, "lost")
			counted(t, page, 3)
			usable(t, page)
			var sessions []string
			for _, r := range p.Of("requests/resume") {
				sessions = append(sessions, r.Session)
			}
			if n := len(sessions); n == 0 || sessions[n-1] == p.Of("tools/call")[0].Session ||
				n > 1 && sessions[n-2] == sessions[n-1] {
				t.Errorf("resumed in the sessions %q", sessions)
			}
			if n := p.Oracle().Runs("a"); n != 1 {
				t.Errorf("ran %d times", n)
			}
			blameless(t, p)
		})
	}
}

// TestFault56_MaxWaitIsOver: the page comes back later than the server has
// promised to wait (SEP-975).
func TestFault56_MaxWaitIsOver(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil, peer.Resumable(peer.ResumePolicy{MaxWait: 600}))
	page := app(t, p.URL(), "")
	counts(p, page, 6, 3, "{}")
	page.WaitFor(`call.guarantee === "resumable"`)
	open := leave(page)
	eventually(t, "the stream to end", func() bool { return p.Oracle().OpenStreams("a") == 0 })
	p.Advance(time.Hour)
	page = open()
	if n := connected(page, p.URL(), "{}"); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	outcome(t, page, "lost")
	counted(t, page, 3)
	usable(t, page)
	if n := len(p.Oracle().Resumes("a")); n > 1 {
		t.Errorf("%d attempts at a call that is gone", n)
	}
	chrome.Eval[chrome.Void](page, `call.abandon()`)
	page.WaitFor(`(await mcp.stored()).calls === 0`)
}

// TestFault65_SiteDataClearedInTheMiddle: the site's data is cleared while a call
// runs, by the person or by a logout: nobody can tell. The call goes on to its end in
// memory, and nothing of it comes back on the disk, or with a reload.
func TestFault65_SiteDataClearedInTheMiddle(t *testing.T) {
	t.Parallel()
	site := chrome.NewSite(t)
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	page := appOn(t, site, p.URL(), "")
	counts(p, page, 8, 3, `{ key: "k" }`)
	page.WaitFor(`call.guarantee === "resumable"`)
	chrome.Eval[chrome.Void](page, `void (window.told = [], mcp.on("durability", ({ durability,`+
		` why }) => told.push(durability + " " + why)))`)
	chrome.Call(page, storage.ClearDataForOrigin,
		storage.ClearDataForOriginParams{Origin: site.URL, StorageTypes: "all"})
	page.WaitFor(`mcp.durability === "memory" && call.guarantee === "lost-on-reload"`)
	passes(p, "go", 6)
	outcome(t, page, "")
	counted(t, page, 8)
	once(t, p, "a")
	if told := chrome.Eval[[]string](page, `told`); !slices.Equal(told, []string{"memory closed"}) {
		t.Errorf("the app is told %q", told)
	}
	if n := reloaded(page, p.URL()); n != 0 {
		t.Errorf("%d calls came back", n)
	}
}

// TestFault151_TheNextSessionHasIt: the server has let go of the session and kept the
// call, whose token belongs to the request alone (SEP-975). The next session is asked
// for it and has it: the call comes to its end, with every number once, and its tool
// has run once. In the page that made it, and in one that comes later.
func TestFault151_TheNextSessionHasIt(t *testing.T) {
	t.Parallel()
	for _, keeps := range []peer.Keeping{peer.Unwritten, peer.Unconfirmed, peer.Everything} {
		for name, reload := range map[string]bool{"the same page": false, "a later one": true} {
			t.Run(fmt.Sprint(name, " ", keeps), func(t *testing.T) {
				row(t)
				p := peer.New(t, peer.Options{})
				p.Counting(nil, peer.Resumable(peer.ResumePolicy{MaxWait: 600, Keeps: keeps, Outlives: true}))
				page := app(t, p.URL(), "")
				counts(p, page, 8, 3, "{}")
				page.WaitFor(`call.guarantee === "resumable"`)
				before := p.Of("tools/call")[0]
				if reload {
					open := leave(page)
					p.Expire()
					passes(p, "go", 2)
					page = open()
					if n := connected(page, p.URL(), "{}"); n != 1 {
						t.Fatalf("%d calls came back", n)
					}
				} else {
					p.Expire()
					passes(p, "go", 2)
				}
				page.WaitFor(`seen.progress.length === 5`)
				passes(p, "go", 4)
				outcome(t, page, "")
				counted(t, page, 8)
				once(t, p, "a")
				resumes := p.Of("requests/resume")
				if n := len(resumes); n == 0 || resumes[n-1].Session == before.Session ||
					resumes[n-1].ID != before.ID {
					t.Errorf("resumed by %+v", resumes)
				}
				if n := len(p.Of("initialize")); n != 2 {
					t.Errorf("%d sessions were made", n)
				}
				usable(t, page)
				blameless(t, p)
			})
		}
	}
}
