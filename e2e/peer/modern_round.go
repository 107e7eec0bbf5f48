//go:build !js

package peer

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A round is one input_required answer that the client may come back to
// (2026-07-28 basic/patterns/mrtr).
type round struct {
	id     string
	sense  string // what the request was, without _meta and inputs
	wanted []string
}

// sense is what must not change from one round to the next.
func sense(m envelope) string {
	params := members(m.params)
	for _, key := range []string{"_meta", "inputResponses", "requestState"} {
		delete(params, key)
	}
	return m.method + " " + quote(params)
}

func (m *modern) asked(r *run, inputs, state string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rounds == nil {
		m.rounds = make(map[string]round)
	}
	m.rounds[state] = round{
		id: r.id, sense: sense(envelope{method: r.method, params: r.params}),
		wanted: sorted(members(json.RawMessage(inputs))),
	}
}

// judgeRound looks at the retry of a request that was answered with
// input_required.
func (p *Peer) judgeRound(m envelope) {
	state, inputs := field(m.params, "requestState"), field(m.params, "inputResponses")
	for key, answer := range members(inputs) {
		if field(answer, "jsonrpc") != nil || field(answer, "resultType") != nil {
			p.log.violation("%s: inputResponses.%s is more than the bare result", m.method, key)
		}
	}
	if state == nil {
		return
	}
	p.modern.mu.Lock()
	from, known := p.modern.rounds[text(m.params, "requestState")]
	p.modern.mu.Unlock()
	switch {
	case !known:
		p.log.violation("%s: requestState %s was never given out", m.method, state)
	case from.sense != sense(m):
		p.log.violation("%s: requestState of another request (%s)", m.method, from.sense)
	case from.id == m.id:
		p.log.violation("%s: retry with the id of the request, %s", m.method, m.id)
	default:
		for _, key := range from.wanted {
			if _, ok := members(inputs)[key]; !ok {
				p.log.violation("%s: retry without the input %q", m.method, key)
			}
		}
	}
}

// lose remembers a request that ended without answer: it may come again, but
// under another id (changelog 2026-07-28, item 9).
func (m *modern) lose(e envelope) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lost == nil {
		m.lost = make(map[string][]byte)
	}
	m.lost[e.id] = []byte(sense(e))
}

// wasLost compares the sense too: ids of another client, or of a reloaded page,
// may be the same by chance.
func (m *modern) wasLost(e envelope) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	before, ok := m.lost[e.id]
	return ok && bytes.Equal(before, []byte(sense(e)))
}

// InputRequired answers tools/call, prompts/get or resources/read with
// resultType input_required. inputs is the JSON of inputRequests, state the
// requestState string itself; "" leaves either out. The next round runs the
// script again, with Call.InputResponses and Call.RequestState.
func InputRequired(inputs, state string) Step {
	return Step{func(r *run) {
		result := `{"resultType":"input_required"`
		if inputs != "" {
			result += `,"inputRequests":` + inputs
		}
		if state != "" {
			result += `,"requestState":` + quote(state)
			r.p.modern.asked(r, inputs, state)
		}
		r.answer(response(r.id, "result", result+"}"))
	}}
}

// Elicitation is the JSON of an elicitation/create input request in form mode.
func Elicitation(message, schema string) string {
	return fmt.Sprintf(
		`{"method":"elicitation/create","params":{"mode":"form","message":%s,"requestedSchema":%s}}`,
		quote(message), schema)
}
