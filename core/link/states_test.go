//go:build !js

package link_test

import (
	"flag"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/link"
)

//go:generate go test . -run ^TestStatesAreDocumented$ -update

var update = flag.Bool("update", false, "write the tables of docs/states.md")

// TestStatesAreDocumented: docs/states.md has the transitions that the code has.
func TestStatesAreDocumented(t *testing.T) {
	coretest.StateTable{Title: "An event stream", Path: "core/link/stream_state.go", Type: "State", Prefix: "State", May: link.MayFollow}.Check(t, *update)
	coretest.StateTable{Title: "Bodies that are streams", Path: "core/link/bodies.go", Type: "bodiesState", Prefix: "bodies", May: link.MayFollowBodies}.Check(t, *update)
	coretest.StateTable{Title: "A message that expects none in return", Path: "core/link/post.go",
		Type: "PostState", Prefix: "Post", May: link.MayFollowPost}.Check(t, *update)
	coretest.StateTable{Title: "Whether anything answers", Path: "core/link/reach.go", Type: "reachState", Prefix: "reach", May: link.MayFollowReach}.Check(t, *update)
}
