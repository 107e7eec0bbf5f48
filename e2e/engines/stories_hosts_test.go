//go:build !js

package engines

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// strictPolicy loads the module under a Content-Security-Policy that allows nothing but
// what the guide says is needed.
func strictPolicy(s *scene) {
	p := s.counting(peer.Options{})
	origin, err := url.Parse(p.URL())
	if err != nil {
		s.Fatal(err)
	}
	policy := "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src " +
		"'self' http://" + origin.Host
	s.own().Header(func(_ string, header http.Header) { header.Set("Content-Security-Policy", policy) })
	page := s.openKeeper(p.URL(), byHand)
	page.counts(p, "a", 3, 2)
	s.pass(p, 2)
	page.ends(p, "a", 3)
}

// sharedHost has two tabs use one worker; one of them closes, and the other is reloaded while a third
// is there. No stream is cut.
func sharedHost(s *scene) {
	p := s.counting(peer.Options{})
	const shared = `{ host: "shared", ack: "manual" }`
	one := s.openKeeper(p.URL(), shared)
	two := s.openKeeper(p.URL(), shared)
	for _, page := range []*page{one, two} {
		if host := eval[string](page, `mcp.host`); host != "shared" {
			s.Errorf("the host is %q", host)
		}
	}
	one.counts(p, "a", 9, 3)
	two.has("a", 3)
	two.reload()
	two.waitFor(`window.ready`)
	s.pass(p, 3)
	two.has("a", 6)
	one.close()
	s.pass(p, 4)
	if got := two.ends(p, "a", 9); len(got.Resumed) > 0 {
		s.Errorf("the stream was cut: resumed %v", got.Resumed)
	}
	if n := p.Oracle().Initializes(); n != 1 {
		s.Errorf("%d handshakes", n)
	}
	if n := len(p.Oracle().Requests("a")); n != 1 {
		s.Errorf("the server heard of the call %d times", n)
	}
}

// onlyTab reloads the only tab of an app. Where the worker outlives it no stream is cut; elsewhere the call
// is resumed.
func onlyTab(asked, host string, outlives bool) func(*scene) {
	return func(s *scene) {
		p := s.counting(peer.Options{})
		page := s.openKeeper(p.URL(), `{ host: "`+asked+`", ack: "manual" }`)
		if got := eval[string](page, `mcp.host`); got != host {
			s.Errorf("the host is %q", got)
		}
		page.counts(p, "a", 6, 3)
		page.stored("a")
		page.reload()
		page.waitFor(`window.ready && trails.a`)
		s.pass(p, 4)
		page.ends(p, "a", 6)
		if n := len(p.Oracle().Requests("a")); outlives != (n == 1) {
			s.Errorf("the server heard of the call %d times", n)
		}
	}
}

// onlyTabInThePage is that of an engine whose shared worker can store no key: every tab of the app has the
// runtime in the page, and hears why.
func onlyTabInThePage(s *scene) {
	onlyTab("auto", "page", false)(s)
	p := s.counting(peer.Options{})
	for range 2 {
		page := s.openKeeper(p.URL(), `{ host: "auto" }`)
		if got := eval[string](page,
			`mcp.host + " " + hosts.map(({ host, why }) => host + " " + why)`); got != "page page no_keys" {
			s.Errorf("it says %q", got)
		}
	}
}

// onlyTabForgets pins the shared worker where that can store no key (put throws a DataCloneError; in a page
// and in a dedicated worker it does not). What a call is resumed with is then in the worker's memory alone,
// which ends with the only tab. That is said, before and after: the call is of unknown fate, and is not run
// again.
func onlyTabForgets(s *scene) {
	p := s.counting(peer.Options{})
	page := s.openKeeper(p.URL(), `{ host: "shared", ack: "manual" }`)
	page.counts(p, "a", 6, 3)
	if got := eval[string](page, `mcp.host + " " + mcp.durability + " " + calls.a.guarantee`); got !=
		"shared indexeddb lost-on-reload" {
		s.Errorf("it says %q", got)
	}
	page.waitFor(`(await mcp.stored()).calls === 1`)
	page.reload()
	page.waitFor(`window.ready && trails.a?.outcome`)
	if got := eval[trail](page, `trails.a`); got.Outcome != "outcome_unknown" || len(got.Numbers) != 3 {
		s.Errorf("after the reload: %+v", got)
	}
	p.Release("go")
	eval[void](page, `follow(mcp.callTool("count", { call: "b", n: 3 }))`)
	page.ends(p, "b", 3)
	if runs := p.Oracle().Runs("a"); runs != 1 {
		s.Errorf("a ran %d times", runs)
	}
}

// agentScript is a page that talks to an agent, whenever it is loaded.
const agentScript = `
import "/witness.mjs";
import { connectAgent } from "/holdfast-agent.mjs";
window.text = () => chat.transcript.filter(({ type }) => type === "agent_message").flatMap(({ content }) => content.map((block) => block.text)).join("");
window.agent = await connectAgent(SERVER);
window.begin = async () => { window.chat = await agent.newSession({ cwd: "/w" }); };
window.say = (text) => { chat.prompt(text).catch((error) => thrown.push(String(error))); };
[window.chat] = await agent.sessions();
window.ready = true;
`

// agent has the official agent's server count over HTTP, and reloads the page in mid-sentence.
func agent(s *scene) {
	server := acpserver.Start(s.T, acpserver.Options{})
	s.own().File("/witness.mjs", witness)
	page := s.open(s.own().Page("/agent", strings.Replace(agentScript, "SERVER", chrome.JS(server.URL()), 1)))
	page.waitFor(`window.ready`)
	eval[void](page, `begin()`)
	eval[void](page, `say("count 20 @go")`)
	server.Pass("go", 8)
	page.waitFor(`text().includes("⟨8⟩")`)
	page.waitFor(atRest + `.then((all) => all.includes("⟨1⟩"))`)
	page.reload()
	page.waitFor(`window.ready && window.chat && text().includes("⟨1⟩")`)
	server.Release("go")
	page.waitFor(`text().includes("⟨20⟩") && chat.state === "idle"`)
	want := ""
	for n := 1; n <= 20; n++ {
		want += "⟨" + chrome.JS(n) + "⟩"
	}
	if got := eval[string](page, `text()`); got != want {
		s.Errorf("it said %s", got)
	}
	log := server.Log()
	if n := len(acpserver.Of(log, "prompt")); n != 1 {
		s.Errorf("%d prompts", n)
	}
	if n := len(acpserver.Of(log, "initialize")); n != 1 {
		s.Errorf("%d handshakes", n)
	}
}
