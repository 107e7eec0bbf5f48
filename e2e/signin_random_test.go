//go:build !js

package e2e

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	cdptarget "github.com/chromedp/cdproto/target"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// How many schedules TestRandomSignIns plays: `make soak` says it. None is played where nobody asks for it.
var signInSchedules = flag.Int("signins", 0, "schedules of TestRandomSignIns")

// TestRandomSignIns has three users of an app sign in, call, sign out, be forgotten and wiped at random,
// in one to three tabs that are reloaded, closed and changed to another user, while tokens end, people
// take their time and an authorization server hangs. Then all come back. Each call runs once at most, as
// who made it, and has its outcome, or ends unsent; nobody is signed in behind a logout but by the app's
// signIn(); what rests in plain has no token, code or verifier, and nothing of the server's address but
// its origin.
func TestRandomSignIns(t *testing.T) {
	if *signInSchedules == 0 {
		t.Skip("-signins says how many schedules it plays")
	}
	t.Parallel()
	for _, host := range signInHosts {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			seed, _ := seeded(t)
			tally := &signInTally{told: map[string]int{}}
			for at := range max(1, *signInSchedules/len(signInHosts)) {
				if t.Failed() {
					break
				}
				// Each has a seed of its own, which plays it first.
				playSignIns(t, host, seed+uint64(at), tally)
			}
			t.Log(tally)
		})
	}
}

// A signInTally is the figures of a run.
type signInTally struct {
	schedules, steps, users, logouts, calls, lost, twice, again, strangers, behind, plain int
	// Calls by how they ended.
	told map[string]int
}

func (y *signInTally) String() string {
	var ends []string
	for _, told := range slices.Sorted(maps.Keys(y.told)) {
		ends = append(ends, fmt.Sprintf("%d %s", y.told[told], told))
	}
	return fmt.Sprintf("%d schedules, %d steps, %d users, %d logouts, %d calls (%s): "+
		"%d lost, %d told twice, %d ran again, %d as somebody else; "+
		"%d sign-ins begun behind a logout, %d secrets in plain",
		y.schedules, y.steps, y.users, y.logouts, y.calls, strings.Join(ends, ", "),
		y.lost, y.twice, y.again, y.strangers, y.behind, y.plain)
}

// A userCall is what the story knows of a call.
type userCall struct {
	user, gate string
	deleted    bool // its user was wiped or forgotten
}

// A userTab is a tab, and who uses it.
type userTab struct {
	page *chrome.Page
	user string
}

// signIns is a schedule under way.
type signIns struct {
	*signInServer
	t        *testing.T
	random   *rand.Rand
	site     *chrome.Site
	profile  *chrome.Profile
	listener *chrome.Page // one that has no client
	users    []string
	tabs     []*userTab
	calls    map[string]*userCall
	// What users who are logged out had the authorization server do by then.
	out   map[string][]int
	steps []string
	over  bool // nothing is wrong with it
	apart bool // each tab has a sign-in of its own
	*signInTally
}

func playSignIns(t *testing.T, host string, seed uint64, tally *signInTally) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	site, profile := chrome.NewSite(t), chrome.NewProfile(t).InWindows()
	s := &signIns{
		t: t, random: random, site: site, profile: profile,
		signInServer: newSignInServer(t, site), calls: map[string]*userCall{},
		users: []string{"ada", "bob", "carl"}[:2+random.IntN(2)], out: map[string][]int{}, signInTally: tally,
	}
	how := map[string]string{
		"interaction": []string{"redirect", "popup"}[random.IntN(2)],
		"storage":     []string{"persistent", "memory"}[random.IntN(2)],
	}
	defer s.says(seed)
	settings := chrome.JS([]any{s.address(site), how, host})
	for _, user := range s.users {
		site.Page("/app-"+user, strings.Replace(userScript, "SETTINGS", settings, 1))
	}
	s.apart = host == "page" && how["storage"] == "memory"
	s.steps = append(s.steps, host+", "+how["interaction"]+", "+how["storage"])
	s.listener = profile.Open(site.Page("/listener", candidScript+givesRows))
	s.listener.WaitFor(`window.rows`)
	chrome.Eval[chrome.Void](s.listener, `eavesdrop(["holdfast.auth"])`)
	s.as.Person("*")
	for range 1 + random.IntN(3) {
		s.opens(s.somebody())
	}
	for range 20 + random.IntN(15) {
		if t.Failed() {
			break
		}
		s.step()
		s.passes()
		s.quiet()
	}
	s.comesBack()
	s.judges()
	s.schedules++
	s.signInTally.steps += len(s.steps)
	s.signInTally.users += len(s.users)
	if s.over = !t.Failed(); !s.over {
		return
	}
	for _, tab := range s.tabs {
		tab.page.Close()
	}
	s.listener.Close()
}

