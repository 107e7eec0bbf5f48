//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryDetachedWithPolicy: the app lets go of a call with a resume policy
// (SEP-975) and takes it up again. Meanwhile no stream is open and nothing is
// cancelled; the server works on, and says how the request stands, once for all who
// ask at the same time. What it has made meanwhile comes with the stream.
func TestStoryDetachedWithPolicy(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil, peer.Resumable(peer.ResumePolicy{MaxWait: 600}))
	page := app(t, p.URL(), "")
	counts(p, page, 8, 3, "{}")
	page.WaitFor(`call.guarantee === "resumable"`)
	o := p.Oracle()
	asks := func(pending bool) {
		t.Helper()
		before := len(o.Statuses("a"))
		for _, s := range standings(page) {
			if s.Status != "working" || s.Source != "server" || s.Pending != pending {
				t.Errorf("%+v", s)
			}
		}
		if seen := o.Statuses("a"); len(seen) != before+1 || seen[before].Refused != "" ||
			seen[before].Pending != pending {
			t.Errorf("asked with %+v", seen[before:])
		}
	}
	asks(false) // its stream is open

	chrome.Eval[chrome.Void](page, `call.pause()`)
	page.WaitFor(`seen.status.at(-1) === "parked"`)
	eventually(t, "the stream to end", func() bool { return o.OpenStreams("a") == 0 })
	asks(false)
	passes(p, "go", 2)
	eventually(t, "the server to go on", func() bool { return len(o.Produced("a")) == 5 })
	asks(true)
	if n := len(o.Resumes("a")); n != 0 || chrome.Eval[int](page, `seen.progress.length`) != 3 {
		t.Errorf("%d resumes of a call that is let go of", n)
	}

	chrome.Eval[chrome.Void](page, `call.resume()`)
	page.WaitFor(`seen.progress.length === 5`)
	passes(p, "go", 4)
	outcome(t, page, "")
	counted(t, page, 8)
	once(t, p, "a")
	if n := len(o.Resumes("a")); n != 1 || len(p.Of("notifications/cancelled")) != 0 {
		t.Errorf("%d resumes", n)
	}
	blameless(t, p)
}
