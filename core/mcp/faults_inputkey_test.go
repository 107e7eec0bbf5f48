package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

const askedForName = `{"taskId":"T","status":"input_required",` + asksName + `}`

// asksLonger asks something else under the key of asksName.
var asksLonger = strings.Replace(askedForName, `"?"`, `"longer please"`, 1)

const (
	workingTask = `{"taskId":"T","status":"working","pollInterval":1000}`
	endedTask   = `{"taskId":"T","status":"completed","result":{"content":[]}}`
	given       = `{"name":{"action":"accept","content":{"input":"Lu"}}}`
	givenLonger = `{"name":{"action":"accept","content":{"input":"Luca"}}}`
)

// eachSEP2339 tells a story with a task of each form of SEP-2339, and the method by which it is polled.
func eachSEP2339(t *testing.T, story func(t *testing.T, o *onTask, poll string)) {
	t.Run("tasks/continue", func(t *testing.T) {
		o := newTask(connected(t, withDisk), false)
		o.gives("tasks/continue", workingTask)
		story(t, o, "tasks/continue")
	})
	t.Run("inlined", func(t *testing.T) {
		o := newTask(connected(t, withDisk), true)
		o.refuses("tasks/result", -32601)
		o.gives("tasks/get", workingTask)
		story(t, o, "tasks/get")
	})
}

// answersAsked gives the app's answers to what it was asked last.
func (o *onTask) answersAsked(json string) { o.t.Helper(); o.answersTo(o.lastInput(), json) }

func (o *onTask) answersTo(position uint32, json string) {
	o.t.Helper()
	o.answers(fmt.Sprintf("[%d,%s]", position, json))
}

// lastInput returns the position of the last request for input.
func (o *onTask) lastInput() (position uint32) {
	for _, e := range o.call(o.c).events {
		if e.Event == engine.EventInput {
			position = e.Position
		}
	}
	return position
}

// sends has polls say that the server asks so, until one carries these answers: that one is told says.
func (o *onTask) sends(poll, asks, answers, says string) {
	o.t.Helper()
	for range 3 {
		x, _ := o.asked(poll, 120_000)
		id := coretest.RequestID(o.Exchange(x).Request)
		if body := o.body(x); strings.Contains(body, answers) {
			o.json(x, coretest.Result(id, says))
			return
		} else if strings.Contains(body, "inputResponses") {
			o.fatal("sent %s", body)
		}
		o.json(x, coretest.Result(id, asks))
	}
	o.fatal("the answers do not leave")
}

func (o *onTask) wantEnded() {
	o.t.Helper()
	o.store()
	o.wantResult()
	o.quiet()
}

// Fault 737: the key of an answered round means another request in the next one: it is unique within one
// answer (SEP-2339), and not for the task's life (SEP-2663). It is asked, whether it is another request or
// the same one: in the answer to the request that carried ours, or behind another status.
func TestFault737_AKeyIsOfOneRequest(t *testing.T) {
	for name, next := range map[string]string{"another request": asksLonger, "the same one": askedForName} {
		for _, between := range []bool{false, true} {
			eachSEP2339(t, func(t *testing.T, o *onTask, poll string) {
				o.gives(poll, askedForName)
				o.answersAsked(given)
				if between {
					o.gives(poll, workingTask)
				}
				for range 3 {
					o.gives(poll, next)
				}
				o.wantTold(engine.EventInput, "", 2)
				o.answersAsked(givenLonger)
				if body := o.gives(poll, workingTask); !strings.Contains(body, givenLonger) {
					o.fatal("%s, between %v: sent %s", name, between, body)
				}
				o.gives(poll, endedTask)
				o.wantEnded()
			})
		}
	}
}

// Fault 737: over a reload too, in each place of it.
func TestFault737_OverAReload(t *testing.T) {
	for at := range 4 {
		eachSEP2339(t, func(t *testing.T, o *onTask, poll string) {
			reload := func(here int) {
				if at == here {
					o.store()
					o = o.reloads()
				}
			}
			o.gives(poll, askedForName)
			reload(0)
			o.answersAsked(given)
			o.store()
			o.sends(poll, askedForName, given, workingTask)
			reload(1)
			o.gives(poll, asksLonger)
			reload(2)
			o.gives(poll, asksLonger)
			reload(3)
			o.gives(poll, asksLonger)
			o.answersAsked(givenLonger)
			o.store()
			o.sends(poll, asksLonger, givenLonger, workingTask)
			o.gives(poll, endedTask)
			o.wantEnded()
		})
	}
}

