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
var engines = flag.String("engines", "", "the engines of TestMatrix, by comma: firefox, webkit, chromium; "+
	"none if empty. -short tells its short row only")

// limit bounds each story.
var limit = flag.Duration("limit", storyLimit, "how long a story may take before its browser is ended")

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
	tell func(*scene) // what is told in its place; nil: the same
	note string       // what falls back, and why
}

// TestMatrix tells every story in each of the engines that the flag names. One that is
// not installed is skipped with the reason, or fails where CI is "true".
func TestMatrix(t *testing.T) {
	if *engines == "" {
		t.Skip("no engine is named: make browsers names all")
	}
	wanted := strings.Split(*engines, ",")
	for _, engine := range All() {
		if i := slices.IndexFunc(wanted,
			func(name string) bool { return strings.EqualFold(name, engine.Name()) }); i < 0 {
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
	case err != nil && MustBeThere(os.Getenv("CI")):
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
			tell := story.tell
			if other := story.in[engine].tell; other != nil {
				tell = other
			}
			play(t, in, limits{story: *limit, grace: grace, look: lookLimit}, tell)
		})
	}
}
