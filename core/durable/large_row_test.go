package durable_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// written is a Log as a protocol's record has it, and a model of it: the entries that were written and not
// committed.
type written struct {
	durable.Log
	plain, secret []journal.Entry
}

func newWritten(w *durable.Writer, id uint64) *written {
	l := &written{}
	l.Log = durable.NewLog(w, l, id, 1, 0)
	return l
}

func (l *written) AppendRow(b []byte) []byte { return l.Log.AppendRow(b, 0) }

func (l *written) Landed(sealed bool) { l.Log.Landed(sealed) }

// entries are those of a row, as text.
func entries(t *testing.T, part []byte) (list []string) {
	t.Helper()
	row := journal.ReadRow(part)
	for e, ok := row.Next(); ok; e, ok = row.Next() {
		list = append(list, fmt.Sprint(e.Kind, e.N, len(e.Data), crc32.ChecksumIEEE(e.Data)))
	}
	return list
}

func texts(written []journal.Entry) (list []string) {
	for _, e := range written {
		list = append(list, fmt.Sprint(e.Kind, e.N, len(e.Data), crc32.ChecksumIEEE(e.Data)))
	}
	return list
}

// TestLargeRows: rows of all sizes, of several logs, with secrets, with other operations before them and
// entries behind what the app is handed of them. A commit has them as they were written, and what was lent
// stays as it is.
func TestLargeRows(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	sizes := []int{0, 1, 100, 70 << 10, 1 << 20, 2<<20 - 60, 2 << 20, 2<<20 + 1, 3 << 20, 5 << 20}
	for round := range 40 {
		w := durable.NewWriter(true)
		logs := []*written{newWritten(&w, 1), newWritten(&w, 2), newWritten(&w, 3)}
		type lent struct{ of, as []byte }
		var handed []lent
		var heads [][]byte
		commits := func() {
			e, ok := w.Commit(0)
			if !ok {
				return
			}
			ops := journal.ReadOps(e.Data)
			for op, ok := ops.Next(); ok; op, ok = ops.Next() {
				if op.Kind == journal.OpCall {
					if len(heads) == 0 || !bytes.Equal(op.Plain, heads[0]) {
						t.Fatalf("seed %d, round %d: a head of %d bytes is not as it was put", seed, round,
							len(op.Plain))
					}
					heads = heads[1:]
					continue
				}
				l := logs[op.Call-1]
				want := texts(l.plain)
				if len(l.secret) > 0 {
					want = append(want, fmt.Sprint(journal.Sealed, [3]uint64{}, 0, 0))
				}
				if got := entries(t, op.Plain); !slices.Equal(got, want) {
					t.Fatalf("seed %d, round %d: a row has %v and not %v", seed, round, got, want)
				}
				if got, want := entries(t, op.Secret), texts(l.secret); !slices.Equal(got, want) {
					t.Fatalf("seed %d, round %d: secret %v and not %v", seed, round, got, want)
				}
				l.plain, l.secret = nil, nil
			}
			if ops.Err() != nil || len(heads) > 0 {
				t.Fatalf("seed %d, round %d: %v, and %d heads are missing", seed, round, ops.Err(),
					len(heads))
			}
			for _, one := range handed {
				if !bytes.Equal(one.of, one.as) {
					t.Fatalf("seed %d, round %d: what the app was handed has changed", seed, round)
				}
			}
			w.Stored(0, e.Ticket, journal.ResultOK)
		}
		for range 12 {
			l := logs[r.IntN(len(logs))]
			data := make([]byte, sizes[r.IntN(len(sizes))])
			for i := range min(len(data), 64) {
				data[i], data[len(data)-1-i] = byte(r.Uint32()), byte(r.Uint32())
			}
			switch r.IntN(8) {
			case 0, 1:
				commits()
			case 2:
				data = data[:min(len(data), 20<<10)]
				heads = append(heads, data)
				w.Put(journal.Op{Kind: journal.OpCall, Call: 9, Plain: data})
			case 3:
				e := journal.AnswerEntry([]byte("1"), data[:min(len(data), 1<<10)])
				l.WriteSecret(e)
				l.secret = append(l.secret, e)
			case 4:
				l.Drop()
				l.plain, l.secret = nil, nil
			default:
				e := journal.Entry{Kind: journal.Outcome, N: [3]uint64{1, 2}, Data: data}
				l.Write(e)
				l.plain = append(l.plain, e)
				if part := l.Lend(len(data)); r.IntN(2) == 0 && part != nil {
					handed = append(handed, lent{part, bytes.Clone(data)})
				}
			}
		}
		commits()
		commits()
	}
}

// A result is copied once until it is committed, into its row: the commit is made around that.
func TestLargeRowIsCopiedOnce(t *testing.T) {
	const size = 16 << 20
	data := bytes.Repeat([]byte("x"), size)
	w := durable.NewWriter(true)
	l := newWritten(&w, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w.Put(journal.Op{Kind: journal.OpCall, Call: 1, Epoch: 1, Plain: []byte("head")})
	l.Write(journal.Entry{Kind: journal.Outcome, Data: data})
	e, _ := w.Commit(engine.Time(0))
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > size+size/4 {
		t.Errorf("%d bytes were allocated for a commit of %d", n, len(e.Data))
	}
}
