//go:build !js

package e2e

import (
	"flag"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// All stories of this package take three times as long as `make test` may. It leaves out those
// that are marked below: long ones, and the further rows of a table. `make stories` plays them
// all, `make sample` some of them, and who names a story with -run has it whole.
var oneIn = flag.Int("long", 0, "play one in so many of the stories and rows that make test leaves out, and "+
	"nothing else; HOLDFAST_FIRST says which")

// named says that somebody chose the stories. It is set before any of them begins.
var named bool

// firstRows has the name of the row that `make test` plays, by the name of its table.
var firstRows sync.Map

// long marks a story that takes long, and of which `make test` has another like it.
func long(t *testing.T) {
	t.Helper()
	if !plays(t.Name()) {
		t.Skip("make test leaves it out; make stories plays it")
	}
}

// row marks a row of a table. `make test` plays the first one that comes here.
func row(t *testing.T) {
	t.Helper()
	table := t.Name()[:strings.LastIndexByte(t.Name(), '/')]
	if first, _ := firstRows.LoadOrStore(table, t.Name()); first == t.Name() && *oneIn == 0 {
		return
	}
	long(t)
}

// rowOf marks row i of a table of n that many stories have, such as transports or dialects. `make test`
// plays one, and not the same one of each story.
func rowOf(t *testing.T, i, n int) {
	t.Helper()
	story, _, _ := strings.Cut(strings.TrimPrefix(t.Name(), "TestHosts/"), "/")
	if *oneIn > 0 || i != int(hashOf(story)%uint32(n)) {
		long(t)
	}
}

// lengthOf returns how long a story of many rounds is: short in `make test`, and whole where
// somebody asks for it.
func lengthOf(t *testing.T, short, whole int) int {
	if plays(t.Name()) {
		return whole
	}
	return short
}

// plays says whether this run has a story that `make test` leaves out. The matrix of
// hosts is a choice of its own.
func plays(name string) bool {
	if *oneIn == 0 {
		return named || strings.HasPrefix(name, "TestHosts/")
	}
	return hashOf(os.Getenv("HOLDFAST_FIRST")+name)%uint32(*oneIn) == 0
}

func hashOf(name string) uint32 {
	sum := fnv.New32a()
	sum.Write([]byte(name))
	return sum.Sum32()
}

// chooseLong looks at what a run was asked for. With -long it leaves only the stories
// that are marked, or whose rows are.
func chooseLong() error {
	named = flag.Lookup("test.run").Value.String() != ""
	if *oneIn == 0 {
		return nil
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		return err
	}
	var marked []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		marked = append(marked, markedStories(string(text))...)
	}
	return flag.Set("test.run", "^("+strings.Join(marked, "|")+")$")
}

var (
	storyName = regexp.MustCompile(`^func (Test\w+)\(`)
	longMark  = regexp.MustCompile(`(?m)^\t+(long|row)\(t\)$|lengthOf\(t, |\b(each\w*|over[A-Z]\w*)\(t, `)
)

// markedStories returns the stories of a file that have a mark of their own, or hand their rows
// to a helper that has.
func markedStories(text string) []string {
	var marked []string
	for declaration := range strings.SplitSeq(text, "\n}\n") {
		lines := strings.SplitSeq(declaration, "\n")
		for line := range lines {
			if name := storyName.FindStringSubmatch(line); name != nil && longMark.MatchString(declaration) {
				marked = append(marked, name[1])
			}
		}
	}
	return marked
}

// TestLongStoriesAreFound: what -long plays is what is marked, and which ones is told by a seed.
func TestLongStoriesAreFound(t *testing.T) {
	text := "// A story.\nfunc TestA(t *testing.T) {\n\tt.Parallel()\n\tlong(t)\n}\n\n" +
		"func TestB(t *testing.T) {\n\tt.Run(\"x\", func(t *testing.T) {\n\t\trow(t)\n\t})\n}\n\n" +
		"func TestC(t *testing.T) {\n\teachRevision(t, first)\n}\n\nfunc TestD(t *testing.T) " +
		"{\n\tlonger(t)\n}\n"
	if got := strings.Join(markedStories(text), " "); got != "TestA TestB TestC" {
		t.Errorf("marked are %q", got)
	}
}
