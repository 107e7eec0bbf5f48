package tabs_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/tabs"
)

// Fault 733: another script of the origin says that it has stored, taken or released what is no call, or says
// nothing of which. Nothing is asked of the store by that: there no call has such a number.
func TestFault733_NoCall(t *testing.T) {
	for _, ops := range [][]byte{nil, {1}, list(head(0, 1, 1)), list(row(0, 1, 1)), list(head(1<<53, 1, 1)),
		list(head(0, 1, 1), row(0, 1, 1))} {
		for _, kind := range []tabs.InputKind{tabs.HearStored, tabs.HearTaken, tabs.HearReleased,
			tabs.Missed} {
			p := carrying()
			p.m.Hear(p.now, "other", true)
			p.took()
			p.m.Report(p.now, &tabs.Input{Kind: kind, Tab: "other", Ops: ops})
			if said := p.took(); said != "" {
				t.Errorf("input %d of %v: %s", kind, ops, said)
			}
		}
	}
}

// Fault 733: whatever it says, nothing panics, and nothing is asked of the store about what is no call.
func TestFault733_ForgedAtRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 733))
	number := func() uint32 { return []uint32{0, 1, 2, 3, 1<<32 - 1, random.Uint32()}[random.IntN(6)] }
	p := carrying()
	for range 20_000 {
		var ops []byte
		for range random.IntN(4) {
			call := []uint64{0, 1, 2, 3, 1<<53 - 1, 1 << 53, random.Uint64()}[random.IntN(7)]
			op := journal.Op{Kind: journal.OpKind(random.IntN(7)), Flags: journal.OpFlags(random.IntN(256)),
				Call: call, Epoch: number(), N: number()}
			if random.IntN(2) == 0 {
				op.Plain, op.Secret = make([]byte, random.IntN(40)), make([]byte, random.IntN(4))
			}
			ops = journal.AppendOp(ops, op)
		}
		if len(ops) > 0 && random.IntN(3) == 0 {
			ops[random.IntN(len(ops))] ^= 1 << random.IntN(8)
		}
		kind := tabs.Hear + tabs.InputKind(random.IntN(int(tabs.Gone-tabs.Hear)+1))
		p.m.Report(p.now, &tabs.Input{Kind: kind, Tab: []string{"other", "", "forged"}[random.IntN(3)],
			Ops: ops})
		for _, line := range strings.Split(p.took(), ", ") {
			if line == "read" || line == "take over" {
				t.Fatalf("%s of no call, by input %d of %v", line, kind, ops)
			}
		}
		// The store answers what was read of call 1 as it is there.
		for ticket := range uint32(8) {
			p.m.Answer(p.now, ticket+1, read(1, 1, "this", 1))
		}
		p.took()
	}
}
