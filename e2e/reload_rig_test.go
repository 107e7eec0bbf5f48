//go:build !js

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// keeperScript is a page that takes up its calls by itself, whenever and however
// often it is loaded: it connects, follows what the journal has, and makes the
// calls of localStorage.plan that are not there yet, each by its key. What it has
// had of a call is in trails, by the call's label.
const keeperScript = `
import * as holdfast from "/holdfast.mjs";
window.holdfast = holdfast;
window.trails = {};
window.carried = {};
window.follow = (call) => {
	const label = call.params.arguments.call;
	if (trails[label]) return;
	const trail = { positions: [], marks: [], restored: call.restored, guarantee: call.guarantee, resumed: [], outcome: "", n: 0 };
	trails[label] = trail;
	carried[label] = call;
	(async () => {
		try {
			for await (const event of call) {
				if (event.type === "progress") {
					trail.positions.push(event.position);
					trail.marks.push(event.message.split(" ")[0]);
				}
				if (event.type === "resumed") trail.resumed.push(event.outcome);
				if (event.type === "guarantee") trail.guarantee = event.guarantee;
			}
			trail.n = (await call.result).structuredContent.n;
			trail.outcome = "result";
		} catch (error) {
			trail.outcome = error.code;
		}
	})();
};
window.take = (plan) => {
	for (const args of plan) {
		if (!trails[args.call]) follow(mcp.callTool("count", args, { key: args.call }));
	}
};
window.mcp = await holdfast.connect(SERVER, OPTIONS);
for (const call of await mcp.calls()) follow(call);
take(JSON.parse(localStorage.plan ?? "[]"));
window.ready = true;
`

// keeper is the address of such a page, for a server. Outcomes stay in the
// journal until the page acknowledges them, unless options say otherwise.
func keeper(site *chrome.Site, server, options string) string {
	if options == "" {
		options = `{ ack: "manual" }`
	}
	return site.Page("/keeper", strings.NewReplacer("SERVER", chrome.JS(server), "OPTIONS", options).Replace(
		keeperScript))
}

// A trail is what one page has had of a call.
type trail struct {
	Positions []int
	Marks     []string // what the tool count names each number by
	Restored  bool
	Guarantee string
	Resumed   []string
	Outcome   string // "result", or the code of the error; "" while there is none
	N         int
}

// counting is the arguments of a call of the tool count.
type counting struct {
	Call  string `json:"call"`
	N     int    `json:"n"`
	Every int    `json:"every_ms,omitempty"`
	Bytes int    `json:"bytes,omitempty"`
	Retry int    `json:"retry_ms"`
	Gate  string `json:"gate,omitempty"`
}

// roundLimit bounds a round of a random test: backoff takes its time.
const roundLimit = 3 * chrome.Patience

// carry has the page make calls, and whichever page comes after it.
func carry(page *chrome.Page, plan []counting) {
	chrome.Eval[chrome.Void](page, `(trails = {}, carried = {}, localStorage.plan = `+
		chrome.JS(chrome.JS(plan))+`, take(JSON.parse(localStorage.plan)))`)
}

// forgetAll acknowledges everything.
const forgetAll = `(localStorage.plan = "[]", Object.values(carried).forEach((call) => call.ack()))`

// settleAll waits until the page has the outcomes of all calls, checks them, and
// acknowledges them: nothing of them stays.
func settleAll(page *chrome.Page, book *ledger, plan []counting) {
	book.t.Helper()
	page.WaitWithin(roundLimit, `ready && Object.values(trails).every(({ outcome }) => outcome)`)
	trails := chrome.Eval[map[string]trail](page, `trails`)
	for _, made := range plan {
		book.call(made.Call, trails[made.Call])
	}
	chrome.Eval[chrome.Void](page, forgetAll)
	page.WaitFor(`(await mcp.calls()).length === 0 && (await mcp.stored()).rows === 0`)
}

