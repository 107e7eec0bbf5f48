//go:build !js

package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// How many calls TestTaskSchedules makes: `make sample` and `make soak` say more.
var taskSchedules = flag.Int("taskschedules", 6, "calls of TestTaskSchedules, each with faults of its own")

// mostFaults is how many faults there are in a round of TestTaskSchedules. A client asks
// less and less often after failures, and a host that outlives its pages begins none anew for a
// reload: faults without end, and answers that are to be cut once they are asked for, could outrun it.
const mostFaults = 40

// soakLegs are the servers of TestTaskSchedules.
var soakLegs = []struct {
	name    string
	d       dialect
	streams *peer.Streaming
}{
	{"core", coreDialect, nil},
	{"continue", continueDialect, nil},
	{"extension", extensionDialect, nil},
	{"streamed", streamedDialect, &peer.Streaming{}},
	{"streamed, task first", streamedDialect, &peer.Streaming{Opening: peer.OpenTask, Resume: peer.FromOne}},
	{"streamed, parts first", streamedDialect,
		&peer.Streaming{Opening: peer.OpenParts, First: 2, LastWord: true}},
}

// TestTaskSchedules carries calls by tasks of every dialect through random faults:
// connections that die in segments and answers, segments that come twice, turned
// around or not at all, reloads, tabs that end, a server that is away. Each call
// has its result, whole and in order, each segment is told once, nothing runs
// again. The server's log is the judge.
func TestTaskSchedules(t *testing.T) {
	t.Parallel()
	atOnce := min(16, max(1, *taskSchedules/len(soakLegs)))
	rounds := (*taskSchedules + len(soakLegs)*atOnce - 1) / (len(soakLegs) * atOnce)
	for _, leg := range soakLegs {
		t.Run(leg.name, func(t *testing.T) {
			row(t)
			t.Parallel()
			seed, random := seeded(t)
			chaos := newTaskChaos(t, leg.d, leg.streams, seed, random)
			for round := 0; round < rounds && !t.Failed(); round++ {
				chaos.round(round, atOnce)
			}
			t.Log(chaos.report())
			for _, v := range chaos.p.Violations() {
				// Whether an answer was taken cannot be known where its 202 was cut,
				// or the page went before it. That it is the same one the peer checks.
				if !strings.HasSuffix(v, "was answered twice") {
					t.Errorf("violation: %s", v)
				}
			}
			if n := chaos.p.Oracle().Deletes(""); n != 0 {
				t.Errorf("%d DELETEs", n)
			}
		})
	}
}

// taskChaos is a page, or its successors, in a run of TestTaskSchedules.
type taskChaos struct {
	t       *testing.T
	p       *peer.Peer
	streams bool
	random  *rand.Rand
	profile *chrome.Profile
	url     string
	page    *chrome.Page
	seen    map[string]map[int]string // events by label and number, over all pages

	calls, events, questions, faults           int
	lost, duplicated, reordered, untold, again int
	ends                                       map[string]int
}

func newTaskChaos(t *testing.T, d dialect, streams *peer.Streaming, seed uint64, random *rand.Rand) *taskChaos {
	t.Helper()
	policy := d.policy
	if streams != nil {
		with := *streams
		with.Lanes, with.Spoil = randomLanes(seed), randomSpoil(seed)
		policy.Streams = &with
	}
	options := d.options
	options.NoReuse = true // else Chrome sends a POST again by itself
	p := peer.New(t, options)
	p.Tasks(d.server)
	p.Narrating(&peer.RandomCuts{Seed: seed, Chance: 0.15, Most: 4, Calm: 40 * time.Millisecond},
		peer.AsTask(policy))
	c := &taskChaos{t: t, p: p, streams: streams != nil, random: random, profile: chrome.NewProfile(t),
		ends: map[string]int{}}
	c.url = tellerPage(chrome.NewSite(t), p, "")
	c.page = c.open()
	return c
}

