//go:build !js

package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// hostsPage is the guide to the hosts.
const hostsPage = "docs/hosts.md"

// hostChoice and hostStarts have what is said of a host that cannot be had, hostReasons the names of the
// reasons.
const (
	hostChoice  = "web/src/host/choose/choice.ts"
	hostStarts  = "web/src/host/page/noworker.ts"
	hostReasons = "web/src/base/host.ts"
)

// saidUnavailable finds the words, saidThere what differs each time, and
// hostReason the names.
var (
	saidUnavailable = regexp.MustCompile("(?:text: .*=> |return )(?:\"([^\"\n]+)\"|`([^`\n]+)`)")
	saidThere       = regexp.MustCompile(`\$\{[^{}]*\}?`)
	hostReason      = regexp.MustCompile(`(?m)^  \| "([a-z_]+)"`)
)

// TestHouseHostsPage: every test that docs/hosts.md names is one, every file is there,
// and the page explains every reason why a host cannot be had.
func TestHouseHostsPage(t *testing.T) {
	t.Parallel()
	page, bodies := read(t, "../"+hostsPage), testBodies(t)
	names := matrixName.FindAllStringSubmatch(page, -1)
	if len(names) < 20 {
		t.Errorf("%s names %d tests", hostsPage, len(names))
	}
	for _, m := range names {
		if _, ok := bodies[m[1]]; !ok {
			t.Errorf("%s names %s, and there is no such test", hostsPage, m[1])
		}
	}
	for _, m := range pageFile.FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat("../" + m[1]); err != nil {
			t.Errorf("%s names %s: %v", hostsPage, m[1], err)
		}
	}
	reasons := 0
	for _, m := range saidUnavailable.FindAllStringSubmatch(
		read(t, "../"+hostChoice)+read(t, "../"+hostStarts), -1) {
		reasons++
		for _, words := range saidThere.Split(m[1]+m[2], -1) {
			if words = strings.Trim(words, " :"); len(words) > len("the worker at") &&
				!strings.Contains(page, words) {
				t.Errorf("%s says nothing of a host that cannot be had since %q", hostsPage, words)
			}
		}
	}
	for _, m := range hostReason.FindAllStringSubmatch(read(t, "../"+hostReasons), -1) {
		if !strings.Contains(page, "`"+m[1]+"`") {
			t.Errorf("%s does not explain the reason %s", hostsPage, m[1])
		}
	}
	if reasons < 8 {
		t.Errorf("%d reasons are found: the test is blind", reasons)
	}
}
