//go:build !js

package e2e

import (
	"bytes"
	"regexp"
	"testing"
)

// A revision of MCP as it is written in code, and what compares by one: a constant that
// holds one, or an operator beside a revision.
var (
	quotedRevision   = regexp.MustCompile("[\"'`]20[0-9]{2}-[0-9]{2}-[0-9]{2}[\"'`]")
	comparedRevision = regexp.MustCompile(
		`(?i)\brevision\b\s*(?:[<>]=?|[!=]==?)|(?:[<>]=?|[!=]==?)\s*(?:[a-z_.#]+\.)?revision\b`)
	undefinedRevision = regexp.MustCompile(`\brevision\b\s*[!=]==?\s*undefined\b`)
	commentedScript   = regexp.MustCompile(`(?s)/\*.*?\*/|(?m)(?:^|\s)//[^\n]*$`)
)

// sentRevisions are the files that name a revision to send it, or to read what was stored.
var sentRevisions = map[string]bool{
	// a harmless value of MCP-Protocol-Version, for a probe, and the revision of HTTP+SSE, for a hint
	"web/src/diagnosis/fields.ts": true,
	// the one request of its own that says one, by which a server is looked at
	"web/packages/doctor/doctor.ts":      true,
	"web/src/recorder/words.ts":          true, // what a trace keeps as it is
	"web/packages/testing/testserver.ts": true, // the one that the server of an app's tests speaks
}

// byRevision returns the lines of a script that go by the name of a revision.
func byRevision(text []byte) []string {
	var found []string
	for line := range bytes.Lines(commentedScript.ReplaceAll(text, nil)) {
		if quotedRevision.Match(line) || comparedRevision.Match(undefinedRevision.ReplaceAll(line, nil)) {
			found = append(found, string(bytes.TrimSpace(line)))
		}
	}
	return found
}

// TestHouseNamesNoRevision: what a revision means for a client is a row of the table in
// core/mcp/wire; TypeScript goes by the facts that come with a connection.
func TestHouseNamesNoRevision(t *testing.T) {
	t.Parallel()
	for _, file := range sources(t) {
		if !file.under("web/src", "web/packages") || !bytes.HasSuffix([]byte(file.path), []byte(".ts")) ||
			sentRevisions[file.path] {
			continue
		}
		for _, line := range byRevision(file.text) {
			t.Errorf("%s goes by the name of a revision, which the core's table is for (mcp.Facts): %s",
				file.path, line)
		}
	}
}

// TestHouseNamesNoRevisionSees: the rule above sees what was there, and lets alone what is no comparison.
func TestHouseNamesNoRevisionSees(t *testing.T) {
	t.Parallel()
	for text, seen := range map[string]bool{
		`const MODERN = "2026-07-28";`:                               true,
		`if (this.revision >= MODERN) await this.watch(uris);`:       true,
		`const modern = revision >= "2026-07-28";`:                   true,
		"switch (this.revision) { case `2025-11-25`: break; }":       true,
		`if (newest !== client.revision) return;`:                    true,
		`if (options.revision === undefined) await note(made);`:      false,
		`// Since 2026-07-28 "each" asks for itself.`:                false,
		`/** The protocol revision in use, such as "2025-11-25". */`: false,
		`readonly revision: string;`:                                 false,
		`this.revision = revision;`:                                  false,
	} {
		if found := byRevision([]byte(text)); len(found) > 0 != seen {
			t.Errorf("%s: found %q", text, found)
		}
	}
}
