//go:build !js

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestAPIPageReload runs the second example of docs/api.md as it is written, and
// reloads its page in the middle of the call.
func TestAPIPageReload(t *testing.T) {
	t.Parallel()
	site := sdkSite(t)
	imported, rest, _ := strings.Cut(apiScripts(t, site)[1], "\n")
	page := chrome.OpenWindow(t, site.Page("/app", imported+`
		document.body.append(document.createElement("button"));
		`+rest+`
		window.ready = true;`))
	page.WaitFor(`window.ready`)
	page.Click("button")
	eventually(t, "the seventh number",
		func() bool { return slices.Contains(page.Console(), "log: 7 of 20") })
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
