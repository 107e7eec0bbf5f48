//go:build !js

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestReadmeReload runs the README's second example as it is written, and
// reloads its page in the middle of the call.
func TestReadmeReload(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```js\n(.*?)```").FindAllSubmatch(text, -1)
	if len(examples) != 2 {
		t.Fatalf("the README has %d examples in JavaScript", len(examples))
	}
	site := sdkSite(t)
	script := strings.NewReplacer(`"holdfast"`, `"/holdfast.mjs"`, `https://example.com/mcp`, site.URL+"/mcp").Replace(string(examples[1][1]))
	imported, rest, _ := strings.Cut(script, "\n")
	page := chrome.Open(t, site.Page("/app", imported+`
		document.body.append(document.createElement("button"));
		`+rest+`
		window.ready = true;`))
	page.WaitFor(`window.ready`)
	page.Click("button")
	eventually(t, "the seventh number", func() bool { return slices.Contains(page.Console(), "log: 7 of 20") })
	page.Reload()
	eventually(t, "the result", func() bool { return slices.Contains(page.Console(), "log: Counted to 20.") })
	var want []string
	for i := 1; i <= 20; i++ {
		want = append(want, fmt.Sprintf("log: %d of 20", i))
	}
	want = append(want, "log: Counted to 20.")
	lines := page.Console()
	if got := lines[max(0, len(lines)-len(want)):]; !slices.Equal(got, want) {
		t.Errorf("after the reload the example prints\n%s", strings.Join(got, "\n"))
	}
}
