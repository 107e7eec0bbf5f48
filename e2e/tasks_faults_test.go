//go:build !js

package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// each runs a story in some dialects.
func (list dialectList) each(t *testing.T, play func(*testing.T, dialect)) {
	for i, d := range list {
		t.Run(d.name, func(t *testing.T) {
			rowOf(t, i, len(list))
			t.Parallel()
			play(t, d)
		})
	}
}

type dialectList []dialect

// TestFault81_TasksInChrome: a task that works takes no connection that another
// request needs, however many there are. Over HTTP/1.1 a browser has six.
func TestFault81_TasksInChrome(t *testing.T) {
	t.Parallel()
	dialectList(dialects).each(t, func(t *testing.T, d dialect) {
		s := newTaskStory(t, d, d.policy)
		s.open()
		const calls = 12
		for i := range calls {
			s.p.Pass(fmt.Sprintf("g%d", i)) // the first piece of each
		}
		s.makesMany(calls, 2)
		for range 5 {
			s.eval(`mcp.request("tools/list").result`)
			s.eval(`mcp.callTool("echo", { text: "x" }).result`)
		}
		s.allEnd(calls, 2)
	})
}

// makesMany makes so many calls at once, each of n pieces behind a gate of its own, and waits
// until all are at the server.
func (s *taskStory) makesMany(calls, n int) {
	s.t.Helper()
	var list []telling
	for i := range calls {
		list = append(list, telling{Call: fmt.Sprintf("c%d", i), N: n, Gate: fmt.Sprintf("g%d", i)})
	}
	s.t.Cleanup(func() {
		if s.t.Failed() {
			s.t.Logf("at the server: %v", s.p.Oracle().Labels())
		}
	})
	s.eval(`make(` + chrome.JS(list) + `)`)
	eventually(s.t, "all calls at the server", func() bool { return len(s.p.Oracle().Labels()) == calls })
}

// allEnd opens the gates of those calls, and waits until all have ended well. Each ran once.
func (s *taskStory) allEnd(calls, n int) {
	s.t.Helper()
	for i := range calls {
		s.p.Release(fmt.Sprintf("g%d", i))
	}
	s.wait(fmt.Sprintf(`Object.values(trails).every(({ done, n }) => done && n === %d)`, n))
	for i := range calls {
		if runs := s.p.Oracle().Runs(fmt.Sprintf("c%d", i)); runs != 1 {
			s.t.Errorf("c%d ran %d times", i, runs)
		}
	}
	blameless(s.t, s.p)
}

// TestFault271_MoreCallsThanConnections: of long calls that are made in one turn of the
// event loop, more than a page has connections for, each is soon at the server: those that
// have a connection give it to the others in turn, and resume.
func TestFault271_MoreCallsThanConnections(t *testing.T) {
	t.Parallel()
	s := newTaskStory(t, coreDialect, coreDialect.inline)
	s.open()
	s.makesMany(7, 1)
	s.allEnd(7, 1)
}

// TestFault88_PacedInChrome: an interval that makes no sense, and one that changes
// on the way: no poll comes sooner than the one in force.
func TestFault88_PacedInChrome(t *testing.T) {
	t.Parallel()
	dialectList{continueDialect, extensionDialect}.each(t, func(t *testing.T, d dialect) {
		p := peer.New(t, d.options)
		p.Tasks(d.server)
		policy := d.policy
		policy.Poll = 1
		p.ToolFunc("tell", func(peer.Call) peer.Script {
			return peer.Script{peer.Polled(4), peer.PollEvery(400), peer.Polled(5), peer.Gate("slow"),
				peer.Polled(8), peer.Merged(`"structuredContent":{"n":0}`)}
		}, peer.AsTask(policy))
		s := &taskStory{t: t, d: d, p: p, url: tellerPage(chrome.NewSite(t), p, "")}
		s.open()
		s.tell(telling{})
		o := p.Oracle()
		p.Waiting("slow")
		if n := o.Hasty(storyCall, 250*time.Millisecond); n > 0 {
			t.Errorf("%d polls sooner than any server may ask for: %v", n, gaps(o.Polls(storyCall)))
		}
		fast := len(o.Polls(storyCall))
		p.Release("slow")
		s.wait(`trails.a.done`)
		// The first of them was due by the interval before.
		for _, one := range o.Polls(storyCall)[fast+1:] {
			if one.Method == d.polls && one.Since < 400*time.Millisecond {
				t.Errorf("polled after %v: %v", one.Since, gaps(o.Polls(storyCall)))
			}
		}
		blameless(t, p)
	})
}

