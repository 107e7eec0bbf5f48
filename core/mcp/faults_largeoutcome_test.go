package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// large is a page whose call has a large result, and what the app was handed of it.
type large struct {
	solo
	text   string
	handed []string
}

func newLarge(t *testing.T) *large {
	l := &large{solo: newSolo(t, mcp.CallOptions{Connected: true})}
	l.land()
	l.text = `{"content":[{"type":"text","text":"` + strings.Repeat("large ", 20_000) + `"}]}`
	return l
}

// read notes outcomes: what look counts, and their data.
func (l *large) read() {
	for _, e := range l.Effects {
		if e.Kind == engine.Settle && e.C == l.call {
			l.handed = append(l.handed, string(e.Data))
		}
	}
	l.look()
}

func (l *large) result() string {
	return coretest.Result(coretest.RequestID(l.Exchange(l.Newest()).Request), l.text)
}

// stream answers with an event that comes in several chunks, and goes on for a while.
func (l *large) stream() {
	x := l.Newest()
	event := "data: " + l.result() + "\n\n"
	l.Head(x, 200, "content-type", "text/event-stream")
	for len(event) > 0 {
		n := min(len(event), 50_000)
		l.Chunk(x, event[:n])
		l.read()
		event = event[n:]
	}
	other := "data: " + strings.Repeat("x", 150_000)
	l.Chunk(x, other[:70_000])
	l.Chunk(x, other[70_000:]+"\n\n")
	l.End(x, engine.EndClean)
	l.read()
}

// body answers with a JSON body.
func (l *large) body() {
	x := l.Newest()
	text := l.result()
	l.Head(x, 200, "content-type", "application/json")
	l.Chunk(x, text[:50_000])
	l.Chunk(x, text[50_000:])
	l.End(x, engine.EndClean)
	l.read()
}

// Fault 380 for a large outcome: it is handed over before it is stored as a small one is, and kept
// without a copy. What is stored of it later is what has come, whatever came on its stream
// after it; and one that the app has had is never written.
func TestFault380_LargeOutcome(t *testing.T) {
	for how, answer := range map[string]func(l *large){"stream": (*large).stream, "body": (*large).body} {
		for _, row := range []struct {
			name    string
			before  func(l *large)
			stored  int
			outcome string // how the next page hears of the call
		}{
			{"crash at once", func(*large) {}, 1, "outcome_unknown"},
			{"crash after 250 ms", func(l *large) { l.pass(250); l.land() }, 1, "result"},
			{"acknowledged, crash after 250 ms", func(l *large) { l.solo.handed(); l.pass(250); l.land() }, 0,
				""},
			{"left", func(l *large) { l.hide() }, 1, "result"},
			{"another tab comes", func(l *large) { l.alone(false); l.land() }, 1, "result"},
			{"closed", func(l *large) { l.do("close", (*mcp.Client).Close) }, 1, "result"},
		} {
			t.Run(how+", "+row.name, func(t *testing.T) {
				l := newLarge(t)
				answer(l)
				if len(l.handed) != 1 || l.handed[0] != l.text || l.Store.Flying() != 0 {
					t.Fatalf("the app was handed %d outcomes, and commit %d is under way", len(l.handed),
						l.Store.Flying())
				}
				row.before(l)
				if got := l.stored(); got != row.stored {
					t.Errorf("%d calls are stored, want %d", got, row.stored)
				}
				n := 0
				for _, call := range l.Store.Calls() {
					for _, row := range l.Store.Rows(call) {
						n += strings.Count(string(row.Plain), l.text)
					}
				}
				if want := map[string]int{"result": 1}[row.outcome]; n != want {
					t.Errorf("the result is stored %d times, want %d", n, want)
				}
				l.next()
				if got := strings.Join(l.told, " "); got != row.outcome {
					t.Errorf("the next page hears %q, want %q", got, row.outcome)
				}
			})
		}
	}
}

// A page that is slow to have a large outcome has it, whether the store has room for that or not.
func TestFault380_LargeOutcomeWithoutRoom(t *testing.T) {
	l := newLarge(t)
	l.stream()
	l.pass(250)
	l.Stored(journal.ResultQuota, 0)
	l.look()
	l.land()
	l.solo.handed()
	l.land()
	if len(l.handed) != 1 || l.handed[0] != l.text {
		t.Errorf("the app was handed %d outcomes", len(l.handed))
	}
}
