//go:build !js

package e2e

import (
	"slices"
	"strings"
	"testing"
)

// importRule says what the packages below a folder may import, besides each
// other. Direct imports are meant: bytes alone brings io and sync with it.
type importRule struct {
	folder   string
	standard []string // of the standard library; anyStandard lifts the limit
	house    []string // folders of this module
	others   []string // modules of others
}

// small is the part of the standard library that computes and does nothing
// else. It is what the core may use: no clock, no randomness, no I/O, no
// goroutines, and nothing that weighs much in the wasm (reflect, encoding/json).
var small = []string{
	"bytes", "cmp", "encoding/binary", "errors", "iter", "maps", "math", "math/bits", "slices", "sort",
	"strconv", "strings", "unicode", "unicode/utf16", "unicode/utf8",
}

var anyStandard = []string{"*"}

const safejs = "github.com/hack-pad/safejs"

// importRules are the house rules. The longest folder that fits a package
// decides; a package that none fits is refused.
var importRules = []importRule{
	{folder: "core/engine", standard: small},
	{folder: "core/sse", standard: small},
	{folder: "core/jsonrpc", standard: small},
	{folder: "core/link", standard: small, house: []string{"core/engine", "core/sse", "core/jsonrpc"}},
	{folder: "core/journal", standard: small, house: []string{"core/engine", "core/sse", "core/jsonrpc"}},
	{folder: "core/tabs", standard: small, house: []string{"core/durable", "core/engine", "core/journal"}},
	{folder: "core/durable", standard: small,
		house: []string{"core/engine", "core/sse", "core/jsonrpc", "core/link", "core/journal"}},
	{
		folder:   "core/mcp",
		standard: small,
		house: []string{"core/engine", "core/sse", "core/jsonrpc", "core/link", "core/journal",
			"core/durable", "core/tabs"},
	},
	// Data in, data out: no client, no link, no journal.
	{
		folder:   "core/mcp/wire",
		standard: slices.Concat(small, []string{"encoding/base64"}),
		house:    []string{"core/engine", "core/jsonrpc"},
	},
	{folder: "core/mcp/recorded", standard: small,
		house: []string{"core/engine", "core/journal", "core/durable"}},
	{folder: "core/mcp/segments", standard: small, house: []string{"core/jsonrpc"}},
	{
		folder:   "core/acp",
		standard: small,
		house: []string{"core/engine", "core/sse", "core/jsonrpc", "core/link", "core/journal",
			"core/durable", "core/tabs"},
	},
	{folder: "core/acp/transcript", standard: small, house: []string{"core/jsonrpc"}},
	// The native host exists to run the core against real servers.
	{folder: "core/coretest", standard: anyStandard, house: []string{"core"},
		others: []string{"github.com/google/uuid"}},
	// A simulation is no part of the product: it prints, and draws chance.
	{folder: "core/simulate", standard: anyStandard, house: []string{"core"}},
	{folder: "jsbridge", standard: []string{"errors", "strconv", "syscall/js", "unsafe"},
		others: []string{safejs}},
	{
		folder:   "wasm",
		standard: slices.Concat(small, []string{"syscall/js", "unsafe"}),
		house:    []string{"core", "jsbridge"},
		others:   []string{safejs},
	},
	// Tools of the build, and what they lay over the standard library.
	{folder: "web/scripts", standard: anyStandard},
	// The stories see the product from outside, so that they cannot share a
	// mistake with it.
	{
		folder:   "e2e",
		standard: anyStandard,
		others: []string{
			"github.com/chromedp/cdproto", "github.com/chromedp/chromedp", "github.com/coder/websocket",
			"github.com/google/uuid",
			"github.com/modelcontextprotocol/go-sdk",
			"golang.org/x/net", // frames of HTTP/2, which net/http does not show
		},
	},
}

// within reports whether an import path is folder or below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// ruleFor finds the rule of a package, named as in "core/sse".
func ruleFor(name string) (importRule, bool) {
	var best importRule
	for _, rule := range importRules {
		if within(name, rule.folder) && len(rule.folder) > len(best.folder) {
			best = rule
		}
	}
	return best, best.folder != ""
}

func (r importRule) permits(path string) bool {
	in := func(folder string) bool { return within(path, folder) }
	if inside, ok := strings.CutPrefix(path, module+"/"); ok {
		return within(inside, r.folder) ||
			slices.ContainsFunc(r.house, func(folder string) bool { return within(inside, folder) })
	}
	first, _, _ := strings.Cut(path, "/")
	if strings.Contains(first, ".") {
		return slices.ContainsFunc(r.others, in)
	}
	return slices.Equal(r.standard, anyStandard) || slices.Contains(r.standard, path)
}

// TestHouseImports checks who imports whom, natively and for the browser. Tests
// of the core may import what they need; those of e2e keep its rule.
func TestHouseImports(t *testing.T) {
	t.Parallel()
	for _, platform := range []target{native, browser} {
		for _, p := range platform.list(t, "./...") {
			rule, ok := ruleFor(p.name())
			if !ok {
				t.Errorf("%s (%v): no rule says what it may import", p.name(), platform)
				continue
			}
			imports := p.Imports
			if rule.folder == "e2e" {
				imports = p.testImports()
			}
			for _, path := range imports {
				if !rule.permits(path) {
					t.Errorf("%s (%v) must not import %s", p.name(), platform, path)
				}
			}
		}
	}
}
