//go:build !js

package engines

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

// engines names the engines that TestMatrix runs in.
var engines = flag.String("engines", "", "the engines of TestMatrix, by comma: firefox, webkit, chromium; none if empty. -short tells its short row only")

// A story is one row of docs/browsers.md.
type story struct {
	name  string
	shows string               // what the page says of it
	tell  func(*scene)         // in any engine
	short bool                 // whether it is in the short row
	in    map[Engine]exception // where it is not as in the others
}

// An exception is an engine in which a story is not as in the others.
type exception struct {
	cannot bool   // it is not told there
	note   string // what falls back and why, or why it cannot be told
}

// stories are the rows.
var stories = []story{
	{name: "load", shows: "a page imports the module, connects, calls", tell: loadModule, short: true},
	{name: "script tag", shows: "the same with a script tag", tell: loadScript},
}

// TestMatrix tells every story in each of the engines that the flag names. One that is
// not installed is skipped with the reason, or fails where CI is "true".
func TestMatrix(t *testing.T) {
	if *engines == "" {
		t.Skip("no engine is named: make browsers names all")
	}
	wanted := strings.Split(*engines, ",")
	for _, engine := range All() {
		if i := slices.IndexFunc(wanted, func(name string) bool { return strings.EqualFold(name, engine.Name()) }); i < 0 {
			continue
		} else {
			wanted = slices.Delete(wanted, i, i+1)
		}
		t.Run(engine.Name(), func(t *testing.T) { tellAll(t, engine) })
	}
	if len(wanted) > 0 {
		t.Errorf("-engines: there is no %s", strings.Join(wanted, ", "))
	}
}

func tellAll(t *testing.T, engine Engine) {
	version, err := engine.Find()
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal(err)
	case err != nil:
		t.Skip(err)
	}
	t.Log(version)
	in := &house{engine: engine}
	defer in.forget()
	for _, story := range stories {
		if testing.Short() && !story.short {
			continue
		}
		t.Run(story.name, func(t *testing.T) {
			if except := story.in[engine]; except.cannot {
				t.Skip(except.note)
			}
			play(t, in, storyLimit, story.tell)
		})
	}
}