// says what has happened, and what tabs are at, for a schedule that has failed.
func (s *signIns) says(seed uint64) {
	if s.over {
		return
	}
	s.t.Logf("HOLDFAST_SEED=%d plays this again:\n\t%s", seed, strings.Join(s.steps, "\n\t"))
	for _, user := range s.users {
		s.t.Logf("%s had the authorization server do %v", user, s.signInsOf(user))
	}
	all := chrome.Call[cdptarget.GetTargetsParams, cdptarget.GetTargetsResult](
		s.listener, cdptarget.GetTargets, cdptarget.GetTargetsParams{})
	for _, one := range all.TargetInfos {
		s.t.Logf("%s %s %q", one.Type, one.URL, one.Title)
	}
	for _, tab := range s.tabs {
		at, _ := chrome.TryEval[string](tab.page, `JSON.stringify([
			location.href, window.page, window.opened, window.failed,
			window.mcp?.state, window.signIn?.state, window.signIn?.failure?.message])`)
		s.t.Logf("%s: %s", tab.user, at)
	}
}

func (s *signIns) somebody() string { return s.users[s.random.IntN(len(s.users))] }

func (s *signIns) opens(user string) *userTab {
	tab := &userTab{page: s.profile.Open(s.site.URL + "/app-" + user), user: user}
	s.tabs = append(s.tabs, tab)
	return tab
}

// passes lets some time go by.
func (s *signIns) passes() {
	wait := s.random.IntN(40)
	if s.random.IntN(3) == 0 {
		wait = s.random.IntN(1000)
	}
	later := fmt.Sprintf(`new Promise((resolve) => setTimeout(resolve, %d))`, wait)
	chrome.Eval[chrome.Void](s.listener, later)
}

// has says how far the page of a tab is: "open", "failed", "opening", or "away" for one that shows no
// page of the app just now.
func (s *signIns) has(tab *userTab) string {
	state, err := chrome.TryEval[string](tab.page,
		`!window.ready ? "away" : window.opened ? "open" : window.failed ? "failed" : "opening"`)
	if err != nil {
		return "away"
	}
	return state
}

// likely says how likely each thing is, by how far the page of a tab is.
var likely = map[string]map[string]int{
	"open": {
		"call": 14, "release": 3, "click": 1, "signOut": 3, "forget": 3, "wipe": 2, "expire": 2, "revoke": 1,
		"reload": 3, "close": 2, "change": 2, "person": 2, "stall": 1,
	},
	"failed": {"click": 10, "wipe": 1, "reload": 1, "close": 1, "change": 2, "person": 1},
	"opening": {
		"wait": 6, "person": 3, "signOut": 1, "forget": 1, "wipe": 1, "reload": 1, "close": 1, "change": 1,
	},
	"away": {"wait": 4, "person": 4, "reload": 1, "close": 1, "change": 1},
}

// chooses what happens to such a page.
func (s *signIns) chooses(state string) string {
	sum := 0
	for _, weight := range likely[state] {
		sum += weight
	}
	at := s.random.IntN(sum)
	for _, what := range slices.Sorted(maps.Keys(likely[state])) {
		if at -= likely[state][what]; at < 0 {
			return what
		}
	}
	return ""
}

// step is one thing that happens.
func (s *signIns) step() {
	s.t.Helper()
	tab := s.tabs[s.random.IntN(len(s.tabs))]
	state, user := s.has(tab), tab.user
	what := s.chooses(state)
	came := ""
	switch what {
	case "call":
		came = s.makes(tab)
	case "release":
		came = s.releases()
	case "click":
		came = s.clicks(tab)
	case "signOut", "forget", "wipe":
		came = s.logsOut(tab, what)
	case "expire":
		s.as.Expire()
	case "revoke":
		s.as.Revoke()
	case "reload":
		tab.page.Navigate(s.site.URL + "/app-" + tab.user)
	case "close":
		tab.page.Close()
		s.tabs = slices.DeleteFunc(s.tabs, func(other *userTab) bool { return other == tab })
		came = "another one of " + s.opens(s.somebody()).user + "'s opens"
	case "change":
		tab.user = s.somebody()
		tab.page.Navigate(s.site.URL + "/app-" + tab.user)
		came = "to " + tab.user
	case "person":
		came = []string{"*", "*", ""}[s.random.IntN(3)]
		s.as.Person(came)
	case "stall":
		if s.random.IntN(2) == 0 {
			s.as.Stall()
		} else {
			s.as.GoOn()
			came = "is over"
		}
	}
	s.steps = append(s.steps, fmt.Sprintf("%s's tab (%s): %s %s", user, state, what, came))
}

// makes calls a tool in a tab, under a key.
func (s *signIns) makes(tab *userTab) string {
	label := fmt.Sprintf("%s.%d", tab.user, len(s.calls))
	tool, args, call := "sideeffect", map[string]any{"opened": true}, &userCall{user: tab.user}
	if s.random.IntN(2) == 0 {
		tool, args = "count", map[string]any{"n": 3, "every_ms": 20, "retry_ms": 10}
	}
	if s.random.IntN(2) == 0 {
		call.gate = label
		args["gate"] = label
	}
	s.calls[label] = call
	_, err := chrome.TryEval[chrome.Void](tab.page, fmt.Sprintf(`Promise.race([
		make(%q, %q, %s).catch(() => {}),
		new Promise((resolve) => setTimeout(resolve, 300)),
	])`, label, tool, chrome.JS(args)))
	return fmt.Sprintf("%s %s, gate %q (%v)", tool, label, call.gate, err)
}

