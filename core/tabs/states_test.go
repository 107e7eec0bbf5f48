//go:build !js

package tabs_test

import (
	"flag"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/tabs"
)

//go:generate go test . -run ^TestStatesAreDocumented$ -update

var update = flag.Bool("update", false, "write the tables of docs/states.md")

// TestStatesAreDocumented: docs/states.md has the transitions that the code has.
func TestStatesAreDocumented(t *testing.T) {
	coretest.StateTable{Title: "A call, as one tab sees it", Path: "core/tabs/call.go", Type: "state",
		May: tabs.MayFollow}.Check(t, *update)
	coretest.StateTable{Title: "The page of a tab", Path: "core/tabs/alone.go", Type: "pageState",
		May: tabs.MayFollowPage}.Check(t, *update)
}
