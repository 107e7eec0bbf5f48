//go:build !js

package engines

import (
	"slices"
	"strings"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// witness keeps what the page throws and nobody catches.
const witness = `
window.thrown = [];
addEventListener("error", (event) => thrown.push(event.message));
addEventListener("unhandledrejection", ({ reason }) => thrown.push(String(reason?.code ?? "") + " " + String(reason)));
`

// following is what a page does with calls, wherever it has holdfast from: trails has
// what it has had of each, by the call's label.
const following = `
window.trails = {};
window.calls = {};
window.states = [];
window.hosts = [];
window.follow = (call) => {
	const label = call.params?.arguments?.call ?? call.method;
	if (trails[label]) return;
	const trail = { positions: [], numbers: [], restored: call.restored, status: [], resumed: [], asked: 0, outcome: "", why: "", n: 0 };
	trails[label] = trail;
	calls[label] = call;
	(async () => {
		try {
			for await (const event of call) {
				if (event.type === "progress") {
					trail.positions.push(event.position);
					trail.numbers.push(event.progress);
				}
				if (event.type === "status") trail.status.push(event.state);
				if (event.type === "resumed") trail.resumed.push(event.outcome);
			}
			trail.n = (await call.result).structuredContent?.n ?? 0;
			trail.outcome = "result";
		} catch (error) {
			trail.outcome = error.code ?? String(error);
			trail.why = error.message;
		}
	})();
};
window.begin = async (url, options) => {
	window.mcp = await holdfast.connect(url, options);
	mcp.on("host", (event) => hosts.push(event));
	mcp.on("state", ({ state }) => states.push(state));
	mcp.on("restored", ({ call }) => follow(call));
	for (const call of await mcp.calls()) follow(call);
	window.ready = true;
};
`

// keeperScript is a page that connects whenever it is loaded, and follows the calls that are there.
const keeperScript = `
import "/witness.mjs";
import * as holdfast from "/holdfast.mjs";
window.holdfast = holdfast;` + following + `
await begin(SERVER, OPTIONS);
`

// byHand are the options of most pages: what a call ends with stays until the app acknowledges it.
const byHand = `{ ack: "manual" }`

// keeper is the address of such a page, for a server.
func (s *scene) keeper(server, options string) string {
	s.Helper()
	s.own().File("/witness.mjs", witness+s.before)
	return s.own().Page("/keeper", strings.NewReplacer(
		"SERVER", chrome.JS(server), "OPTIONS", options).Replace(keeperScript))
}

// openKeeper opens such a page and waits until it has connected.
func (s *scene) openKeeper(server, options string) *page {
	s.Helper()
	p := s.open(s.keeper(server, options))
	p.waitFor(`window.ready`)
	return p
}

// counts makes a call of the tool count, which waits at the gate "go" before each
// number, and lets it come to some.
func (p *page) counts(server *peer.Peer, label string, n, come int) {
	p.s.Helper()
	eval[void](p, `follow(mcp.callTool("count", { call: `+chrome.JS(label)+`, n: `+chrome.JS(n)+
		`, gate: "go", retry_ms: 10 }))`)
	p.s.pass(server, come)
	p.has(label, come)
}

// pass lets the counting tool make so many more steps.
func (s *scene) pass(server *peer.Peer, steps int) {
	for range steps {
		server.Pass("go")
	}
}

// has waits until a page has so many numbers of a call.
func (p *page) has(label string, n int) {
	p.s.Helper()
	p.waitFor(`trails.` + label + `.numbers.length === ` + chrome.JS(n))
}

// stored waits until a reload would not lose a call.
func (p *page) stored(label string) {
	p.s.Helper()
	p.waitFor(`!["lost-on-reload", "survives-reload"].includes(calls.` + label + `.guarantee)`)
}

// resumes waits until the server has a call on one more connection than before, and none of those.
// The page may learn of it only with the first byte that comes: see fault 435.
func (s *scene) resumes(server *peer.Peer, label string, connections int) {
	s.Helper()
	s.eventually("the call to be resumed", func() bool {
		return server.Oracle().Connections(label) > connections && server.Oracle().OpenStreams(label) == 1
	})
}

// trail is what a page has had of a call.
type trail struct {
	Positions, Numbers []int
	Restored           bool
	Status, Resumed    []string
	Outcome, Why       string
	N                  int
}

// ends waits for the end of a call, and checks that the page has had all of it: every
// number once and in order, and the result. The server has run it once, had it on one
// stream at a time, and has nothing to say against its client.
func (p *page) ends(server *peer.Peer, label string, n int) trail {
	p.s.Helper()
	p.waitFor(`trails.` + label + `.outcome`)
	got := eval[trail](p, `trails.`+label)
	if got.Outcome != "result" || got.N != n {
		p.s.Errorf("%s ended with %q (%s) and %d of %d", label, got.Outcome, got.Why, got.N, n)
	}
	want := make([]int, n)
	for i := range want {
		want[i] = i + 1
	}
	if !slices.Equal(got.Numbers, want) || !slices.Equal(got.Positions, want) {
		p.s.Errorf("%s: the numbers are %v, at %v", label, got.Numbers, got.Positions)
	}
	o := server.Oracle()
	if o.Runs(label) != 1 || o.MaxOpenStreams(label) > 1 {
		p.s.Errorf("%s ran %d times, on up to %d streams", label, o.Runs(label), o.MaxOpenStreams(label))
	}
	p.s.blameless(server)
	return got
}

// blameless checks that the client has kept to the protocol.
func (s *scene) blameless(server *peer.Peer) {
	s.Helper()
	for _, v := range server.Violations() {
		s.Errorf("violation: %s", v)
	}
}
