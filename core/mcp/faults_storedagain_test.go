package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// askingTask is one that asks for a name: the method of its polls, and the one that takes
// the answer.
type askingTask struct {
	begin      func(t *testing.T) *onTask
	poll, take string
}

// askingTasks has one for each way in which tasks ask.
var askingTasks = map[string]askingTask{
	"tasks/continue": {func(t *testing.T) *onTask { return newTask(connected(t, withDisk), false) },
		"tasks/continue", "tasks/continue"},
	"tasks/update": {func(t *testing.T) *onTask { return newExtension(newRig(t, modernDisk)) }, "tasks/get",
		"tasks/update"},
}

const askingForName = `{"taskId":"T","status":"input_required",` + asksName + `}`

// storedAgain lets the store fail and work again: what it has is rewritten.
func (o *onTask) storedAgain() {
	o.t.Helper()
	o.storeIsBack()
	o.store()
}

// eachAsking plays a story of each, in pages of which so many have gone before the store fails.
func eachAsking(t *testing.T, story func(o *onTask, way askingTask, reloads int)) {
	for name, way := range askingTasks {
		for _, reloads := range []int{0, 1, 2} {
			t.Run(name, func(t *testing.T) {
				o := way.begin(t)
				o.gives(way.poll, askingForName)
				story(o, way, reloads)
			})
		}
	}
}

// Fault 468: a page takes up a task that has asked something, and its record is written
// again, as after a store that was full, slow or gone. The next page asks it, with what
// a person had typed.
func TestFault468_AskedAndStoredAgain(t *testing.T) {
	eachAsking(t, func(o *onTask, way askingTask, reloads int) {
		o.store()
		for range reloads {
			o = o.reloads()
		}
		o.input("draft",
			func(c *mcp.Client, now engine.Time) { c.SaveDraft(now, o.c, 0, "name", []byte(`"Ann"`)) })
		o.store()
		o.storedAgain()
		o = o.reloads()
		o.wantTold(engine.EventInput, `"name"`, 1)
		o.wantTold(engine.EventInput, `"drafts":{"name":"Ann"}`, 1)
		o.gives(way.poll, askingForName)
		o.wantTold(engine.EventInput, "", 1)
		o.answers(`{"name":{"action":"accept"}}`)
		o.store()
		x, _ := o.asked(way.take, 0)
		if body := o.body(x); !strings.Contains(body, `"inputResponses":{"name":{"action":"accept"}}`) {
			o.fatal("sent %s", body)
		}
	})
}

// Fault 468: the same where the answer is given, and not taken yet: it is sent by the
// page after that, too.
func TestFault468_AnsweredAndStoredAgain(t *testing.T) {
	eachAsking(t, func(o *onTask, way askingTask, reloads int) {
		o.answers(`{"name":{"action":"accept"}}`)
		o.store()
		for range reloads {
			o = o.reloads()
		}
		o.storedAgain()
		o = o.reloads()
		o.wantTold(engine.EventInput, "", 0)
		if way.take == way.poll {
			o.gives(way.poll, askingForName) // whether it is asked still
		}
		x, _ := o.asked(way.take, 0)
		if body := o.body(x); !strings.Contains(body, `"inputResponses":{"name":{"action":"accept"}}`) {
			o.fatal("sent %s", body)
		}
	})
}

// Fault 468: the same where the answer is taken: nobody is asked again, however often
// the server repeats what it has asked, and nothing is sent twice. By SEP-2339 it is another round
// that asks so behind another status, and is asked once (fault 737).
func TestFault468_TakenAndStoredAgain(t *testing.T) {
	eachAsking(t, func(o *onTask, way askingTask, reloads int) {
		o.answers(`{"name":{"action":"accept"}}`)
		o.store()
		o.gives(way.take, `{"taskId":"T","status":"working","resultType":"complete"}`)
		o.store()
		for range reloads {
			o = o.reloads()
		}
		o.storedAgain()
		o = o.reloads()
		for range 3 {
			if body := o.gives(way.poll, askingForName); strings.Contains(body, "inputResponses") {
				o.fatal("sent %s", body)
			}
		}
		again := 0
		if way.take == way.poll {
			again = 1
		}
		o.wantTold(engine.EventInput, "", again)
		if x := o.waits("tasks/update"); x != 0 {
			o.fatal("sent %s", o.body(x))
		}
	})
}
