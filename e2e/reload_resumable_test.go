//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryResumableReload: SEP-975 over a reload, whatever the server takes for
// delivered, and whenever it hangs up. The next page asks by POST with the id of
// the request and the token, once, and gets the rest.
func TestStoryResumableReload(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]peer.ResumePolicy{
		"forgets what it has written":     {MaxWait: 600},
		"forgets what was confirmed":      {MaxWait: 600, Keeps: peer.Unconfirmed},
		"sends all of it again":           {MaxWait: 600, Keeps: peer.Everything},
		"a new token each time":           {MaxWait: 600, Keeps: peer.Unconfirmed, NewTokens: true},
		"takes no second one":             {MaxWait: 600, Keeps: peer.Unconfirmed, Second: peer.RefuseSecond},
		"promises nothing":                {Keeps: peer.Unconfirmed},
		"a policy that cannot be trusted": {Waits: `"minWait":-1,"maxWait":"soon"`, Keeps: peer.Unconfirmed},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{})
			p.Counting(nil, peer.Resumable(policy))
			page := app(t, p.URL(), "")
			counts(p, page, 8, 3, "{}")
			page.WaitFor(`call.guarantee === "resumable"`)
			if n := reloaded(page, p.URL()); n != 1 {
				t.Fatalf("%d calls came back", n)
			}
			page.WaitFor(`seen.resumed === 1`)
			placed(t, p, "a", 0)
			passes(p, "go", 2)
			page.WaitFor(`seen.progress.length === 5`)
			before := len(p.Oracle().Resumes("a"))
			if n := reloaded(page, p.URL()); n != 1 {
				t.Fatalf("%d calls came back", n)
			}
			placed(t, p, "a", before)
			passes(p, "go", 4)
			outcome(t, page, "")
			counted(t, page, 8)
			once(t, p, "a")
			o := p.Oracle()
			call := p.Of("tools/call")[0]
			for _, r := range p.Of("requests/resume") {
				if r.ID != call.ID {
					t.Errorf("resumed as %s, the request was %s", r.ID, call.ID)
				}
			}
			if n := len(o.Resumes("a")); n != 2 || len(p.Of("RESUME")) > 0 {
				t.Errorf("%d resumes by POST, %d by GET", n, len(p.Of("RESUME")))
			}
			blameless(t, p)
		})
	}
}

// TestStoryResumableHangsUp: the server closes right behind its policy, as it may,
// and a page that is reloaded meanwhile comes for the rest. (Properly: of a
// connection that dies at once Chrome shows the page nothing, the policy
// included, and then the call is of unknown fate.)
func TestStoryResumableHangsUp(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil,
		peer.Resumable(peer.ResumePolicy{MaxWait: 600, MinWait: 1, Close: peer.Clean,
			Keeps: peer.Unconfirmed}))
	page := app(t, p.URL(), "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("count", { n: 4, call: "a", gate: "go" }))`)
	page.WaitFor(`seen.status.includes("cut") && call.guarantee === "resumable"`)
	if n := reloaded(page, p.URL()); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	p.Release("go")
	outcome(t, page, "")
	counted(t, page, 4)
	once(t, p, "a")
	for _, r := range p.Oracle().Resumes("a") {
		if r.Waited != 0 && r.Waited.Seconds() < 1 {
			t.Errorf("resumed after %v, and the server wants a second", r.Waited)
		}
	}
	blameless(t, p)
}

// TestStoryResumableWithoutTheCursor: CORS rules written for the revision let the
// POST pass and refuse Last-Event-ID. The resume goes without.
func TestStoryResumableWithoutTheCursor(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{CORS: peer.CORS2025()})
	p.Counting(nil, peer.Resumable(peer.ResumePolicy{MaxWait: 600}))
	page := app(t, p.URL(), "")
	counts(p, page, 6, 3, "{}")
	page.WaitFor(`call.guarantee === "resumable"`)
	if n := reloaded(page, p.URL()); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	placed(t, p, "a", 0)
	passes(p, "go", 4)
	outcome(t, page, "")
	counted(t, page, 6)
	once(t, p, "a")
	resumes := p.Oracle().Resumes("a")
	if len(resumes) == 0 || resumes[len(resumes)-1].LastEventID != "" {
		t.Errorf("resumes %+v", resumes)
	}
}

// placed waits until a connection that resumes a call, and has come after so many
// before it, has its place in the stream. A server that takes what it has written
// for delivered loses what it writes before that: the connection of the page that
// went may still be open.
func placed(t *testing.T, p *peer.Peer, label string, before int) {
	t.Helper()
	eventually(t, "a resume that is answered", func() bool {
		resumes := p.Oracle().Resumes(label)
		return len(resumes) > before && resumes[len(resumes)-1].From >= 0
	})
}

// TestStoryResumableAskedWhileAway: the server asks while nobody is there; the
// page that comes back is asked, once, and the answer arrives.
func TestStoryResumableAskedWhileAway(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Asking(peer.Resumable(peer.ResumePolicy{MaxWait: 600, Keeps: peer.Unconfirmed}))
	page := app(t, p.URL(), person("true"))
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("ask", { call: "a", gate: "go", away: true }))`)
	page.WaitFor(`call.guarantee === "resumable"`)
	open := leave(page)
	p.Release("go")
	eventually(t, "the server to ask", func() bool { return len(p.Oracle().Questions("a")) == 1 })
	page = open()
	if n := connected(page, p.URL(), person("true")); n != 1 {
		t.Fatalf("%d calls came back", n)
	}
	outcome(t, page, "")
	answered(t, p, "yes 1", 1)
	if n := askedTimes(page); n != 1 {
		t.Errorf("asked %d times", n)
	}
	once(t, p, "a")
	blameless(t, p)
}