// executed says how often tools ran, and of how many calls more than once, by the server's own log.
func executed(p *peer.Peer) string {
	o, runs, twice := p.Oracle(), 0, 0
	for _, label := range o.Labels() {
		n := o.Runs(label)
		if runs += n; n > 1 {
			twice++
		}
	}
	return fmt.Sprintf("%d runs, %d executed twice", runs, twice)
}

// A ledger compares what the pages have had with what the server knows.
type ledger struct {
	t    *testing.T
	p    *peer.Peer
	seen map[string][]string // marks by label, in the order of their positions

	lost, duplicated, reordered, unknown, overlaps int
	runs, again                                    int // how often calls ran, and ran once more
}

func newLedger(t *testing.T, p *peer.Peer) *ledger {
	return &ledger{t: t, p: p, seen: map[string][]string{}}
}

// page books what a page has had so far: whatever page it is, a position always
// stands for the same message, and none is left out.
func (l *ledger) page(trails map[string]trail) {
	l.t.Helper()
	for label, has := range trails {
		l.compare(label, has)
	}
}

func (l *ledger) compare(label string, has trail) {
	l.t.Helper()
	for i, mark := range has.Marks {
		known := l.seen[label]
		if i >= len(known) {
			known = append(known, mark)
			l.seen[label] = known
		}
		if has.Positions[i] != i+1 || known[i] != mark {
			l.t.Errorf("%s: position %d was %s, now position %d is %s", label, i+1, known[i],
				has.Positions[i], mark)
			l.reordered++
			return
		}
	}
}

// call checks the last page that had a call: what it had is what was produced,
// once and in order, up to the end or to where it was told that the rest is lost.
func (l *ledger) call(label string, has trail) {
	l.t.Helper()
	l.page(map[string]trail{label: has})
	o := l.p.Oracle()
	for i, mark := range has.Marks {
		if mark == fmt.Sprintf("%s#1:%d", label, i+1) {
			continue
		}
		l.t.Errorf("%s: event %d is %s", label, i+1, mark)
		if slices.Index(has.Marks, mark) < i {
			l.duplicated++
		} else {
			l.reordered++
		}
		break
	}
	switch produced := o.Produced(label); has.Outcome {
	case "result":
		if missing := len(produced) - len(has.Marks); missing != 0 || has.N != len(produced) {
			l.t.Errorf("%s: %d events and a result of %d, and the server made %d", label, len(has.Marks),
				has.N, len(produced))
			l.lost += max(missing, 0)
		}
	case "outcome_unknown", "lost":
		l.unknown++
	default:
		l.t.Errorf("%s: ended with %q", label, has.Outcome)
	}
	// Nothing says that the tool may run twice.
	runs := o.Runs(label)
	l.runs += runs
	if runs > 1 {
		l.t.Errorf("%s: ran %d times; the server heard of it by %+v", label, runs, o.Requests(label))
		l.again += runs - 1
	}
	// On a busy machine Chrome closes the connections of the page that went only
	// when the next one has its own.
	if o.MaxOpenStreams(label) > 1 {
		l.overlaps++
	}
}

// report prints the figures of a run.
func (l *ledger) report(format string, args ...any) {
	l.t.Logf(
		"%s; %d events of %d calls: %d lost, %d duplicated, %d out of order; %d runs, %d executed twice; "+
			"%d calls told unknown or lost; %d on two streams for a moment", fmt.Sprintf(format, args...),
		l.events(), len(l.seen),
		l.lost, l.duplicated, l.reordered, l.runs, l.again, l.unknown, l.overlaps)
}

func (l *ledger) events() int {
	n := 0
	for _, marks := range l.seen {
		n += len(marks)
	}
	return n
}

// seeded returns a source of random numbers. A failure prints its seed, and
// HOLDFAST_SEED plays it again.
func seeded(t *testing.T) (uint64, *rand.Rand) {
	t.Helper()
	seed := rand.Uint64() >> 32
	if text := os.Getenv("HOLDFAST_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("HOLDFAST_SEED: %v", err)
		}
		seed = given
	}
	t.Logf("HOLDFAST_SEED=%d", seed)
	return seed, rand.New(rand.NewPCG(seed, 0))
}
