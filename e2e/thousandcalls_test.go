//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestStoryThousandCallsLeaveNothing: a thousand calls that are kept, and whose results the app has, leave
// the store as it was, in either host; and so does a second thousand.
func TestStoryThousandCallsLeaveNothing(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"page", "shared"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			site := sdkSite(t)
			page := chrome.Open(t, site.Page("/app", appScript))
			page.WaitFor(`window.holdfast`)
			stored := func() [3]int {
				return chrome.Script[[3]int](page,
					`const { calls, rows, bytes } = await mcp.stored(); return [calls, rows, bytes];`)
			}
			chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect("/mcp", { host: "`+host+
				`" }); await mcp.callTool("add", { a: 1, b: 1 }).result;`)
			page.WaitFor(`(await mcp.stored()).calls === 0`)
			before := stored()
			thousand := func() int {
				return chrome.Script[int](page, `
					let sum = 0;
					const one = async (from) => {
						for (let n = from; n < 1000; n += 16) {
							const { structuredContent } = await mcp.callTool("add", { a: n, b: 1 }).result;
							sum += structuredContent.sum;
						}
					};
					await Promise.all(Array.from({ length: 16 }, (_, from) => one(from)));
					return sum;`)
			}
			for range 2 {
				if sum := thousand(); sum != 500_500 {
					t.Errorf("sum %d", sum)
				}
				page.WaitFor(`(await mcp.stored()).calls === 0 && (await mcp.stored()).rows === 0`)
				if after := stored(); after != before {
					t.Errorf("stored: %v calls, rows and bytes; it was %v", after, before)
				}
			}
			if n := chrome.Script[int](page, `return (await mcp.calls()).length;`); n != 0 {
				t.Errorf("%d calls are there still", n)
			}
		})
	}
}
