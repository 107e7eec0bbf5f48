//go:build !js

package durable_test

import (
	"flag"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
)

//go:generate go test . -run ^TestStatesAreDocumented$ -update

var update = flag.Bool("update", false, "write the tables of docs/states.md")

// TestStatesAreDocumented: docs/states.md has the transitions that the code has.
func TestStatesAreDocumented(t *testing.T) {
	coretest.StateTable{Title: "The store of a client", Path: "core/durable/state.go", Type: "State",
		Prefix: "Store", May: durable.MayFollow}.Check(t, *update)
}
