package mcp_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// TestFault343_DeclaredExtensions: extensions that the app declares are in what the client says of itself, in
// every revision, and beside its own; where there are none, initialize says nothing of any (2025-11-25
// basic/lifecycle, 2026-07-28 basic/index).
func TestFault343_DeclaredExtensions(t *testing.T) {
	const ui = "io.modelcontextprotocol/ui"
	with := mcp.Config{Capabilities: []byte(`{"roots":{}}`),
		Extensions: []byte(`{"` + ui + `":{"mimeTypes":["text/html"]}}`)}
	initialize := func(cfg mcp.Config) string {
		r := connected(t, cfg)
		return r.body(r.requestOf("initialize"))
	}
	asked := modern(t, with).post("tools/list")
	for name, test := range map[string]struct {
		body string
		path []string
		want []string
	}{
		"initialize": {initialize(with), []string{"params", "capabilities"}, []string{ui}},
		"_meta": {asked.body(asked.x),
			[]string{"params", "_meta", "io.modelcontextprotocol/clientCapabilities"},
			[]string{"io.modelcontextprotocol/tasks", ui}},
		"none of the app": {initialize(mcp.Config{}), []string{"params", "capabilities"}, nil},
	} {
		var at any
		if err := json.Unmarshal([]byte(test.body), &at); err != nil {
			t.Fatalf("%s: %v in %s", name, err, test.body)
		}
		for _, member := range test.path {
			at = at.(map[string]any)[member]
		}
		extensions, _ := at.(map[string]any)["extensions"].(map[string]any)
		if got := slices.Sorted(maps.Keys(extensions)); !slices.Equal(got, test.want) {
			t.Errorf("%s: declared %q, want %q", name, got, test.want)
		}
	}
}
