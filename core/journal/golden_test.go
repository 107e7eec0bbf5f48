package journal_test

import (
	_ "embed"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"

	. "github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// v1 holds rows of version 1 with their meaning. Every later build reads them. Later versions add
// files of their own. (Embedded, since a browser runs these tests too.)
//
//go:embed testdata/v1.txt
var v1 string

// goldenCall is a call as it is stored.
type goldenCall struct {
	name string
	head Head
	rows [][]Entry
}

func goldenCalls() []goldenCall {
	outcomes := someOutcomes()
	return []goldenCall{
		{"just made", fullHead(), nil},
		{"sent", Head{Method: "tools/list", CreatedAt: 1767225600000}, [][]Entry{{sent(1, 1)}}},
		{"every kind in one row", fullHead(), [][]Entry{everyKind()}},
		{"a result", fullHead(), [][]Entry{everyKind()[:6], {event("{}"), data(Cursor, "s1_2")},
			{event("{}"), outcomes[0]}}},
		{"a JSON-RPC error", fullHead(), [][]Entry{{sent(1, 1)}, {outcomes[1]}}},
		{"a failure", fullHead(), [][]Entry{{sent(1<<40, MaxSafe)}, {outcomes[2]}}},
		{"compacted", fullHead(),
			[][]Entry{{number(Checkpoint, 70000), number(Acked, 70000), sent(3, 4),
				data(Cursor, "s9_70000")}}},
		{"an outcome that cannot be read", Head{Method: "m"},
			[][]Entry{{{Kind: Outcome, N: [3]uint64{3, 5}, Data: []byte("junk")}}}},
	}
}

func goldenServers() []Server {
	return []Server{
		{},
		{
			Handshake: 3, Revision: "2025-11-25", Result: []byte(`{"capabilities":{}}`),
			Client:     []byte(`{"name":"x"}`),
			HasSession: true, Session: "sid-1", SkipVersion: true, Endpoint: "https://a.example/messages?s=1",
		},
	}
}

// golden writes the file as this version would.
func golden(calls []goldenCall, servers []Server) string {
	var b strings.Builder
	for _, c := range calls {
		head := AppendHead(nil, &c.head)
		fmt.Fprintf(&b, "== %s\nhead %x\n", c.name, head)
		r := recorded.New(c.head, len(head))
		for _, entries := range c.rows {
			plain, secret := row(entries...)
			fmt.Fprintf(&b, "row %s %s\n", tohex(plain), tohex(secret))
			if err := r.Apply(plain, secret, nil); err != nil {
				panic(err)
			}
		}
		fmt.Fprintf(&b, "= %s\n", dump(r))
	}
	for i, s := range servers {
		plain, secret := AppendServer(&s)
		fmt.Fprintf(&b, "== server %d\nserver %s %s\n", i, tohex(plain), tohex(secret))
	}
	return b.String()
}

// TestReadsVersion1 never changes but for what new fields of a Record add to
// its dump: the bytes are on people's disks.
func TestReadsVersion1(t *testing.T) {
	if calls := checkGolden(t, v1, goldenServers(), dump); calls != len(goldenCalls()) {
		t.Errorf("%d calls in the file", calls)
	}
}

// checkGolden reads a file of goldens, and holds each call to what describe says of it. It
// returns how many calls there are.
func checkGolden(t *testing.T, file string, want []Server, describe func(r *recorded.Call) string) (
	calls int) {
	t.Helper()
	var r *recorded.Call
	var name string
	servers := 0
	for line := range strings.Lines(file) {
		line = strings.TrimSuffix(line, "\n")
		mark, rest, _ := strings.Cut(line, " ")
		first, second, _ := strings.Cut(rest, " ")
		switch mark {
		case "==":
			name, r = rest, nil
		case "head":
			h, err := ParseHead(unhex(t, first))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			r = recorded.New(h, len(first)/2)
		case "session": // its rows core/acp folds
		case "row":
			if r == nil {
				break
			}
			if err := r.Apply(unhex(t, first), unhex(t, second), nil); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case "=":
			calls++
			if got := describe(r); got != rest {
				t.Errorf("%s:\nread %s\nwant %s", name, got, rest)
			}
		case "server":
			s, err := ParseServer(unhex(t, first), unhex(t, second))
			if err != nil || !reflect.DeepEqual(s, want[servers]) {
				t.Errorf("%s: %+v, %v", name, s, err)
			}
			servers++
		default:
			t.Fatalf("line %q", line)
		}
	}
	if servers != len(want) {
		t.Errorf("%d servers in the file", servers)
	}
	return calls
}

// TestWritesVersion1: as long as the version is 1, so are the bytes.
func TestWritesVersion1(t *testing.T) {
	if Version != 1 {
		t.Skip("this build writes another version")
	}
	if got := golden(goldenCalls(), goldenServers()); got != v1 {
		t.Errorf("the format has changed without a new version:\n%s", got)
	}
}

// tohex writes bytes as unhex reads them, none as a dash.
func tohex(b []byte) string {
	if len(b) == 0 {
		return "-"
	}
	return hex.EncodeToString(b)
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	if s == "-" {
		return nil
	}
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
