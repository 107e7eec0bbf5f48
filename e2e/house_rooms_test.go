//go:build !js

package e2e

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// room is a folder of web/src, or a package: a folder of web/packages.
type room struct {
	name string
	may  []string
}

// rooms are these folders, the lowest first, and what each may import of the
// others. A package imports the rest by its published names, and only what packages share by its path. An
// import of types alone counts as well: who names another room's types has to be read together with it.
// client and agent never meet.
var rooms = []room{
	{name: "base"},
	{name: "storage", may: []string{"base"}},
	{name: "runtime", may: []string{"base", "storage"}},
	{name: "input", may: []string{"base", "runtime"}},
	{name: "output-schema", may: []string{"base", "runtime"}},
	{name: "diagnosis", may: []string{"base"}},
	{name: "tabs", may: []string{"base", "storage", "runtime"}},
	{name: "connect", may: []string{"base", "storage", "runtime", "input", "tabs"}},
	{name: "auth", may: []string{"base", "storage", "runtime", "tabs", "connect"}},
	{name: "client", may: []string{"base", "storage", "runtime", "input", "output-schema", "diagnosis",
		"tabs", "connect"}},
	{name: "agent", may: []string{"base", "storage", "runtime", "input", "diagnosis", "tabs", "connect"}},
	{name: "host/wire", may: []string{"base", "connect", "client"}},
	{name: "host/worker", may: []string{"base", "storage", "runtime", "input", "tabs", "connect", "client",
		"agent", "auth", "host/wire"}},
	{name: "host/page", may: []string{"base", "storage", "runtime", "input", "tabs", "connect", "client",
		"agent", "auth", "host/wire"}},
	{name: "host/choose", may: []string{"base", "storage", "runtime", "connect", "client", "agent",
		"host/wire", "host/page"}},
	{name: "packages/shared"},
	{name: "packages/global"},
	{name: "packages/observe", may: []string{"packages/shared"}},
	{name: "packages/react"},
	{name: "packages/tools", may: []string{"packages/shared"}},
	{name: "packages/ai", may: []string{"packages/shared"}},
	{name: "packages/hub", may: []string{"packages/shared"}},
	{name: "packages/trace", may: []string{"packages/shared"}},
	{name: "packages/testing", may: []string{"packages/shared"}},
	{name: "packages/doctor", may: []string{"packages/shared"}},
	{name: "recorder", may: []string{"runtime", "storage", "connect", "client"}},
	{name: "transport", may: []string{"base", "input", "connect", "client", "host/choose", "packages/trace"}},
}

// scriptImport finds what a module of TypeScript imports or exports of another file, types included.
var scriptImport = regexp.MustCompile(`\b(?:from|import)\s*\(?\s*"(\.[^"]+)\.js"`)

// scriptImports returns the files of rooms that each of them imports: as paths from web/src, or from web for
// a package.
func scriptImports(files []source) map[string][]string {
	imports := map[string][]string{}
	for _, file := range files {
		if !file.under("web/src", "web/packages") || path.Ext(file.path) != ".ts" {
			continue
		}
		name := inRoom(file.path)
		imports[name] = nil
		for _, match := range scriptImport.FindAllSubmatch(file.text, -1) {
			imports[name] = append(imports[name],
				inRoom(path.Join(path.Dir(file.path), string(match[1]))+".ts"))
		}
	}
	return imports
}

// inRoom returns the path of a file from web/src, or from web for a package.
func inRoom(file string) string {
	return strings.TrimPrefix(strings.TrimPrefix(file, "web/"), "src/")
}

// circle returns files of which each imports the next, and the last one the first; nil where there are none.
func circle(imports map[string][]string) []string {
	done := map[string]bool{}
	var way []string
	var visit func(file string) []string
	visit = func(file string) []string {
		if at := slices.Index(way, file); at >= 0 {
			return slices.Clone(way[at:])
		}
		if done[file] {
			return nil
		}
		way = append(way, file)
		for _, next := range imports[file] {
			if found := visit(next); found != nil {
				return found
			}
		}
		way = way[:len(way)-1]
		done[file] = true
		return nil
	}
	for _, file := range slices.Sorted(maps.Keys(imports)) {
		if found := visit(file); found != nil {
			return found
		}
	}
	return nil
}

// trespasses returns the imports that the table of rooms does not allow, and the files that are in no room.
func trespasses(imports map[string][]string) []string {
	var found []string
	for _, file := range slices.Sorted(maps.Keys(imports)) {
		from := path.Dir(file)
		if from == "." {
			continue // the entries of the builds
		}
		at := slices.IndexFunc(rooms, func(r room) bool { return r.name == from })
		if at < 0 {
			found = append(found, file+" is in no room")
			continue
		}
		for _, imported := range imports[file] {
			if to := path.Dir(imported); to != from && !slices.Contains(rooms[at].may, to) {
				found = append(found, file+" must not import "+imported)
			}
		}
	}
	return found
}