func gaps(polls []peer.Poll) (list []string) {
	for _, one := range polls {
		list = append(list, fmt.Sprintf("%s after %d ms", one.Method, one.Since.Milliseconds()))
	}
	return list
}

// streaming is a story whose segments go by those lanes, and are spoilt so.
func streaming(t *testing.T, how peer.Streaming, lanes ...peer.Lane) *taskStory {
	t.Helper()
	policy := streamedDialect.policy
	how.Lanes = func(peer.Call) func(int) peer.Lane {
		return func(seq int) peer.Lane {
			if seq > len(lanes) {
				return peer.Push
			}
			return lanes[seq-1]
		}
	}
	policy.Streams = &how
	return newTaskStory(t, streamedDialect, policy)
}

// TestFault95_ReloadWithAGapInChrome: segments 1, 3 and 5 have come when the page
// is loaded again: the next page asks from 1, once that is what it has stored.
func TestFault95_ReloadWithAGapInChrome(t *testing.T) {
	t.Parallel()
	s := streaming(t, peer.Streaming{}, peer.Push, peer.Fetch, peer.Push, peer.Fetch, peer.Push)
	s.p.Delay("tasks/result", "hold")
	s.open()
	s.tell(telling{N: 6, Gate: "go"})
	passes(s.p, "go", 5)
	s.p.Waiting("hold") // for what the page misses
	eventually(t, "five segments", func() bool { return len(s.p.Oracle().Produced(storyCall)) == 5 })
	s.wait(`trails.a.numbers.length === 1 && trails.a.guarantee === "durable"`)
	s.page.Reload()
	s.wait(`window.begun`)
	eventually(t, "the next page's request", func() bool { return len(s.p.Of("tasks/result")) >= 2 })
	s.p.Release("hold")
	s.wait(`trails.a.numbers.length === 5`)
	s.p.Release("go")
	s.ends("", 6)
	var from []string
	for _, one := range s.p.Oracle().Polls(storyCall) {
		if one.Method == "tasks/result" {
			from = append(from, one.LastSeqNr)
		}
	}
	if len(from) == 0 || from[0] != "1" || slices.Contains(from, "0") {
		t.Errorf("asked from %q", from)
	}
}

// TestFault97_ThriceInChrome: each segment comes twice on the stream, and again by
// tasks/result to the page that comes next; under one number with other words, too.
func TestFault97_ThriceInChrome(t *testing.T) {
	t.Parallel()
	s := streaming(t, peer.Streaming{Resume: peer.FromOne,
		Spoil: func(by string, n int, response map[string]any) {
			peer.Spoiling("stream", 0, peer.SegmentTwice)(by, n, response)
			peer.Spoiling("stream", 3, peer.SegmentChanged)(by, n, response)
		}})
	s.open()
	s.tell(telling{N: 5, Gate: "go"})
	s.makes(4)
	s.wait(`integrity.includes("conflicting_segment")`)
	s.durable()
	s.reload()
	s.p.Release("go")
	s.ends("", 5) // the next page has nothing to complain of
}

