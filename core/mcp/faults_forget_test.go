package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Fault 121: another page forgets all that is stored, or the user deletes it, after
// every input of a call's life, on the page that made the call and on one that has
// not gone on with it yet; what that page has under way lands before, and it hears of
// that late, or is refused. Nothing is written any more, whatever comes; the app is
// told so once. A call that has left is read to its stream's end, and one that has not is unsent (fault 718).
func TestFault121_ForgottenAtEveryInput(t *testing.T) {
	whole := newJourney(t, 0, 1, 1<<20)
	inputs := 0
	for whole.tick() {
		inputs++
	}
	ends := map[string]int{}
	for at := range inputs {
		for _, restored := range []bool{false, true} {
			for _, landed := range []bool{false, true} {
				j := newJourney(t, 0, 1, 1<<20)
				for range at {
					j.tick()
				}
				if restored {
					for j.Store.Flying() != 0 {
						j.stored(journal.ResultOK, 0)
					}
					j.reload()
					j.todo, j.flew = nil, 0
				}
				from := len(j.Log())
				j.storeForgotten(landed)
				j.storeIsBack()
				j.storeForgotten(landed) // by another page, too
				if restored {
					j.Start()
				}
				if e := j.errands[0]; e.page == nil {
					ends["gone"]++ // its head had not landed
				} else {
					ends[j.finishes()]++
				}
				told, _, _ := strings.Cut(j.Log()[from:], "> reload")
				if strings.Contains(told, "  store ") || len(j.Store.Calls()) > 0 {
					j.fatal("forgotten at input %d: it stores", at)
				}
				if n := strings.Count(told, `"durability"`); n != 1 ||
					!strings.Contains(told, `{"durability":"memory","why":"closed"}`) {
					j.fatal("forgotten at input %d: the app is told %d times where its calls are kept", at, n)
				}
			}
		}
	}
	t.Logf("%d inputs: %v", inputs, ends)
	// What is asked behind the logout nobody answers, and a cut nobody resumes.
	if ends["lost"] > 0 || ends["result"] == 0 || ends["unsent"] == 0 {
		t.Errorf("calls end as %v", ends)
	}
}
