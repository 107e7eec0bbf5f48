//go:build !js

package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// dialect is a way in which a server takes its time. What runs in the page is the
// same for all of them.
type dialect struct {
	name    string
	options peer.Options
	server  peer.TaskServer
	policy  peer.TaskPolicy
	inline  peer.TaskPolicy // of a tool that answers at once all the same
	polls   string          // the request that asks for the status
	streams bool            // its results come in segments
}

// taskPoll is the interval between polls that the servers of these stories name,
// in ms: the shortest that the client honours.
const taskPoll = 250

// allModes are those of SEP-1905.
var allModes = []string{"task", "immediate", "streaming"}

var (
	coreDialect = dialect{name: "core", polls: "tasks/get",
		policy: peer.TaskPolicy{Poll: taskPoll},
		inline: peer.TaskPolicy{Support: "forbidden"}}
	continueDialect = dialect{name: "continue", polls: "tasks/continue",
		server: peer.TaskServer{Ways: peer.ByGet | peer.ByContinue},
		policy: peer.TaskPolicy{Poll: taskPoll},
		inline: peer.TaskPolicy{Support: "forbidden"}}
	extensionDialect = dialect{name: "extension", polls: "tasks/get",
		options: peer.Options{Revision: peer.Revision20260728},
		policy:  peer.TaskPolicy{Poll: taskPoll},
		inline:  peer.TaskPolicy{Sync: true}}
	streamedDialect = dialect{name: "streamed", polls: "tasks/get", streams: true,
		server: peer.TaskServer{Modes: allModes},
		policy: peer.TaskPolicy{Poll: taskPoll, Streams: &peer.Streaming{}},
		inline: peer.TaskPolicy{Ready: peer.Ready}}
	dialects = []dialect{coreDialect, continueDialect, extensionDialect, streamedDialect}
)

// teller is an app that has a server tell something, and takes its calls up
// whenever it is loaded. It knows nothing of tasks: it calls a tool, follows the
// call's events and waits for its result. What it has had of a call is in trails,
// by the call's label; localStorage counts over all pages what the person was
// asked, who answers unless localStorage.away says that nobody is there.
const teller = `
import * as holdfast from "/holdfast.mjs";
window.holdfast = holdfast;
window.trails = {};
window.carried = {};
window.integrity = [];
window.follow = (call) => {
	const label = call.params.arguments.call;
	if (trails[label]) return;
	const trail = { numbers: [], told: [], order: [], statuses: [], messages: [], resumed: [], missing: null, guarantee: call.guarantee,
		restored: call.restored, done: false, code: "", text: [], n: 0, answers: [], isError: false };
	trails[label] = trail;
	carried[label] = call;
	(async () => {
		try {
			for await (const event of call) {
				trail.order.push(event.position);
				if (event.type === "segment") {
					trail.numbers.push(event.seqNr);
					trail.told.push(event.content.text.split(" ")[0]);
				}
				if (event.type === "task") {
					trail.statuses.push(event.status);
					if (event.message) trail.messages.push(event.message);
				}
				if (event.type === "resumed") {
					trail.resumed.push(event.outcome);
					if (event.missing) trail.missing = event.missing;
				}
				if (event.type === "guarantee") trail.guarantee = event.guarantee;
			}
			const { content, structuredContent, isError } = await call.result;
			trail.text = content.map(({ text }) => text.split(" ")[0]);
			trail.n = structuredContent?.n ?? 0;
			trail.answers = (structuredContent?.answers ?? []).map(({ content }) => content.answer);
			trail.isError = isError === true;
		} catch (error) {
			trail.code = error.code ?? String(error);
		}
		trail.done = true;
	})();
};
window.make = (list, options) => {
	for (const args of list) follow(mcp.callTool("tell", args, { key: args.call, ...options }));
};
window.forms = {};
const elicitation = async ({ message }, { signal }) => {
	signal.addEventListener("abort", () => { localStorage["aborted " + message] = 1; });
	const times = Number(localStorage["asked " + message] ?? 0) + 1;
	localStorage["asked " + message] = times;
	const answer = new Promise((resolve) => { forms[message] = (text) => resolve({ action: "accept", content: { answer: text } }); });
	if (!localStorage.away) forms[message]("yes to " + message);
	return answer;
};
window.begin = async () => {
	window.mcp = await holdfast.connect(SERVER, { ack: "manual", handlers: { elicitation }, ...OPTIONS });
	mcp.on("integrity", ({ what }) => integrity.push(what));
	mcp.on("restored", ({ call }) => follow(call));
	await mcp.listTools();
	for (const call of await mcp.calls()) follow(call);
	window.begun = true;
};
window.ready = true;
if (!localStorage.later) await begin();
`