// releases lets one of the calls go on that wait at a gate.
func (s *signIns) releases() string {
	gated := slices.DeleteFunc(slices.Sorted(maps.Keys(s.calls)), func(label string) bool {
		return s.calls[label].gate == ""
	})
	if len(gated) == 0 {
		return "-"
	}
	label := gated[s.random.IntN(len(gated))]
	s.Release(label)
	return label + " goes on"
}

// clicks has the app sign its user in.
func (s *signIns) clicks(tab *userTab) string {
	if has, err := chrome.TryEval[bool](tab.page, `Boolean(window.signIn)`); err != nil || !has {
		return "in vain"
	}
	delete(s.out, tab.user)
	_, err := chrome.TryEval[chrome.Void](tab.page, `click()`)
	return fmt.Sprint(err)
}

// logsOut logs a user out, or everybody.
func (s *signIns) logsOut(tab *userTab, how string) string {
	s.t.Helper()
	run := map[string]string{
		"signOut": `if (!window.signIn) return false; await signIn.signOut();`,
		"forget":  `if (!window.mcp) return false; await leaves(mcp.forget());`,
		"wipe":    `await leaves(holdfast.wipe());`,
	}[how]
	var gone []string
	users := []string{tab.user}
	if how == "wipe" {
		users = s.users
	}
	for label, call := range s.calls {
		if how != "signOut" && slices.Contains(users, call.user) {
			gone = append(gone, label)
			call.deleted = true
		}
	}
	before := map[string][]int{}
	for _, user := range users {
		before[user] = s.signInsOf(user)
	}
	took := time.Now()
	did, err := chrome.TryScript[bool](tab.page, run+` return true;`)
	if err != nil || !did {
		return fmt.Sprintf("in vain (%v)", err)
	}
	s.logouts++
	for _, user := range users {
		s.out[user] = s.signInsOf(user)
	}
	return fmt.Sprintf("in %v (%v before, %v after); %d calls deleted",
		time.Since(took).Round(time.Millisecond), before, s.out, len(gone))
}

// quiet checks that nothing has begun a sign-in of who is logged out.
func (s *signIns) quiet() {
	s.t.Helper()
	for user, before := range s.out {
		if after := s.signInsOf(user); !slices.Equal(before, after) {
			s.t.Errorf("behind a logout of %s's there were %v requests, before it %v", user, after, before)
			s.behind++
			s.out[user] = after
		}
	}
}

// comingBack bounds what somebody who is back waits for: longer than whoever refreshes a token is held
// for alive.
const comingBack = 75 * time.Second

// comesBack has each user sign in once more, and waits until all their calls have ended.
func (s *signIns) comesBack() {
	s.t.Helper()
	s.rests()
	for label := range s.calls {
		s.Release(label)
	}
	s.as.Person("*")
	s.as.GoOn()
	if s.apart {
		for _, tab := range s.tabs { // each would have to be signed in
			tab.page.Close()
		}
		s.tabs = nil
	}
	for _, user := range s.users {
		page := s.opens(user).page
		// One that has opened with what is stored finds out by a request.
		const asks = `void mcp.listTools({ cache: "reload" }).then(() => (window.answered = true), () => {})`
		const shows = `window.failed || window.signIn?.failure || window.signIn?.state === "authorizing"`
		page.WaitWithin(comingBack, `window.opened || `+shows)
		chrome.TryEval[chrome.Void](page, `window.opened && `+asks)
		page.WaitWithin(comingBack, `window.answered || `+shows)
		s.quiet()
		delete(s.out, user)
		// A request that an authorization server leaves without an answer is given up, and somebody clicks again.
		const isIn = `window.opened && !window.failed && (window.signIn?.state ?? "signed-in") === "signed-in"`
		in := chrome.Eval[bool](page, `window.answered === true`)
		for clicks := 0; !in && clicks < 3; clicks++ {
			chrome.TryEval[chrome.Void](page, `click()`)
			page.WaitWithin(comingBack, isIn+` || window.failed`)
			in = chrome.Eval[bool](page, isIn)
		}
		if !in {
			s.t.Errorf("%s cannot come back", user)
		}
		s.steps = append(s.steps, user+" is back")
		open := slices.DeleteFunc(slices.Sorted(maps.Keys(s.calls)), func(label string) bool {
			return s.calls[label].user != user || s.calls[label].deleted
		})
		page.WaitWithin(comingBack, `haveEnded(`+chrome.JS(append([]string{}, open...))+`)`)
		page.WaitWithin(comingBack, `mcp.calls().then((calls) => calls.length === 0)`)
	}
	s.rests()
}
