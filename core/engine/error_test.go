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
