//go:build !js

package peer

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Asking adds the tool ask, which needs its client's user: it sends questions as
// elicitation/create one after another, and names every answer in its result.
// The arguments are
//
//	call       label for the Oracle
//	questions  how many; 1 if left out
//	gate       waited at before each question
//	away       cuts the connection (FIN) before each question, so that the server
//	           asks while nobody is there (getStatus: hasInputRequest)
//
// The ids are "<label>.<run>.q1", "<label>.<run>.q2", ...; what became of each is
// in Oracle.Questions.
func (p *Peer) Asking(traits ...Trait) {
	p.ToolFunc("ask", func(c Call) Script {
		var in struct {
			Questions int
			Gate      string
			Away      bool
		}
		json.Unmarshal(c.Arguments, &in)
		script := Script{Open()}
		var ids []string
		for i := range max(in.Questions, 1) {
			id := quote(fmt.Sprintf("%s.%d.q%d", c.Label, c.Run, i+1))
			ids = append(ids, id)
			if in.Gate != "" {
				script = append(script, Gate(in.Gate))
			}
			if in.Away {
				script = append(script, Cut(FIN))
			}
			script = append(script, Ask(id, "elicitation/create", fmt.Sprintf(
				`{"message":"Question %d?","requestedSchema":{"type":"object",`+
					`"properties":{"answer":{"type":"string"}},"required":["answer"]}}`, i+1)), Reply(id))
		}
		return primed(c, append(script, answers(ids))...)
	}, append([]Trait{Describe("Ask", "Asks the user."), Schema(
		`{"type":"object","properties":{"call":{"type":"string"},"questions":{"type":"integer"},` +
			`"gate":{"type":"string"},"away":{"type":"boolean"}}}`)}, traits...)...)
}

// answers answers a tool call with what the client said to its questions.
func answers(ids []string) Step {
	return Step{func(r *run) {
		list := replies(r, ids)
		Result(`{"content":[{"type":"text","text":` + quote(list) + `}],"structuredContent":{"answers":` +
			list + `}}`).do(r)
	}}
}

// replies are the answers to questions, as a JSON array.
func replies(r *run, ids []string) string {
	var all []string
	r.session.mu.Lock()
	for _, id := range ids {
		all = append(all, string(r.session.replies[id].outcome))
	}
	r.session.mu.Unlock()
	return "[" + strings.Join(all, ",") + "]"
}
