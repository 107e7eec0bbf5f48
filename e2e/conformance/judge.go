//go:build !js

package conformance

import (
	"fmt"
	"slices"
)

// check is one entry of a scenario's checks.json.
type check struct {
	ID           string `json:"id"`
	Status       string `json:"status"`
	Description  string `json:"description"`
	ErrorMessage string `json:"errorMessage"`
}

// ending says how the client under test ended.
type ending struct {
	// done: the page did all of its steps.
	done bool
	// reason says why it did not.
	reason string
	// timedOut: the page, or the suite, did not come to an end by itself.
	timedOut bool
	// spoke is the revision that the client came to, if any.
	spoke string
}

// Verdict is the judgement of one run.
type Verdict struct {
	Passed bool
	Why    string // it did not pass
}

// and is the verdict on a run that was made once more, in that interaction: it passes if both do.
func (v Verdict) and(once Verdict, interaction string) Verdict {
	if once.Passed {
		return v
	}
	why := once.Why
	if interaction != "" {
		why = interaction + ": " + why
	}
	if v.Why != "" {
		why = v.Why + "; " + why
	}
	return Verdict{Why: why}
}

// judge decides whether a run passes: at least one check succeeded, none failed
// and none warns, nothing timed out, and the client came to a good end (or may
// fail). The suite alone asks for no success: with it the program true passes
// initialize. Nor does each of its servers mind the old wire where the new one is
// to be judged; an older revision than the one asked for is fine otherwise.
func judge(r Run, checks []check, end ending, mayFail bool) Verdict {
	why := ""
	switch failed := worst(checks); {
	case failed != nil:
		why = failed.ID + ": " + failed.message()
	case r.Revision == july2026 && end.spoke != "" && end.spoke != july2026:
		return Verdict{Why: "the client spoke " + end.spoke}
	case end.timedOut:
		return Verdict{Why: "timeout: " + end.reason}
	case !end.done && !mayFail:
		return Verdict{Why: "the client failed: " + end.reason}
	case !slices.ContainsFunc(checks, func(c check) bool { return c.Status == "SUCCESS" }):
		why = fmt.Sprintf("none of %d checks succeeded", len(checks))
	default:
		return Verdict{Passed: true}
	}
	if !end.done {
		why += " [client: " + end.reason + "]"
	}
	return Verdict{Why: why}
}

// worst is the first check that failed, or else the first that warns.
func worst(checks []check) *check {
	for _, status := range []string{"FAILURE", "WARNING"} {
		if i := slices.IndexFunc(checks, func(c check) bool { return c.Status == status }); i >= 0 {
			return &checks[i]
		}
	}
	return nil
}

func (c *check) message() string {
	if c.ErrorMessage != "" {
		return c.ErrorMessage
	}
	return c.Description
}
