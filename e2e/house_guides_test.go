//go:build !js

package e2e

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// guides are the pages for those who use Holdfast and not yet work on it.
func guides(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("../docs/guide/*.md")
	if err != nil || len(pages) < 9 {
		t.Fatalf("%d pages of the guide: %v", len(pages), err)
	}
	for _, page := range []string{"docs/servers.md", "docs/idempotency.md", "docs/api.md", "docs/promises.md",
		"docs/project.md", "README.md", "CHANGELOG.md", "SECURITY.md"} {
		if _, err := os.Stat("../" + page); err == nil {
			pages = append(pages, "../"+page)
		}
	}
	return pages
}

// widest is how many columns a line of these pages has at most: people read them as they are.
const widest = 100

var (
	guideLink  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	shownBy    = regexp.MustCompile("\\[`(Test\\w+)(?:/[^`]*)?`\\](?:[^(:]|$)")
	defined    = regexp.MustCompile("(?m)^\\[`(Test\\w+)`\\]: (\\S+)$")
	heading    = regexp.MustCompile("(?m)^#+ (.+)$")
	anchor     = regexp.MustCompile(`<a id="([^"]+)"></a>`)
	notInASlug = regexp.MustCompile("[^a-z0-9_ -]")
	codeBlock  = regexp.MustCompile("(?ms)^```.*?^```$")
)

// slugs are the names by which GitHub links to the headings of a page, and to its anchors.
func slugs(text string) []string {
	var names []string
	for _, m := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		names = append(names, strings.ReplaceAll(notInASlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ",
			"-"))
	}
	for _, m := range anchor.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// TestHouseGuides: a line of these pages is no wider than a screen, a link leads to a page
// that is there and to a heading that it has, and a test that shows what is claimed is linked
// to the file which has it.
func TestHouseGuides(t *testing.T) {
	t.Parallel()
	tests := 0
	for _, page := range guides(t) {
		text := read(t, page)
		at := 0
		for line := range strings.Lines(text) {
			at++
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > widest {
				t.Errorf("%s:%d has %d columns", page, at, n)
			}
		}
		prose := codeBlock.ReplaceAllString(text, "")
		for _, m := range guideLink.FindAllStringSubmatch(prose, -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, ":") {
				continue
			}
			target := page
			if file != "" {
				target = path.Join(path.Dir(page), file)
			}
			info, err := os.Stat(target)
			if err != nil {
				t.Errorf("%s: a link to %s leads nowhere", page, m[1])
				continue
			}
			if anchor != "" && !info.IsDir() && !slices.Contains(slugs(read(t, target)), anchor) {
				t.Errorf("%s: %s has no such heading: it has %v", page, m[1], slugs(read(t, target)))
			}
		}
		links := map[string]string{}
		for _, m := range defined.FindAllStringSubmatch(text, -1) {
			links[m[1]] = m[2]
			file, err := os.ReadFile(path.Join(path.Dir(page), m[2]))
			if err != nil {
				t.Errorf("%s: %v", page, err)
			} else if text := string(file); !strings.Contains(text, "\nfunc "+m[1]+"(t *testing.T)") &&
				!strings.Contains(text, "\ntest(\""+m[1]+"\"") {
				t.Errorf("%s: there is no %s in %s", page, m[1], m[2])
			}
		}
		for _, m := range shownBy.FindAllStringSubmatch(prose, -1) {
			tests++
			if links[m[1]] == "" {
				t.Errorf("%s names %s, and does not link to it", page, m[1])
			}
		}
	}
	if tests < 50 {
		t.Errorf("the pages name %d tests", tests)
	}
}

// TestHouseTroubleshooting: the page has each code of an error, and no other.
func TestHouseTroubleshooting(t *testing.T) {
	t.Parallel()
	codes := append(unionMembers(t, "web/src/base/border.ts", "CoreErrorCode"),
		unionMembers(t, "web/src/base/errors.ts", "ErrorCode")...)
	slices.Sort(codes)
	if explained := found(t, "docs/guide/troubleshooting.md", "(?m)^### `(\\w+)`$"); !slices.Equal(
		explained, codes) {
		t.Errorf("the page explains\n%v, the codes are\n%v", explained, codes)
	}
}
