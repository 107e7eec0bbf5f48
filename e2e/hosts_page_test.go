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

// saidUnavailable finds what is said of a host that cannot be had, and saidThere the
// parts of it that are the same each time.
var (
	saidUnavailable = regexp.MustCompile("unavailable\\((?:\"([^\"]+)\"|`([^\n]+?)`[,)])")
	saidThere       = regexp.MustCompile(`\$\{(?:[^{}]|\{[^{}]*\}|\$)*\}`)
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
	for _, file := range sources(t) {
		if !file.under("web/src/host") {
			continue
		}
		for _, m := range saidUnavailable.FindAllStringSubmatch(string(file.text), -1) {
			reasons++
			words, _, _ := strings.Cut(saidThere.ReplaceAllString(m[1]+m[2], "\n"), "\n")
			if words = strings.TrimSpace(words); words == "" || words == "the worker at" {
				words = strings.TrimSpace(strings.Split(saidThere.ReplaceAllString(m[1]+m[2], "\n"), "\n")[1])
			}
			if !strings.Contains(page, words) {
				t.Errorf("%s says nothing of a host that cannot be had since %q", hostsPage, words)
			}
		}
	}
	if reasons < 8 {
		t.Errorf("%d reasons are found: the test is blind", reasons)
	}
}
