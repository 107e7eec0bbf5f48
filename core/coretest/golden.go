package coretest

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/journal"
)

// GoldenRecord is the id of the record that Golden returns.
const GoldenRecord = 9<<24 + 1

// Golden returns a record of core/journal's golden rows as a host reads it, the head and
// then its log, with the server's row before them. It is called from a folder beside
// core/journal.
func Golden(t testing.TB, name string, flags journal.OpFlags) []byte {
	t.Helper()
	file, err := os.ReadFile("../journal/testdata/v1_kinds.txt")
	if err != nil {
		t.Fatal(err)
	}
	var server, record []byte
	section, n := "", uint32(0)
	for line := range strings.Lines(string(file)) {
		mark, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		plain, secret, _ := strings.Cut(rest, " ")
		switch {
		case mark == "==":
			section = rest
		case mark == "server":
			server = journal.AppendOp(server,
				journal.Op{Kind: journal.OpServer, Plain: fromHex(t, plain), Secret: fromHex(t, secret)})
		case section != name:
		case mark == "head", mark == "session":
			record = journal.AppendOp(record,
				journal.Op{Kind: journal.OpCall, Flags: flags, Call: GoldenRecord, Epoch: 2,
					Plain: fromHex(t, plain)})
		case mark == "row":
			n++
			record = journal.AppendOp(record, journal.Op{
				Kind: journal.OpLog, Call: GoldenRecord, Epoch: 1, N: n, Plain: fromHex(t, plain),
				Secret: fromHex(t, secret)})
		}
	}
	if n == 0 {
		t.Fatalf("no golden is named %q", name)
	}
	return append(server, record...)
}

// fromHex reads one part of a golden row, a dash for one that has nothing.
func fromHex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.TrimPrefix(text, "-"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
