//go:build !js

package conformance

import (
	"errors"
	"strings"
	"testing"
)

func TestJudgeServer(t *testing.T) {
	of := func(statuses ...string) (all []check) {
		for _, status := range statuses {
			all = append(all, check{ID: "id", Status: status, Description: "described"})
		}
		return all
	}
	for _, v := range []struct {
		name   string
		checks []check
		exit   error
		why    string // empty: it passes
	}{
		{"passes", of("SUCCESS", "SKIPPED", "INFO"), nil, ""},
		{"fails", of("SUCCESS", "FAILURE"), nil, "id: described"},
		{"warns", of("SUCCESS", "WARNING"), nil, "id: described"},
		{"exits badly", of("SUCCESS"), errors.New("exit status 1"), "exit status 1"},
		{"is skipped", of("SKIPPED", "SKIPPED"), nil, "skipped: described"},
		{"says nothing", of("INFO"), nil, "none of 1 checks"},
		{"does nothing", of(), nil, "none of 0 checks"},
	} {
		got := judgeServer(v.checks, v.exit)
		if got.Passed != (v.why == "") || !strings.Contains(got.Why, v.why) {
			t.Errorf("%s: %+v", v.name, got)
		}
	}
}
