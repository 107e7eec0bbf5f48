//go:build !js

package conformance

import (
	"fmt"
	"maps"
	"os/exec"
	"regexp"
	"slices"
)

// listed matches a line of one of the suite's lists of scenarios.
var listed = regexp.MustCompile(`(?m)^\s+- (\S+) \[`)

// checkList makes sure that the table of scenarios is the suite's: a newer
// suite could have others, which would go untried in silence.
func (s suite) checkList() error {
	names, err := s.list("--client")
	if err != nil {
		return err
	}
	theirs := map[string]bool{}
	for _, name := range names {
		theirs[name] = true
	}
	for _, ours := range scenarios {
		if !theirs[ours.name] {
			return fmt.Errorf("the suite has no scenario %s", ours.name)
		}
		delete(theirs, ours.name)
	}
	if len(theirs) > 0 {
		return fmt.Errorf("scenarios of the suite that scenario.go does not have: %v",
			slices.Sorted(maps.Keys(theirs)))
	}
	return nil
}

// list are the names of the suite's scenarios of one side, --client or --server.
func (s suite) list(side string) (names []string, err error) {
	out, err := exec.Command(s.node, s.script, "list", side).Output()
	if err != nil {
		return nil, fmt.Errorf("asking the suite for its scenarios: %w", err)
	}
	for _, line := range listed.FindAllStringSubmatch(string(out), -1) {
		names = append(names, line[1])
	}
	return names, nil
}
