//go:build !js

package demosite

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

const berthForm = `{"mode":"form","message":"Berth 7 is free. Who comes, and for how long?","requestedSchema":{"type":"object","properties":{
	"ship":{"type":"string","title":"Ship","minLength":1,"maxLength":60},
	"skipper":{"type":"string","title":"Skipper","minLength":1,"maxLength":60},
	"nights":{"type":"integer","title":"Nights","minimum":1,"maximum":14,"default":2},
	"power":{"type":"boolean","title":"With shore power","default":false}},
	"required":["ship","skipper","nights"]}}`

// addBerth adds work that stops in its middle until a person has filled in a form.
func addBerth(p *peer.Peer) {
	p.ToolFunc("reserve_berth", func(c peer.Call) peer.Script {
		id := fmt.Sprintf(`"berth-%d"`, c.N)
		begun := p.Now()
		return peer.Script{
			peer.Prime(0),
			peer.Note("looks at the harbour plan"),
			peer.Until(begun.Add(800 * time.Millisecond)),
			peer.Note("has found a berth"),
			peer.Until(begun.Add(1600 * time.Millisecond)),
			peer.Ask(id, "elicitation/create", berthForm),
			peer.Conclude(id, reserved),
		}
	}, peer.Describe("Reserve a berth", "Looks for a berth, asks for the details in a form, and goes on "+
		"when it is filled in. Nobody has to hurry."), longWork(nil))
}

func reserved(reply json.RawMessage) string {
	var in struct {
		Action  string
		Content struct {
			Ship, Skipper string
			Nights        int
			Power         bool
		}
	}
	json.Unmarshal(reply, &in)
	said := "No berth was reserved: you declined."
	switch in.Action {
	case "accept":
		said = fmt.Sprintf("Berth 7 is reserved for the %s, skipper %s, nights: %d", in.Content.Ship,
			in.Content.Skipper, in.Content.Nights)
		if in.Content.Power {
			said += ", with shore power"
		}
		said += "."
	case "decline":
	default:
		said = "No berth was reserved: the form was closed."
	}
	b, err := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": said}}})
	if err != nil {
		panic(err) // strings are always JSON
	}
	return string(b)
}
