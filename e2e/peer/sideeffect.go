//go:build !js

package peer

import (
	"encoding/json"
	"fmt"
)

// SideEffects adds three tools that do the same and differ in what tools/list
// says of them: sideeffect (nothing), lookup (readOnlyHint) and upsert
// (idempotentHint). Only the last two may be run again by a client that lost the
// answer; Oracle.Runs tells who was. The arguments are
//
//	call    label for the Oracle
//	lose    so many runs end with a dead connection (FIN) in place of an answer
//	opened  the headers leave first; without, nothing at all comes back
//	gate    waited at before the answer or the cut
//
// The answers have no priming event: what is lost is lost.
func (p *Peer) SideEffects(traits ...Trait) {
	script := func(c Call) Script {
		var in struct {
			Lose   int
			Opened bool
			Gate   string
		}
		json.Unmarshal(c.Arguments, &in)
		var s Script
		if in.Opened {
			s = append(s, Open())
		}
		if in.Gate != "" {
			s = append(s, Gate(in.Gate))
		}
		if c.Run <= in.Lose {
			return append(s, Cut(FIN))
		}
		return append(s,
			Result(fmt.Sprintf(
				`{"content":[{"type":"text","text":"%s ran"}],"structuredContent":{"call":%s,"run":%d}}`,
				c.Name, quote(c.Label), c.Run)))
	}
	schema := Schema(`{"type":"object","properties":{"call":{"type":"string"},"lose":{"type":"integer"},` +
		`"opened":{"type":"boolean"},"gate":{"type":"string"}}}`)
	p.ToolFunc("sideeffect", script,
		append([]Trait{schema, Describe("Side effect", "Must not be run twice.")}, traits...)...)
	p.ToolFunc("lookup", script, append([]Trait{schema, ReadOnly, Describe("Look up", "Changes nothing.")},
		traits...)...)
	p.ToolFunc("upsert", script,
		append([]Trait{schema, Idempotent, Describe("Upsert", "Running it twice is running it once.")},
			traits...)...)
}