func (c *taskChaos) open() *chrome.Page {
	c.t.Helper()
	page := c.profile.Open(c.url)
	page.WaitFor(`window.begun`)
	return page
}

// randomLanes are those of the peer, but for the first segment: what comes before
// anything else cannot be asked for by a number.
func randomLanes(seed uint64) func(peer.Call) func(int) peer.Lane {
	lanes := peer.RandomLanes(seed, true)
	return func(call peer.Call) func(int) peer.Lane {
		lane := lanes(call)
		return func(seq int) peer.Lane {
			if seq == 1 {
				return peer.Push
			}
			return lane(seq)
		}
	}
}

// randomSpoil repeats segments, turns them around or takes them out, by a seed and
// what the response says alone.
func randomSpoil(seed uint64) func(string, int, map[string]any) {
	return func(by string, n int, response map[string]any) {
		parts, _ := response["partial-content"].([]json.RawMessage)
		if len(parts) == 0 {
			return
		}
		h := fnv.New64a()
		io.WriteString(h, by+string(parts[0]))
		odd := peer.SegmentOddity(0)
		switch dice := rand.New(rand.NewPCG(seed, h.Sum64()+uint64(n))).IntN(10); {
		case dice < 2:
			odd = peer.SegmentTwice
		case dice < 4:
			odd = peer.SegmentsReversed
		case dice < 5 && by == "stream" && response["isComplete"] != true:
			odd = peer.SegmentsMissing
		default:
			return
		}
		peer.Spoiling("", 0, odd)(by, n, response)
	}
}

// round makes calls, plays faults until all have ended, and looks at what the last
// page has of them.
func (c *taskChaos) round(round, n int) {
	c.t.Helper()
	var list []telling
	for i := range n {
		list = append(list, telling{
			Call: fmt.Sprintf("r%dc%d", round, i), N: 8 + c.random.IntN(25), Every: 40 + c.random.IntN(110),
			Bytes: c.random.IntN(200), Ask: max(c.random.IntN(5)-3, 0),
		})
	}
	c.calls += n
	c.seen = map[string]map[int]string{}
	chrome.Eval[chrome.Void](c.page, `make(`+chrome.JS(list)+`)`)
	// Before it is a task the fate of a call may be unknown: not what this is about.
	c.page.WaitWithin(roundLimit, fmt.Sprintf(`Object.keys(trails).length === %d && `+
		`Object.values(trails).every(({ guarantee, done }) => done || guarantee === "durable")`, n))
	all := fmt.Sprintf(`Object.keys(trails).length === %d && Object.values(trails).every(({ done }) => done)`,
		n)
	calm := c.faults + mostFaults
	for !c.t.Failed() {
		wait := c.random.IntN(400)
		done := chrome.Eval[bool](c.page,
			fmt.Sprintf(`new Promise((resolve) => setTimeout(() => resolve(%s), %d))`, all, wait))
		c.look()
		if done {
			break
		}
		if c.faults < calm {
			c.fault()
		} else {
			c.page.WaitWithin(roundLimit, all)
		}
	}
	has := chrome.Eval[map[string]told](c.page, `trails`)
	for _, made := range list {
		c.judge(made, has[made.Call])
	}
	chrome.Eval[chrome.Void](c.page,
		`(Object.values(carried).forEach((call) => call.ack()), trails = {}, carried = {})`)
	c.page.WaitFor(`(await mcp.calls()).length === 0 && (await mcp.stored()).rows === 0`)
}

