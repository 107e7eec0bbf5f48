//go:build !js

package conformance

import (
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	success := check{ID: "a", Status: "SUCCESS"}
	info := check{ID: "b", Status: "INFO"}
	skipped := check{ID: "c", Status: "SKIPPED"}
	failure := check{ID: "d", Status: "FAILURE", Description: "does d", ErrorMessage: "did not"}
	warning := check{ID: "e", Status: "WARNING", Description: "should e"}
	done := ending{done: true, spoke: november2025}
	gaveUp := ending{reason: "rpc_error: no", spoke: november2025}

	for _, c := range []struct {
		what    string
		checks  []check
		end     ending
		mayFail bool
		why     string // what the reason begins with; "" if it passes
	}{
		{"a success", []check{success, info, skipped}, done, false, ""},
		{"nothing at all", nil, done, false, "none of 0 checks"},
		{"nothing but notes", []check{info, skipped}, done, true, "none of 2 checks"},
		{"a failure", []check{success, warning, failure}, done, false, "d: did not"},
		{"a warning", []check{success, warning}, done, false, "e: should e"},
		{"a client that failed", []check{success}, gaveUp, false, "the client failed: rpc_error"},
		{"a client that may fail", []check{success}, gaveUp, true, ""},
		{"one that hung", []check{success}, ending{timedOut: true}, true, "timeout"},
		{"both reasons", []check{failure}, gaveUp, false, "d: did not [client: rpc_error: no]"},
	} {
		got := judge(Run{"tools_call", november2025}, c.checks, c.end, c.mayFail)
		if got.Passed != (c.why == "") || !strings.HasPrefix(got.Why, c.why) {
			t.Errorf("%s: %+v", c.what, got)
		}
	}

	if got := judge(Run{"tools_call", july2026}, []check{success}, done, true); got.Passed {
		t.Error("a pass on the new wire for a client that spoke the old one")
	}
	if got := judge(Run{"sse-retry", november2025}, []check{success}, ending{done: true, spoke: march2025},
		false); !got.Passed {
		t.Errorf("a client may give way to an older revision: %+v", got)
	}
}

func TestARunPassesInAllInteractions(t *testing.T) {
	pass, fail := Verdict{Passed: true}, Verdict{Why: "d: did not"}
	for _, c := range []struct{ popup, redirect, want Verdict }{
		{pass, pass, pass},
		{pass, fail, Verdict{Why: "redirect: d: did not"}},
		{fail, pass, Verdict{Why: "popup: d: did not"}},
		{fail, fail, Verdict{Why: "popup: d: did not; redirect: d: did not"}},
	} {
		if got := (Verdict{Passed: true}).and(c.popup, "popup").and(c.redirect, "redirect"); got != c.want {
			t.Errorf("%+v", got)
		}
	}
	if got := (Run{"auth/wif-jwt-bearer", july2026}).interactions(); len(got) != 1 {
		t.Errorf("a program signs in by %q", got)
	}
	if got := (Run{"auth/basic-cimd", july2026}).interactions(); len(got) != 2 {
		t.Errorf("a person signs in by %q", got)
	}
}
