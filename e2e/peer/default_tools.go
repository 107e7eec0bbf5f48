//go:build !js

package peer

import (
	"encoding/json"
	"strconv"
)

// SlowGate is the gate at which the default tool slow waits before its result.
const SlowGate = "slow"

func (p *Peer) addDefaultTools() {
	p.ToolFunc("echo", func(c Call) Script {
		return primed(c, Text(text(c.Arguments, "text")))
	}, ReadOnly, Describe("Echo", "Returns its text."),
		Schema(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`))

	p.ToolFunc("add", func(c Call) Script {
		var in struct{ A, B float64 }
		if err := json.Unmarshal(c.Arguments, &in); err != nil {
			return Script{Error(-32602, err.Error())}
		}
		sum := strconv.FormatFloat(in.A+in.B, 'g', -1, 64)
		return primed(c,
			Result(`{"content":[{"type":"text","text":"`+sum+`"}],"structuredContent":{"sum":`+sum+`}}`))
	}, ReadOnly, AsJSON, Describe("Add", "Adds a and b."),
		Schema(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},`+
			`"required":["a","b"]}`))

	p.ToolFunc("slow", func(c Call) Script {
		return primed(c, Open(), Gate(SlowGate), Text("done"))
	}, Describe("Slow", "Says nothing until it is let go."))
}

// primed puts a priming event first in the one revision that has it.
func primed(c Call, s ...Step) Script {
	if c.Revision != Revision20251125 {
		return s
	}
	return append(Script{Prime(-1)}, s...)
}
