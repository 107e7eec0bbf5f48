//go:build !js

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/demosite"
)

// axe is a script that checks a page's names, roles, contrast and order.
func axe(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("..", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// accessible checks the page, and the frames in it, against WCAG 2.2 A and AA and axe's best practices.
func accessible(t *testing.T, page *chrome.Page, when string) {
	t.Helper()
	found := chrome.Script[[]string](page, `
		const { violations } = await axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
		return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, any }) => id + ": " + help + ": " + target.join(" ") + " " + (any[0]?.message ?? "")));`)
	for _, violation := range found {
		t.Errorf("%s: %s", when, violation)
	}
}

// TestStoryDemoAccessible: the demo's pages pass axe's rules, in light and in dark; the first one while it
// counts and at its end as well.
func TestStoryDemoAccessible(t *testing.T) {
	t.Parallel()
	script := axe(t)
	_, url := newDemo(t, demosite.Options{})
	page := chrome.OpenWindow(t, url+"/")
	load :=
		func() {
			chrome.Eval[chrome.Void](page, strings.TrimSuffix(strings.TrimSpace(script), ";")+
				"; void 0")
		}
	page.WaitFor(`+` + partOf("official", "number") + `?.textContent > 2`)
	load()
	accessible(t, page, "counting")
	stageIs(page, "ended")
	for _, dark := range []bool{false, true} {
		page.Viewport(390, 800, dark)
		accessible(t, page, map[bool]string{false: "ended", true: "ended, dark"}[dark])
	}
	for _, name := range []string{"official", "holdfast"} {
		if got := chrome.Eval[string](page, hook(name)+`.querySelector("iframe").title`); !strings.HasPrefix(
			got, "A page with ") {
			t.Errorf("the frame of %s is called %q", name, got)
		}
	}
}

// TestStoryDemoAccessiblePages: the same of the second pages.
func TestStoryDemoAccessiblePages(t *testing.T) {
	long(t)
	t.Parallel()
	script := axe(t)
	_, url := newDemo(t, demosite.Options{})
	for path, isThere := range map[string]string{
		inspectorPath:       hook("state") + `?.dataset.state === "open" && !` + hook("guide-run") + `.disabled`,
		"/demo/agent.html":  hook("agent-state") + `?.dataset.state === "idle"`,
		"/demo/signin.html": `document.readyState === "complete"`,
	} {
		t.Run(path, func(t *testing.T) {
			page := chrome.OpenWindow(t, url+path)
			page.WaitFor(isThere)
			chrome.Eval[chrome.Void](page, strings.TrimSuffix(strings.TrimSpace(script), ";")+"; void 0")
			for _, dark := range []bool{false, true} {
				page.Viewport(1280, 900, dark)
				accessible(t, page, map[bool]string{false: "light", true: "dark"}[dark])
			}
		})
	}
}