// TestFault102_FinalDiffersInChrome: the whole result is not what was streamed. It
// stands, and the app is told.
func TestFault102_FinalDiffersInChrome(t *testing.T) {
	t.Parallel()
	s := streaming(t, peer.Streaming{})
	s.p.Tool("tell", peer.Script{peer.TextSegment("one"), peer.TextSegment("two"),
		peer.Result(`{"content":[{"type":"text","text":"another"}]}`)},
		peer.AsTask(peer.TaskPolicy{Poll: taskPoll, Streams: &peer.Streaming{}}))
	s.open()
	s.tell(telling{})
	s.wait(`trails.a.done`)
	has := s.trail()
	if !slices.Equal(has.Told, []string{"one", "two"}) || !slices.Equal(has.Text, []string{"another"}) {
		t.Errorf("told %v, and the result is %v", has.Told, has.Text)
	}
	if broken := s.eval(`integrity`); broken != `["different_result"]` {
		t.Errorf("integrity events: %s", broken)
	}
	blameless(t, s.p)
}

// TestFault105_EndsInTheStreamInChrome: the task fails, is cancelled or expires
// when half of it has been told. That stays, the call ends as it should, and
// nothing more is asked about it.
func TestFault105_EndsInTheStreamInChrome(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]struct {
		fail, code string
		told       int
		do         func(*taskStory)
	}{
		"error":     {"error", "", 3, nil},
		"isError":   {"tool", "", 3, nil},
		"cancelled": {"", "cancelled", 2, func(s *taskStory) { s.eval(`carried.a.cancel()`) }},
		"expired":   {"", "lost", 2, func(s *taskStory) { s.p.Advance(2 * time.Hour) }},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			policy := streamedDialect.policy
			policy.TTL, policy.Streams = int(time.Hour/time.Millisecond), &peer.Streaming{LastWord: true}
			s := newTaskStory(t, streamedDialect, policy)
			s.open()
			s.tell(telling{N: 3, Gate: "go", Fail: end.fail})
			s.makes(2)
			if end.do != nil {
				end.do(s)
			} else {
				s.p.Release("go")
			}
			s.wait(`trails.a.done`)
			has := s.trail()
			if has.Code != end.code || !slices.Equal(has.Told, marksTo(end.told)) ||
				has.IsError != (end.fail != "") {
				t.Errorf("ends with %q, isError %v, told %v", has.Code, has.IsError, has.Told)
			}
			if end.fail != "" && !slices.Equal(has.Text, marksTo(end.told)) {
				t.Errorf("the result is %v", has.Text)
			}
			if name == "cancelled" {
				eventually(t, "tasks/cancel", func() bool { return s.p.Oracle().Cancels(storyCall) == 1 })
			}
			// Another call is the clock: nothing is asked about this one meanwhile.
			before := len(s.p.Oracle().Polls(storyCall))
			s.eval(`make([{ call: "b", n: 2, every_ms: ` + fmt.Sprint(taskPoll) + ` }])`)
			s.wait(`trails.b.done`)
			if after := len(s.p.Oracle().Polls(storyCall)); after != before {
				t.Errorf("%d more requests after its end", after-before)
			}
			blameless(t, s.p)
		})
	}
}

// TestFault108_OneWayOnlyInChrome: the server has one way only to the outcome of a
// task. It is found, and what it has not is asked for once.
func TestFault108_OneWayOnlyInChrome(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		ways   peer.TaskWay
		method string
		misses int // of tasks/continue
	}{
		"get and result":    {peer.ByGet | peer.ByResult, "tasks/result", 1},
		"continue":          {peer.ByContinue, "tasks/continue", 0},
		"all of them":       {peer.ByGet | peer.ByResult | peer.ByContinue, "tasks/continue", 0},
		"result, no status": {peer.ByResult, "tasks/result", 1},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			d := coreDialect
			d.server.Ways = one.ways
			s := newTaskStory(t, d, d.policy)
			s.open()
			s.tell(telling{N: 3, Every: 100, Ask: 1})
			s.ends("", 3)
			s.answered(1)
			s.eval(`make([{ call: "b", n: 2 }])`)
			s.wait(`trails.b.done && trails.b.n === 2`)
			refused := 0
			for _, r := range s.p.Of("tasks/continue") {
				if one.misses > 0 || r.Status != 200 {
					refused++
				}
			}
			if refused != one.misses || len(s.p.Of(one.method)) < 2 {
				t.Errorf("%d tasks/continue in vain, %d %s", refused, len(s.p.Of(one.method)), one.method)
			}
		})
	}
}
