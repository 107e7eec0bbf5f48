//go:build !js

package conformance

import (
	"fmt"
	"maps"
	"os/exec"
	"regexp"
	"slices"
)

// listed matches a line of the suite's list of client scenarios.
var listed = regexp.MustCompile(`(?m)^\s+- (\S+) \[`)

// checkList makes sure that the table of scenarios is the suite's: a newer
// suite could have others, which would go untried in silence.
func (s suite) checkList() error {
	out, err := exec.Command(s.node, s.script, "list", "--client").Output()
	if err != nil {
		return fmt.Errorf("asking the suite for its scenarios: %w", err)
	}
	theirs := map[string]bool{}
	for _, line := range listed.FindAllStringSubmatch(string(out), -1) {
		theirs[line[1]] = true
	}
	for _, ours := range scenarios {
		if !theirs[ours.name] {
			return fmt.Errorf("the suite has no scenario %s", ours.name)
		}
		delete(theirs, ours.name)
	}
	if len(theirs) > 0 {
		return fmt.Errorf("scenarios of the suite that scenario.go does not have: %v", slices.Sorted(maps.Keys(theirs)))
	}
	return nil
}
