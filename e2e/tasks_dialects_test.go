//go:build !js

package e2e

import (
	"testing"
	"time"
)

// The stories of calls that the server takes its time for: each dialect in each
// situation. The page does the same in all of them and has to be told the same;
// only the server differs, and its log is the judge.

func TestTask_Core(t *testing.T)      { eachSituation(t, coreDialect) }
func TestTask_Continue(t *testing.T)  { eachSituation(t, continueDialect) }
func TestTask_Extension(t *testing.T) { eachSituation(t, extensionDialect) }
func TestTask_Streamed(t *testing.T)  { eachSituation(t, streamedDialect) }

// situations are what can happen to a call, by the name of the subtest.
var situations = []struct {
	name string
	play func(*testing.T, dialect)
}{
	{"inline", playInline},
	{"long", playLong},
	{"input", playInput},
	{"cancel", playCancel},
	{"expire", playExpire},
	{"cut", playCut},
	{"reload", playReload},
	{"kill", playKill},
}

func eachSituation(t *testing.T, d dialect) {
	t.Helper()
	t.Parallel()
	for i, one := range situations {
		t.Run(one.name, func(t *testing.T) {
			if d.name != coreDialect.name {
				rowOf(t, i-1, len(situations)-1) // the first one has neither a task nor a segment
			}
			t.Parallel()
			one.play(t, d)
		})
	}
}

// playInline: the server has the result at once, and makes no task.
func playInline(t *testing.T, d dialect) {
	s := newTaskStory(t, d, d.inline)
	s.open()
	s.tell(telling{N: 4})
	if has := s.ends("", 4); len(has.Statuses) > 0 {
		t.Errorf("it was told of a task: %v", has.Statuses)
	}
	if polls := s.p.Oracle().Polls(storyCall); len(polls) > 0 {
		t.Errorf("polls %+v", polls)
	}
}

// playLong: the call takes many intervals, and is asked about once in each.
func playLong(t *testing.T, d dialect) {
	s := newTaskStory(t, d, d.policy)
	s.open()
	s.tell(telling{N: 8, Every: taskPoll})
	has := s.ends("", 8)
	if len(has.Statuses) == 0 || has.Statuses[0] != "working" || has.Guarantee != "durable" {
		t.Errorf("told %v, %s", has.Statuses, has.Guarantee)
	}
	s.streamed(has, 8)
	s.paced()
}

// playInput: the task asks two things halfway, and goes on with both answers.
func playInput(t *testing.T, d dialect) {
	s := newTaskStory(t, d, d.policy)
	s.open()
	s.tell(telling{N: 4, Ask: 2})
	has := s.ends("", 4)
	if len(has.Answers) != 2 || has.Answers[0] != "yes to a.1.q1" || has.Answers[1] != "yes to a.1.q2" {
		t.Errorf("answers %v", has.Answers)
	}
	s.answered(2)
	s.streamed(has, 4)
}

// playCancel: the app cancels halfway. The server is told once, in the way of tasks.
func playCancel(t *testing.T, d dialect) {
	s := newTaskStory(t, d, d.policy)
	s.open()
	s.tell(telling{N: 4, Gate: "go"})
	s.makes(2)
	s.durable()
	s.eval(`carried.a.cancel("enough")`)
	s.ends("cancelled", 2)
	eventually(t, "the task cancelled",
		func() bool { return s.p.Oracle().Tasks(storyCall)[0].Status == "cancelled" })
	s.p.Release("go")
	s.eval(`carried.a.ack()`)
	s.wait(`(await mcp.stored()).calls === 0`)
	if n := s.p.Oracle().Cancels(storyCall); n != 1 {
		t.Errorf("tasks/cancel came %d times", n)
	}
	if status := s.p.Oracle().Tasks(storyCall)[0].Status; status != "cancelled" {
		t.Errorf("the task is %s", status)
	}
}

// playExpire: the server has forgotten the task before it was done.
func playExpire(t *testing.T, d dialect) {
	policy := d.policy
	policy.TTL = int(time.Hour / time.Millisecond)
	s := newTaskStory(t, d, policy)
	s.open()
	s.tell(telling{N: 4, Gate: "go"})
	s.makes(2)
	s.p.Advance(2 * time.Hour)
	has := s.ends("lost", 2)
	if len(has.Resumed) == 0 || has.Resumed[len(has.Resumed)-1] != "lost" {
		t.Errorf("resumed %v", has.Resumed)
	}
	if n := s.p.Oracle().Cancels(storyCall); n != 0 {
		t.Errorf("tasks/cancel came %d times", n)
	}
}

// playCut: every connection dies twice, in the middle and before the end, the
// second time with nobody listening for a while.
func playCut(t *testing.T, d dialect) {
	s := newTaskStory(t, d, d.policy)
	s.open()
	s.tell(telling{N: 4, Gate: "go"})
	s.makes(1)
	s.durable()
	s.p.Down()
	s.p.Up()
	s.makes(2)
	s.p.Down()
	s.p.Release("go")
	eventually(t, "the end of the task",
		func() bool { return s.p.Oracle().Tasks(storyCall)[0].Status == "completed" })
	s.p.Up()
	s.ends("", 4)
}

// playReload: the page is loaded again in the middle, and once more when the task
// is over.
func playReload(t *testing.T, d dialect) {
	s := newTaskStory(t, d, d.policy)
	s.open()
	s.tell(telling{N: 4, Gate: "go"})
	s.makes(2)
	s.durable()
	s.reload()
	s.makes(3)
	s.reload()
	s.p.Release("go")
	eventually(t, "the end of the task",
		func() bool { return s.p.Oracle().Tasks(storyCall)[0].Status == "completed" })
	s.reload()
	if has := s.ends("", 4); !has.Restored {
		t.Error("it was made again")
	}
}

// playKill: the browser is killed in the middle, and started again on its profile.
func playKill(t *testing.T, d dialect) {
	s := newTaskStory(t, d, d.policy)
	profile := t.TempDir()
	browser := startBrowser(t, profile, s.url)
	s.screen = onBrowser(browser)
	s.wait(`window.begun`)
	s.tell(telling{N: 4, Gate: "go"})
	s.makes(2)
	s.durable()
	browser.kill()
	browser = startBrowser(t, profile, s.url)
	s.screen = onBrowser(browser)
	s.p.Release("go")
	if has := s.ends("", 4); !has.Restored {
		t.Error("it was made again")
	}
	browser.kill()
}

// paced prints how often the task of a call was asked about, and how often it
// would have been if each interval had brought one request.
func (s *taskStory) paced() {
	s.t.Helper()
	o := s.p.Oracle()
	polls := o.Polls(storyCall)
	counts := map[string]int{}
	for _, one := range polls {
		counts[one.Method]++
	}
	made := s.p.Of("tools/call")[0].Time
	took := polls[len(polls)-1].Time.Sub(made)
	ideal := int(took / (taskPoll * time.Millisecond))
	s.t.Logf("%s: %d polls in %d ms, ideally %d; all requests: %v", s.d.name, counts[s.d.polls],
		took.Milliseconds(), ideal, counts)
	if counts[s.d.polls] > ideal+2 {
		s.t.Errorf("%d polls, %d would do", counts[s.d.polls], ideal)
	}
	if n := o.Hasty(storyCall, (taskPoll-25)*time.Millisecond); n > 1 {
		s.t.Errorf("%d polls came too soon", n)
	}
}