func tellerPage(site *chrome.Site, p *peer.Peer, options string) string {
	if options == "" {
		options = "{}"
	}
	return site.Page("/teller", strings.NewReplacer("SERVER", chrome.JS(p.URL()), "OPTIONS", options).Replace(
		teller))
}

// told is what a page of the teller has had of a call.
type told struct {
	Numbers    []int
	Told, Text []string
	Order      []int
	Statuses   []string
	Messages   []string
	Resumed    []string
	Missing    []int
	Guarantee  string
	Restored   bool
	Done       bool
	Code       string
	N          int
	Answers    []string
	IsError    bool
}

// telling is the arguments of a call of the tool tell.
type telling struct {
	Call  string `json:"call"`
	N     int    `json:"n"`
	Every int    `json:"every_ms,omitempty"`
	Gate  string `json:"gate,omitempty"`
	Bytes int    `json:"bytes,omitempty"`
	Ask   int    `json:"ask,omitempty"`
	Fail  string `json:"fail,omitempty"`
}

// A screen is where the teller runs now: a page of the browser that the stories
// share, or one of a browser that can be killed.
type screen struct {
	eval func(expression string) string // the value as JSON
	wait func(predicate string)
}

func onPage(page *chrome.Page) screen {
	return screen{
		func(expression string) string { return chrome.Eval[string](page, jsonOf(expression)) },
		func(predicate string) { page.WaitFor(predicate) },
	}
}

func onBrowser(b *ownBrowser) screen {
	return screen{
		func(expression string) string { return ask[string](b, jsonOf(expression)) },
		func(predicate string) { ask[bool](b, until(predicate)) },
	}
}

func jsonOf(expression string) string {
	return `(async () => JSON.stringify((await (` + expression + `)) ?? null))()`
}

// taskStory is one call in one dialect, in a situation.
type taskStory struct {
	t *testing.T
	d dialect
	p *peer.Peer
	screen
	page *chrome.Page // nil in a browser of its own
	url  string
}

// storyCall is the label of the one call of a story.
const storyCall = "a"

// newTaskStory has a server of the dialect, and no page yet.
func newTaskStory(t *testing.T, d dialect, policy peer.TaskPolicy) *taskStory {
	t.Helper()
	p := peer.New(t, d.options)
	p.Tasks(d.server)
	p.Narrating(nil, peer.AsTask(policy))
	return &taskStory{t: t, d: d, p: p, url: tellerPage(chrome.NewSite(t), p, "")}
}

func (s *taskStory) open() {
	s.t.Helper()
	s.page = chrome.Open(s.t, s.url)
	s.screen = onPage(s.page)
	s.wait(`window.begun`)
}

func (s *taskStory) reload() {
	s.t.Helper()
	s.page.Reload()
	s.wait(`window.begun`)
}

// tell makes the call of the story, which waits at its gate before each piece and
// before the end.
func (s *taskStory) tell(how telling) {
	s.t.Helper()
	how.Call = storyCall
	s.eval(`make([` + chrome.JS(how) + `])`)
}

