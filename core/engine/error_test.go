package engine

import "testing"

// TestUnanswered: fetch has failed, has said why, and there was no answer.
func TestUnanswered(t *testing.T) {
	why := &Error{Code: CodeNetwork, Message: "Failed to fetch"}
	for name, test := range map[string]struct {
		failure Error
		want    bool
	}{
		"a safe request":             {Error{Code: CodeNetwork, Cause: why}, true},
		"one that may have run":      {Error{Code: CodeOutcomeUnknown, Cause: why}, true},
		"nothing was said":           {Error{Code: CodeOutcomeUnknown}, false},
		"there was an answer":        {Error{Code: CodeOutcomeUnknown, Status: 502, Cause: why}, false},
		"another failure, and cause": {Error{Code: CodeUnauthorized, Cause: why}, false},
	} {
		if got := test.failure.Unanswered(); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestOfPage: what is over is the page, or its hold of the session.
func TestOfPage(t *testing.T) {
	for code, want := range map[Code]bool{
		CodeClosed: true, CodeElsewhere: true, CodeNetwork: false, CodeOutcomeUnknown: false, CodeLost: false,
		CodeCancelled: false,
	} {
		if got := (&Error{Code: code}).OfPage(); got != want {
			t.Errorf("%s: %v", code, got)
		}
	}
}