// fault is one thing that happens to the page, or between it and the server.
func (c *taskChaos) fault() {
	c.t.Helper()
	c.faults++
	hows := []peer.Cutting{peer.Clean, peer.FIN, peer.Reset}
	how := hows[c.random.IntN(len(hows))]
	switch c.random.IntN(7) {
	case 0, 1:
		c.page.Reload()
		c.page.WaitFor(`window.begun`)
	case 2:
		old := c.page
		if chrome.HostOf(c.t) == chrome.KilledHost {
			old.Close() // first: the worker that goes with it would be the next page's too
		}
		c.page = c.open()
		old.Close()
	case 3:
		c.p.CutStreams(how)
	case 4:
		method := []string{"tasks/get", "tasks/result", "tasks/continue", "tasks/update"}[c.random.IntN(4)]
		c.p.CutAnswers(method, how)
	case 5:
		c.p.Down()
		c.p.Up()
	default:
		c.faults--
	}
}

// look notes what a page has been told: a number stands for the same segment on
// every page, and none is left out.
func (c *taskChaos) look() {
	c.t.Helper()
	for label, has := range chrome.Eval[map[string]told](c.page, `trails`) {
		if c.seen[label] == nil {
			c.seen[label] = map[int]string{}
		}
		for i, number := range has.Numbers {
			if before, ok := c.seen[label][number]; ok && before != has.Told[i] {
				c.t.Errorf("%s: number %d was %s and is %s", label, number, before, has.Told[i])
				c.reordered++
			}
			c.seen[label][number] = has.Told[i]
			if number == i+1 {
				continue
			}
			c.t.Errorf("%s: event %d is number %d: %v", label, i+1, number, has.Numbers)
			if slices.Index(has.Numbers, number) < i {
				c.duplicated++
			} else {
				c.reordered++
			}
			return
		}
	}
}

// judge compares what the last page has of a call with what the server made.
func (c *taskChaos) judge(made telling, has told) {
	c.t.Helper()
	o := c.p.Oracle()
	code := has.Code
	if code == "" {
		code = "result"
	}
	c.ends[code]++
	c.events += len(has.Numbers)
	if runs := o.Runs(made.Call); runs != 1 {
		c.t.Errorf("%s ran %d times", made.Call, runs)
		c.duplicated += runs - 1
	}
	switch code {
	case "result":
	case "outcome_unknown": // its first answer was cut, and nobody knows the task
		return
	default:
		c.t.Errorf("%s ended with %s", made.Call, code)
		c.lost++
		return
	}
	if missing := made.N - len(has.Text); missing != 0 {
		c.t.Errorf("%s: %d pieces in the result, %d were made", made.Call, len(has.Text), made.N)
		c.lost += max(missing, 0)
		c.duplicated += max(-missing, 0)
	}
	for i, text := range has.Text {
		if text != fmt.Sprintf("%s#1:%d", made.Call, i+1) {
			c.t.Errorf("%s: piece %d is %s", made.Call, i+1, text)
			c.reordered++
			break
		}
	}
	if c.streams {
		c.untold += made.N - len(has.Numbers)
	}
	for _, q := range o.Questions(made.Call) {
		c.questions++
		asked := chrome.Eval[int](c.page, `Number(localStorage["asked " + `+q.ID+`] ?? 0)`)
		c.again += asked - 1
		if asked == 0 || len(q.Answers) == 0 {
			c.t.Errorf("question %s: asked %d times, %d answers", q.ID, asked, len(q.Answers))
		}
	}
	if len(has.Answers) != made.Ask {
		c.t.Errorf("%s: answers %v", made.Call, has.Answers)
	}
}

func (c *taskChaos) report() string {
	var ends []string
	for _, code := range []string{"result", "outcome_unknown", "lost"} {
		ends = append(ends, fmt.Sprintf("%d %s", c.ends[code], code))
	}
	return fmt.Sprintf("%d schedules, %d more faults of pages and connections: %s; %d segments told, %d "+
		"questions (%d put again after a reload): %d lost, %d duplicated, %d out of order; %d came only "+
		"with the result; %s",
		c.calls, c.faults, strings.Join(ends, ", "), c.events, c.questions, c.again, c.lost, c.duplicated,
		c.reordered, c.untold, executed(c.p))
}