// Fault 737: what a person has answered is no answer to what they were not shown: where the question has
// changed before it left, it is dropped, and told.
func TestFault737_AnAnswerIsOfOneQuestion(t *testing.T) {
	for _, died := range []bool{false, true} {
		eachSEP2339(t, func(t *testing.T, o *onTask, poll string) {
			o.gives(poll, askedForName)
			x, _ := o.asked(poll, 120_000)
			if died {
				o.json(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request), askedForName))
			}
			o.answersAsked(given)
			if died {
				x, _ = o.asked(poll, 120_000)
				if !strings.Contains(o.body(x), given) {
					o.fatal("sent %s", o.body(x))
				}
				o.End(x, engine.EndNetwork)
			}
			if body := o.gives(poll, asksLonger); strings.Contains(body, "inputResponses") {
				o.fatal("sent before it is known what is asked: %s", body)
			}
			o.wantBroken("answer_dropped", 1)
			o.wantTold(engine.EventInput, "", 2)
			if body := o.gives(poll, asksLonger); strings.Contains(body, "inputResponses") {
				o.fatal("sent to another question: %s", body)
			}
			o.answersAsked(givenLonger)
			o.sends(poll, asksLonger, givenLonger, workingTask)
			o.gives(poll, endedTask)
			o.wantEnded()
		})
	}
}

// Fault 737: an answer that has left, and of which nothing was heard, leaves once more where the server asks
// the same still, and not where it asks nothing any more; over a reload too.
func TestFault737_AnAnswerThatMayHaveArrived(t *testing.T) {
	for _, reloaded := range []bool{false, true} {
		for says, wants := range map[string]int{askedForName: 1, workingTask: 0, asksLonger: 0} {
			eachSEP2339(t, func(t *testing.T, o *onTask, poll string) {
				o.gives(poll, askedForName)
				o.answersAsked(given)
				o.store()
				x, _ := o.asked(poll, 120_000)
				if !strings.Contains(o.body(x), given) {
					o.json(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request), askedForName))
					x, _ = o.asked(poll, 120_000)
				}
				had := o.posted(given)
				if reloaded {
					o, had = o.reloads(), 0
				} else {
					o.End(x, engine.EndNetwork)
				}
				o.gives(poll, says)
				o.gives(poll, workingTask)
				if n := o.posted(given) - had; n != wants {
					o.fatal("reloaded %v, %s: the answer left %d times more", reloaded, says, n)
				}
				dropped := 0
				if says == asksLonger {
					dropped = 1
				}
				o.wantBroken("answer_dropped", dropped)
				o.gives(poll, endedTask)
				o.wantEnded()
			})
		}
	}
}

// Fault 737: the app answers what it was asked first, when it has been asked something else under that key:
// that is no answer to the second question, also from a form that is still open.
func TestFault737_AFormThatIsStillOpen(t *testing.T) {
	eachSEP2339(t, func(t *testing.T, o *onTask, poll string) {
		o.gives(poll, askedForName)
		first := o.lastInput()
		o.gives(poll, asksLonger)
		o.wantTold(engine.EventInput, "", 2)
		o.answersTo(first, given)
		o.wantBroken("answer_dropped", 1)
		if body := o.gives(poll, asksLonger); strings.Contains(body, "inputResponses") {
			o.fatal("sent %s", body)
		}
		o.answersAsked(givenLonger)
		o.sends(poll, asksLonger, givenLonger, workingTask)
		o.gives(poll, endedTask)
		o.wantEnded()
	})
}

// Fault 737: the extension's keys are of the task's life, as they were.
func TestFault737_TheExtensionsKeysAreForLife(t *testing.T) {
	o := newExtension(newRig(t, modernDisk))
	o.gives("tasks/get", askedForName)
	o.answersAsked(given)
	o.gives("tasks/update", `{}`)
	o.gives("tasks/get", asksLonger)
	o.gives("tasks/get", askedForName)
	o.wantTold(engine.EventInput, "", 1)
	o = o.reloads()
	o.gives("tasks/get", asksLonger)
	o.wantTold(engine.EventInput, "", 0)
}

// Fault 737: the same of a round of 2026-07-28: what answers the one before is no answer to it.
func TestFault737_ASecondAnswerToARound(t *testing.T) {
	r := newRig(t, mcp.Config{Revision: "2026-07-28", NoListen: true})
	r.Start()
	r.json(r.Newest(), coretest.Result(coretest.RequestID(r.Exchange(r.Newest()).Request),
		`{"supportedVersions":["2026-07-28"],"capabilities":{}}`))
	o := &onTask{r.post("tools/call")}
	round := func(asks string) {
		x := o.Newest()
		o.json(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request), asks))
	}
	round(`{"resultType":"input_required",` + asksName + `}`)
	first := o.lastInput()
	o.answersTo(first, given)
	round(strings.Replace(`{"resultType":"input_required",`+asksName+`}`, `"?"`, `"longer please"`, 1))
	o.answersTo(first, given)
	o.wantBroken("answer_dropped", 1)
	o.answersAsked(givenLonger)
	if body := o.body(o.Newest()); !strings.Contains(body, givenLonger) {
		o.fatal("sent %s", body)
	}
}
