//go:build !js

package peer

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Working adds the tool work, which takes its time and may fail in each way that
// tasks know. The arguments are
//
//	call      label for the Oracle
//	steps     how many notes and progress messages it makes
//	every_ms  pause before each, and before the end
//	gate      waited at before each, and before the end
//	ask       asks so many questions before the end, all at once
//	fail      "error" ends with a JSON-RPC error, "tool" with isError
//
// The keys of the questions are "<label>.<run>.q1", ..., and the result names
// the answers. Counting and Asking make tasks as well.
func (p *Peer) Working(traits ...Trait) {
	p.ToolFunc("work", func(c Call) Script {
		var in struct {
			Steps int
			Every int `json:"every_ms"`
			Gate  string
			Ask   int
			Fail  string
		}
		json.Unmarshal(c.Arguments, &in)
		script := primed(c, Open())
		pace := pacing(in.Every, in.Gate)
		for i := range in.Steps {
			script = append(script, pace...)
			script = append(script, Note(fmt.Sprintf("step %d of %d", i+1, in.Steps)),
				Progress(float64(i+1), float64(in.Steps), ""))
		}
		var ids []string
		for i := range in.Ask {
			id := quote(fmt.Sprintf("%s.%d.q%d", c.Label, c.Run, i+1))
			ids = append(ids, id)
			script = append(script, Ask(id, "elicitation/create", fmt.Sprintf(
				`{"mode":"form","message":"Question %d?","requestedSchema":{"type":"object",`+
					`"properties":{"answer":{"type":"string"}},"required":["answer"]}}`, i+1)))
		}
		for _, id := range ids {
			script = append(script, Reply(id))
		}
		script = append(script, pace...)
		switch {
		case in.Fail == "error":
			return append(script, Error(-32000, c.Label+" failed"))
		case in.Fail == "tool":
			return append(script,
				Result(`{"content":[{"type":"text","text":`+quote(c.Label+" failed")+`}],"isError":true}`))
		case in.Ask > 0:
			return append(script, answers(ids))
		}
		return append(script, Result(fmt.Sprintf(`{"content":[{"type":"text","text":"worked %d"}],`+
			`"structuredContent":{"call":%s,"run":%d,"steps":%d}}`,
			in.Steps, quote(c.Label), c.Run, in.Steps)))
	}, append([]Trait{Describe("Work", "Takes its time."), Schema(
		`{"type":"object","properties":{"call":{"type":"string"},"steps":{"type":"integer"},` +
			`"every_ms":{"type":"integer"},"gate":{"type":"string"},"ask":{"type":"integer"},` +
			`"fail":{"type":"string"}}}`)}, traits...)...)
}

// Narrating adds the tool tell, whose result is made of segments (see Streaming,
// which AsTask gives it). The arguments are
//
//	call      label for the Oracle
//	n         how many segments
//	every_ms  pause before each and the end
//	gate      waited at before each and the end
//	bytes     length of padding in each
//	ask       asks so many questions halfway, all at once
//	fail      "error" or "tool" in place of the end
//
// The keys of the questions are those of Working, each with itself as what it
// asks, and structuredContent has the answers. The text of a segment is "<label>#<run>:<seq>", a blank and
// the padding: see ParseMark. structuredContent names n. cuts may cut at any segment.
func (p *Peer) Narrating(cuts *RandomCuts, traits ...Trait) {
	p.ToolFunc("tell", func(c Call) Script {
		var in struct {
			N     int
			Every int `json:"every_ms"`
			Gate  string
			Bytes int
			Ask   int
			Fail  string
		}
		json.Unmarshal(c.Arguments, &in)
		script, dice, pace := primed(c), cuts.dice(c), pacing(in.Every, in.Gate)
		var ids []string
		for i := range in.N {
			if i == in.N/2 {
				ids = questions(c, in.Ask)
				script = append(script, inputs(ids)...)
			}
			mark := fmt.Sprintf("%s#%d:%d", c.Label, c.Run, i+1)
			if in.Bytes > 0 {
				mark += " " + strings.Repeat("x", in.Bytes)
			}
			script = append(append(script, pace...), dice.around(tellOne(i+1, mark))...)
		}
		script = append(script, pace...)
		switch in.Fail {
		case "error":
			return append(script, Error(-32000, c.Label+" failed"))
		case "tool":
			return append(script, Merged(`"isError":true`))
		}
		return append(script, Step{func(r *run) {
			Merged(fmt.Sprintf(`"structuredContent":{"call":%s,"run":%d,"n":%d,"answers":%s},"isError":false`,
				quote(c.Label), c.Run, in.N, replies(r, ids))).do(r)
		}})
	}, append([]Trait{Describe("Tell", "Tells a story in segments."), Schema(
		`{"type":"object","properties":{"call":{"type":"string"},"n":{"type":"integer"},` +
			`"every_ms":{"type":"integer"},"gate":{"type":"string"},"bytes":{"type":"integer"},` +
			`"ask":{"type":"integer"},"fail":{"type":"string"}},"required":["n"]}`)}, traits...)...)
}

// questions are the ids of what a run asks.
func questions(c Call, n int) (ids []string) {
	for i := range n {
		ids = append(ids, quote(fmt.Sprintf("%s.%d.q%d", c.Label, c.Run, i+1)))
	}
	return ids
}

// inputs asks all of that at once, and waits for all answers.
func inputs(ids []string) (script Script) {
	for _, id := range ids {
		script = append(script, Ask(id, "elicitation/create", `{"mode":"form","message":`+id+
			`,"requestedSchema":{"type":"object","properties":{"answer":{"type":"string"}},`+
			`"required":["answer"]}}`))
	}
	for _, id := range ids {
		script = append(script, Reply(id))
	}
	return script
}

func tellOne(seq int, mark string) Step {
	return Step{func(r *run) {
		e := r.p.oracle.find(r.session, r.id)
		e.note(func() { e.produced = append(e.produced, seq) })
		TextSegment(mark).do(r)
	}}
}

func pacing(every int, gate string) (s Script) {
	if every > 0 {
		s = append(s, Pause(time.Duration(every)*time.Millisecond))
	}
	if gate != "" {
		s = append(s, Gate(gate))
	}
	return s
}

// HelloWorld adds the tool of the examples in SEP-2339 and SEP-2663: it asks for
// a name under the key "name". The examples answer with content.input, against
// the schema that they show: both members are understood.
func (p *Peer) HelloWorld(traits ...Trait) {
	p.Tool("hello_world", append(Input("name", "elicitation/create",
		`{"mode":"form","message":"Please enter your name.","requestedSchema":{"type":"object",`+
			`"properties":{"name":{"type":"string"}},"required":["name"]}}`),
		Step{func(r *run) {
			r.session.mu.Lock()
			reply := r.session.replies[`"name"`].outcome
			r.session.mu.Unlock()
			name := text(reply, "content", "name")
			if name == "" {
				name = text(reply, "content", "input")
			}
			if text(reply, "action") != "accept" {
				name = "stranger"
			}
			Result(`{"content":[{"type":"text","text":` + quote("Hello, "+name+"!") +
				`}],"isError":false}`).do(r)
		}}), append([]Trait{Describe("Hello", "Greets.")}, traits...)...)
}
