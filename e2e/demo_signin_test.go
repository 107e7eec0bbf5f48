//go:build !js

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/demosite"
)

// A signInDemo is the page of signing in, on an origin of its own.
type signInDemo struct {
	*chrome.Page
	site *demosite.Site
	// the authorization server is at the other name of this machine
	as string
}

func demoSignIn(t *testing.T) signInDemo {
	t.Helper()
	site, url := newDemo(t, demosite.Options{Haste: 20})
	page := chrome.OpenWindow(t, url+"/demo/signin.html")
	return signInDemo{page, site, strings.Replace(url, "127.0.0.1", "localhost", 1) + "/as/"}
}

// at waits until the page is at that step, and its button can be pressed.
func (d signInDemo) at(step string) {
	d.WaitFor(hook("signin-says") + `?.dataset.step === ` + chrome.JS(step) + ` && !` + hook("signin-next") +
		`.disabled`)
}

// next presses the one button.
func (d signInDemo) next() { d.Click(selector("signin-next")) }

// call is the expression for the row of a call.
func (d signInDemo) call(name string) string {
	return `document.querySelector('[data-testid="signin-call"][data-call=` + chrome.JS(name) + `]')`
}

// isAt waits until a call stands so.
func (d signInDemo) isAt(name, state string) {
	d.WaitFor(d.call(name) + `?.dataset.state === ` + chrome.JS(state))
}

// choose has somebody say who they are, on a page of the authorization server.
func choose(page *chrome.Page, person string) {
	button := `button[value=` + chrome.JS(person) + `]`
	page.WaitFor(`document.querySelector(` + chrome.JS(button) + `)`)
	chrome.Eval[chrome.Void](page, `setTimeout(() => document.querySelector(`+chrome.JS(button)+`).click())`)
}

// byPopup starts a call, and has somebody sign in in a window for it.
func (d signInDemo) byPopup(person string) {
	d.at("start")
	d.next()
	d.at("sign-in")
	d.isAt("count", "awaiting_authorization")
	d.next()
	choose(d.Profile().Popup(d.as), person)
	d.who(person)
}

// who waits until the page says who is signed in.
func (d signInDemo) who(person string) {
	d.WaitFor(hook("signin-state") + `.textContent === ` + chrome.JS("signed in: "+person))
}

// TestStoryDemoSignIn goes the way of a stranger: a call waits, somebody signs in in a window, and
// it goes on; the page goes away in the middle of it to sign in for more, and comes back to both
// calls. Who comes next sees nothing of it.
func TestStoryDemoSignIn(t *testing.T) {
	long(t)
	t.Parallel()
	d := demoSignIn(t)
	held := d.site.Private().Gate()
	held.Hold()
	d.byPopup("Ada")
	held.Pass(3)
	d.WaitFor(d.call("count") + `.textContent.includes("3 of 60")`)

	d.at("count")
	d.next()
	d.isAt("sign", "awaiting_authorization")
	d.at("allow")
	if state := chrome.Eval[string](d.Page, d.call("count")+`.dataset.state`); state != "running" {
		t.Errorf("the other call is %s", state)
	}
	d.next()
	d.WaitFor(`location.hostname === "localhost"`)
	choose(d.Page, "Ada")
	d.isAt("sign", "done")
	d.WaitFor(d.call("count") + `.textContent.includes("3 of 60")`)
	held.Release()
	d.at("over")
	if said := chrome.Eval[string](d.Page, hook("signin-says")+`.textContent`); said !=
		"All 60 numbers are here, each once, though the page went away once." {
		t.Errorf("it says %q", said)
	}
	if said := chrome.Eval[string](d.Page, d.call("sign")+`.textContent`); !strings.Contains(
		said, "Ada has signed the log.") {
		t.Errorf("the call says %q", said)
	}
	if got := chrome.Eval[string](d.Page, `location.search + location.hash`); got != "" {
		t.Errorf("the address has %q", got)
	}

	d.next() // signs out
	d.at("start")
	held.Hold()
	d.byPopup("Bob")
	d.isAt("count", "running")
	if got := chrome.Eval[[]string](d.Page,
		`[...document.querySelectorAll('[data-testid="signin-call"]')].map((row) => row.textContent)`); len(
		got) != 1 || !strings.HasSuffix(got[0], "0 of 60") {
		t.Errorf("Bob sees %q", got)
	}
	if notes := d.site.Private().Notes(); !slices.Equal(notes, []string{"Ada"}) {
		t.Errorf("the log has %q", notes)
	}
}

// TestStoryDemoSignInByRedirect: where no window opens there is a link. The page goes away before
// anybody has signed in, and the call that was wanted is made when it is back.
func TestStoryDemoSignInByRedirect(t *testing.T) {
	long(t)
	t.Parallel()
	d := demoSignIn(t)
	d.at("start")
	d.next()
	d.at("sign-in")
	d.Click(selector("signin-link"))
	d.WaitFor(`location.hostname === "localhost"`)
	choose(d.Page, "Bob")
	d.who("Bob")
	d.isAt("count", "done")
	press(d.Page, selector("signin-out"))
	d.at("start")
}

// TestStoryDemoSignInDeclined: whoever is asked says no. The page says so, and the same button asks again.
func TestStoryDemoSignInDeclined(t *testing.T) {
	long(t)
	t.Parallel()
	d := demoSignIn(t)
	d.at("start")
	d.next()
	d.at("sign-in")
	d.next()
	choose(d.Profile().Popup(d.as), "")
	d.WaitFor(hook("signin-error") + `?.dataset.code === "oauth_denied"`)
	d.at("sign-in")
	d.WaitFor(hook("signin-says") + `.textContent.startsWith("You said no.") && ` + hook("signin-next") +
		`.textContent === "Sign in after all"`)
	d.next()
	choose(d.Profile().Popup(d.as), "Ada")
	d.who("Ada")
	d.isAt("count", "done")
	d.WaitFor(hook("signin-error") + ` === null`)
}

// TestStoryDemoSignInFits: no width from a phone's up scrolls sideways, in light and in dark; the
// other demonstrations lead here.
func TestStoryDemoSignInFits(t *testing.T) {
	long(t)
	t.Parallel()
	_, page := demo(t)
	press(page, selector("place-signin"))
	page.WaitFor(hook("signin-says") + `?.dataset.step === "start"`)
	page.Click(selector("signin-next"))
	page.WaitFor(hook("signin-link") + `.hidden === false`)
	for _, width := range []int{360, 390, 768, 1280} {
		for _, dark := range []bool{false, true} {
			page.Viewport(width, 900, dark)
			if over := chrome.Eval[int](page,
				`document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
				t.Errorf("%d px wide, dark %v: %d px too wide", width, dark, over)
			}
		}
	}
}