// TestHouseRooms: TypeScript imports downwards only, and never in a circle, so that a
// file can be read with those below it alone. No two files have one name.
func TestHouseRooms(t *testing.T) {
	t.Parallel()
	imports := scriptImports(sources(t))
	if len(imports) < 100 {
		t.Fatalf("only %d files were found: the test is blind", len(imports))
	}
	for _, fault := range trespasses(imports) {
		t.Error(fault)
	}
	if found := circle(imports); found != nil {
		t.Errorf("imports go in a circle: %s", strings.Join(append(found, found[0]), " -> "))
	}
	named := map[string]string{}
	for _, file := range slices.Sorted(maps.Keys(imports)) {
		if other, taken := named[path.Base(file)]; taken {
			t.Errorf("%s and %s have one name", other, file)
		}
		named[path.Base(file)] = file
	}
}

// TestHouseSignInChunk: of what signs in, the chunk needs nothing of the module but the base: what it shared
// with it every page would load.
func TestHouseSignInChunk(t *testing.T) {
	t.Parallel()
	const entry = "auth/opensignin.ts"
	imports := scriptImports(sources(t))
	within := []string{entry}
	for i := 0; i < len(within); i++ {
		for _, imported := range imports[within[i]] {
			if room := path.Dir(imported); room != "auth" && room != "base" {
				t.Errorf("%s imports %s", within[i], imported)
			} else if !slices.Contains(within, imported) {
				within = append(within, imported)
			}
		}
	}
	if len(within) < 20 {
		t.Errorf("the chunk has no more than %q: the test is blind", within)
	}
}

// TestHouseRoomsSees: what TestHouseRooms looks for, it finds, however it is written.
func TestHouseRoomsSees(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, from, text string
		circle, trespass bool
	}{
		{name: "downwards", from: "client/a", text: `import { b } from "../base/b.js";`},
		{name: "a circle of types", from: "client/a", text: `import type { C } from "./c.js";`, circle: true},
		{name: "a circle over several lines", from: "client/a",
			text: "import {\n  c,\n  type D,\n} from \"./c.js\";", circle: true},
		{name: "a circle by what is exported", from: "client/a", text: `export { c } from "./c.js";`,
			circle: true},
		{name: "a circle by what is loaded later", from: "client/a",
			text: `const c = await import("./c.js");`, circle: true},
		{name: "itself", from: "client/a", text: `import "./a.js";`, circle: true},
		{name: "upwards", from: "base/a", text: `import type { C } from "../client/c.js";`, trespass: true},
		{name: "the other protocol", from: "agent/a", text: `import { c } from "../client/c.js";`,
			trespass: true},
		{name: "no room", from: "utils/a", text: ``, trespass: true},
		{name: "of a package, what packages share", from: "../packages/hub/a",
			text: `import { d } from "../shared/d.js";`},
		{name: "of a package, what is not published", from: "../packages/hub/a",
			text: `import { b } from "../../src/base/b.js";`, trespass: true},
		{name: "over the wire", from: "host/page/a", text: `import { e } from "../worker/e.js";`,
			trespass: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			imports := scriptImports([]source{
				{path: path.Join("web/src", c.from) + ".ts", text: []byte(c.text)},
				{path: "web/src/base/b.ts"},
				{path: "web/packages/shared/d.ts"},
				{path: "web/src/client/c.ts", text: []byte(`import { a } from "./a.js";`)},
			})
			if found := circle(imports); (found != nil) != c.circle {
				t.Errorf("circle: %v", found)
			}
			if found := trespasses(imports); (found != nil) != c.trespass {
				t.Errorf("trespasses: %v", found)
			}
		})
	}
}

// exportedType finds the types that a module of TypeScript exports where it declares them.
var exportedType = regexp.MustCompile(
	`(?m)^export (?:declare )?(?:abstract )?(?:class|interface|type|enum) (\w+)\b`)

// TestHouseNames: no two types of the module that are exported have one name, nor two of a package. Types of
// two packages may: an app names the package.
func TestHouseNames(t *testing.T) {
	t.Parallel()
	declared := map[string]string{}
	for _, file := range sources(t) {
		if !file.under("web/src", "web/packages") || path.Ext(file.path) != ".ts" {
			continue
		}
		scope := "module"
		if file.under("web/packages") {
			scope = path.Dir(file.path)
		}
		for _, match := range exportedType.FindAllSubmatch(file.text, -1) {
			name := string(match[1])
			if other, taken := declared[scope+" "+name]; taken {
				t.Errorf("%s: %s and %s", name, other, file.path)
			}
			declared[scope+" "+name] = file.path
		}
	}
}
