//go:build !js

package e2e

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// rests looks for secrets in what rests in plain, and in what was said on the channel of the sign-ins.
func (s *signIns) rests() {
	s.t.Helper()
	known := s.secrets()
	pages := []*chrome.Page{s.listener}
	for _, tab := range s.tabs {
		if s.has(tab) != "away" {
			pages = append(pages, tab.page)
		}
	}
	for i, page := range pages {
		shown, err := chrome.TryEval[map[string]string](page, resting)
		if err != nil {
			continue // it has left for a sign-in
		}
		if i == 0 {
			shown["channel"] = chrome.Eval[string](page, `heard.join("\n")`)
		}
		for where, text := range shown {
			if found := known.in([]byte(text)); len(found) > 0 {
				s.t.Errorf("%s shows %q", where, found)
				s.plain += len(found)
			}
		}
	}
}

// judges compares what pages were told with what the server knows.
func (s *signIns) judges() {
	s.t.Helper()
	notes := notesOf(s.listener)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stray := range s.strays {
		s.t.Error(stray)
		s.strangers++
	}
	for label, call := range s.calls {
		s.signInTally.calls++
		var own, ends []string
		isMade, isTwice := false, false
		told := map[string]int{} // by page
		for _, n := range notes {
			if n.Label != label {
				continue
			}
			own = append(own, fmt.Sprintf("%+v", n))
			isMade = isMade || n.Made
			if n.User != call.user {
				s.t.Errorf("%s was shown to %s", label, n.User)
				s.strangers++
			}
			if n.ends() {
				told[n.Page]++
				if !slices.Contains(ends, n.Told) {
					ends = append(ends, n.Told)
				}
			}
			isTwice = isTwice || n.Again || told[n.Page] > 1
		}
		ran := s.ran[label]
		var wrong []string
		if isTwice {
			wrong = append(wrong, "was told twice")
			s.twice++
		}
		if len(ran) > 1 || s.Oracle().Runs(label) > 1 {
			wrong = append(wrong, "ran again")
			s.again++
		}
		if slices.ContainsFunc(ran, func(user string) bool { return user != call.user }) {
			wrong = append(wrong, "ran as somebody else")
			s.strangers++
		}
		if len(ends) == 0 && isMade && !call.deleted {
			wrong = append(wrong, "is lost")
			s.lost++
		}
		isFalse := slices.Contains(ends, "result") && len(ran) == 0 ||
			slices.Contains(ends, "unsent") && len(ran) > 0
		if len(ends) > 1 || isFalse {
			wrong = append(wrong, "was told what is not so")
		}
		for _, end := range ends {
			// A server that refuses what somebody has just signed in for has nobody asked again.
			isRefused := end == "unauthorized" && len(ran) == 0
			if end != "result" && end != "unsent" && end != "outcome_unknown" && !isRefused {
				wrong = append(wrong, "ended with "+end)
			}
		}
		if len(wrong) > 0 {
			s.t.Errorf("%s %s: ran as %v, %+v\n\t%s",
				label, strings.Join(wrong, ", "), ran, *call, strings.Join(own, "\n\t"))
		}
		if len(ends) == 0 {
			ends = []string{map[bool]string{true: "forgotten", false: "not kept"}[call.deleted]}
		}
		s.told[strings.Join(ends, " and ")]++
	}
}
