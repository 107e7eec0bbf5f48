//go:build !js

package e2e

import (
	"bytes"
	"go/ast"
	"go/printer"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// coreTextParts are what the core's error texts are made of beside their own words. Whatever else comes into
// one might be a part of an address, which may hold a secret.
var coreTextParts = map[string]string{
	"strconv.Itoa(socketWithin / 1000)": "a time",
	"strconv.FormatInt(version, 10)":    "of the protocol",
	"strconv.FormatInt(code, 10)":       "of a JSON-RPC error",
	"string(code)":                      "of a JSON-RPC error",
	"peer":                              "the server, or the agent",
	"endings[end]":                      "words",
	"reasons[why]":                      "words",
	"unreadableHint":                    "words",
	"waitedTooLong":                     "words",
	"why":                               "an argument, see textArguments",
	"what":                              "an argument",
	"message":                           "an argument",
	"reason":                            "what the app has cancelled with",
	"detail":                            "what the browser says, of whose addresses runtime/exchange.ts shows what may be shown",
	"text":                              "what the app's token provider threw",
	"string(value)":                     "of an error that was stored",
	`member("message")`:                 "of an error that another tab has made",
	"cause":                             "of that error",
}

// textArguments says which argument of a function of core/mcp is a text of an error, or a part of one.
var textArguments = map[string]int{"unknownError": 2, "unsentError": 1, "timeoutError": 1, "unsent": 2}

// TestHouseErrorTextsOfTheCore: no message and no hint of the core's has a part of an address.
func TestHouseErrorTextsOfTheCore(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, file := range goSources(t) {
		if !file.under("core", "jsbridge", "wasm") || file.under("core/coretest", "core/simulate") {
			continue
		}
		check := func(text ast.Expr) {
			for _, part := range joined(text) {
				var source bytes.Buffer
				if err := printer.Fprint(&source, file.fset, part); err != nil {
					t.Fatal(err)
				}
				seen[source.String()] = true
				if coreTextParts[source.String()] == "" {
					t.Errorf("%s: an error's text has %s in it: what is that?", file.at(part),
						source.String())
				}
			}
		}
		isText := func(name string) bool { return name == "Message" || name == "Hint" }
		ast.Inspect(file.tree, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.CompositeLit:
				if calledName(n.Type) != "Error" {
					break
				}
				for _, each := range n.Elts {
					if field, ok := each.(*ast.KeyValueExpr); ok && isText(calledName(field.Key)) {
						check(field.Value)
					}
				}
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					if field, ok := to.(*ast.SelectorExpr); ok && len(n.Lhs) == len(n.Rhs) &&
						isText(field.Sel.Name) {
						check(n.Rhs[i])
					}
				}
			case *ast.CallExpr:
				if at, ok := textArguments[calledName(n.Fun)]; ok && file.under("core/mcp") &&
					at < len(n.Args) {
					check(n.Args[at])
				}
			}
			return true
		})
	}
	for part := range coreTextParts {
		if !seen[part] {
			t.Errorf("no error's text has %s in it any more", part)
		}
	}
}

// calledName is the last name of what is called, made or set; empty where there is none.
func calledName(of ast.Expr) string {
	switch e := of.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// joined are the parts of a text that is put together, but for its own words.
func joined(text ast.Expr) []ast.Expr {
	switch e := text.(type) {
	case *ast.BasicLit:
		return nil
	case *ast.ParenExpr:
		return joined(e.X)
	case *ast.BinaryExpr:
		return append(joined(e.X), joined(e.Y)...)
	case *ast.SelectorExpr:
		if e.Sel.Name == "Message" || e.Sel.Name == "Hint" {
			return nil // of another error
		}
	case *ast.IndexExpr:
		if _, ok := e.X.(*ast.CompositeLit); ok {
			return nil // one of these words
		}
	}
	return []ast.Expr{text}
}

var (
	templates = regexp.MustCompile("`[^`]*`")
	filledIn  = regexp.MustCompile(`\$\{([^{}]*)\}`)
	addresses = regexp.MustCompile(`(?i)\b\w*(url|href|address|pathname|script|source|location|file)$`)
	asShown   = regexp.MustCompile(
		`(shortened|shown(Path|Address)|place|whereServed|fileName)\(|\.origin\b|^origin$`)
)

// pageTextParts are parts of texts of the page's side that look like an address, and are none, or are
// shortened where all of their kind are.
var pageTextParts = []string{
	"web/src/auth/addresses.ts MAX_URL",    // a number
	"web/src/auth/loadsignin.ts FILE",      // a name of the package
	"web/src/host/choose/choice.ts script", // a NoWorker shortens its text
	"web/src/host/page/noworker.ts url",
	"web/src/host/page/hostlink.ts url",
	"web/src/runtime/whereserved.ts file", // a name of the package
	"web/src/runtime/filebeside.ts file.version",
	"web/src/runtime/whatcame.ts file",
}

// TestHouseErrorTextsOfThePage: no text of the page's side or of a worker's has an address in it, but as it
// may be shown.
func TestHouseErrorTextsOfThePage(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, file := range sources(t) {
		if !file.under("web/src", "web/packages") || path.Ext(file.path) != ".ts" {
			continue
		}
		for _, text := range templates.FindAllString(string(file.text), -1) {
			if strings.Count(filledIn.ReplaceAllString(text, ""), " ") < 3 {
				continue // a name, a key or an address, and no sentence
			}
			for _, part := range filledIn.FindAllStringSubmatch(text, -1) {
				entry := file.path + " " + part[1]
				seen[entry] = true
				known := asShown.MatchString(part[1]) || slices.Contains(pageTextParts, entry)
				if addresses.MatchString(part[1]) && !known {
					t.Errorf("%s: a text has %s in it: %s", file.path, part[1], text)
				}
			}
		}
	}
	for _, part := range pageTextParts {
		if !seen[part] {
			t.Errorf("there is no %s any more", part)
		}
	}
}