// durable waits until a later page would go on with the call.
func (s *taskStory) durable() {
	s.t.Helper()
	s.wait(`trails.a.guarantee === "durable"`)
}

// makes lets the tool make pieces, and waits until it has n of them; where the
// dialect streams, until the page has them, too.
func (s *taskStory) makes(n int) {
	s.t.Helper()
	had := len(s.p.Oracle().Produced(storyCall))
	passes(s.p, "go", n-had)
	eventually(s.t, "piece "+strconv.Itoa(n),
		func() bool { return len(s.p.Oracle().Produced(storyCall)) == n })
	if s.d.streams {
		s.wait(fmt.Sprintf(`trails.a.numbers.length === %d`, n))
	}
}

// trail is what the page has had so far.
func (s *taskStory) trail() (has told) {
	s.t.Helper()
	if err := json.Unmarshal([]byte(s.eval(`trails.a`)), &has); err != nil {
		s.t.Fatal(err)
	}
	return has
}

// ends waits for the end of the call, and checks what every end has in common:
// code is that of the error, "" for a result of n pieces.
func (s *taskStory) ends(code string, n int) told {
	s.t.Helper()
	s.wait(`trails.a?.done`)
	has, want := s.trail(), marksTo(n)
	if has.Code != code {
		s.t.Errorf("it ends with %q, want %q", has.Code, code)
	}
	if code == "" && (!slices.Equal(has.Text, want) || has.N != n) {
		s.t.Errorf("the result is %d: %v", has.N, has.Text)
	}
	if s.d.streams && len(has.Told) > 0 && (!slices.Equal(has.Told, want) ||
		!slices.Equal(has.Numbers, numbers(1, n))) {
		s.t.Errorf("it was told %v of %d", has.Numbers, n)
	}
	if !slices.IsSorted(has.Order) {
		s.t.Errorf("positions %v", has.Order)
	}
	o := s.p.Oracle()
	if runs := o.Runs(storyCall); runs != 1 {
		s.t.Errorf("it ran %d times", runs)
	}
	if deletes := o.Deletes(""); deletes != 0 {
		s.t.Errorf("%d DELETEs", deletes)
	}
	if cancelled := len(s.p.Of("notifications/cancelled")); cancelled != 0 && code == "cancelled" {
		s.t.Errorf("%d notifications/cancelled for a task", cancelled)
	}
	if broken := s.eval(`integrity`); broken != "[]" {
		s.t.Errorf("integrity events: %s", broken)
	}
	blameless(s.t, s.p)
	return has
}

// streamed checks that the call was told each of n pieces as it was made, where
// the dialect streams: the whole result alone would be no stream.
func (s *taskStory) streamed(has told, n int) {
	s.t.Helper()
	if s.d.streams && len(has.Told) != n {
		s.t.Errorf("%d of %d pieces were told as segments", len(has.Told), n)
	}
}

// answered checks that each question was put to the person and to the server once.
func (s *taskStory) answered(n int) {
	s.t.Helper()
	all := s.p.Oracle().Questions(storyCall)
	if len(all) != n {
		s.t.Errorf("%d questions, want %d", len(all), n)
	}
	for _, q := range all {
		if len(q.Answers) != 1 {
			s.t.Errorf("question %s has %d answers", q.ID, len(q.Answers))
		}
		if asked := s.eval(`localStorage["asked " + ` + q.ID + `]`); asked != `"1"` {
			s.t.Errorf("the person was asked %s %s times", q.ID, asked)
		}
	}
}

// marksTo are the texts of the pieces 1 to n.
func marksTo(n int) []string {
	all := []string{}
	for i := range n {
		all = append(all, fmt.Sprintf("%s#1:%d", storyCall, i+1))
	}
	return all
}

// numbers returns from, from+1, ... to.
func numbers(from, to int) []int {
	var list []int
	for n := from; n <= to; n++ {
		list = append(list, n)
	}
	return list
}
