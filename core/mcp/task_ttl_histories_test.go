package mcp_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestTask_TTLChangesNothing plays random lives of a task twice, with a server that
// names a ttl and with one that does not: as long as the task is heard of, the same
// is asked, stored and told, in the same order and at the same time.
func TestTask_TTLChangesNothing(t *testing.T) {
	first, n := seeds(t, 500)
	kept := 0
	for seed := first; seed < first+n; seed++ {
		with := lifeOf(t, seed, keptFor("2592000000"))
		// of one length: cut alike
		without := lifeOf(t, seed, strings.ReplaceAll(keptFor("2592000000"), "ttl", "ttx"))
		if !strings.Contains(with, "task ttl") {
			continue // what made the task did not name it: another commit does
		}
		kept++
		with, without = fromServer.ReplaceAllString(strings.ReplaceAll(with, "task ttl", "task"), "$1"),
			fromServer.ReplaceAllString(without, "$1")
		if with == without {
			continue
		}
		a, b := strings.Split(with, "\n"), strings.Split(without, "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("seed %d, line %d, with a ttl:\n%s\nand without:\n%s", seed, i, a[i], b[i])
			}
		}
		t.Fatalf("seed %d: one of them goes on", seed)
	}
	if n > 100 && uint64(kept) < n/2 {
		t.Errorf("only %d of %d lives had a ttl to keep", kept, n)
	}
}

// fromServer matches what the server says, in which the two differ.
var fromServer = regexp.MustCompile(`(> chunk x\d+ ).*`)

func lifeOf(t *testing.T, seed uint64, kept string) string {
	l := newTaskLife(t, seed, []taskWay{streamedWay, updateWay, continueWay}[seed%3])
	l.kept = kept
	l.play()
	return l.Log()
}
