//go:build !js

package peer

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Counting adds the tool count, whose every message can be told from every
// other: progress 1 to n, then a result that names n. The arguments are
//
//	call      label for the Oracle
//	n         how far
//	every_ms  pause before each number and the result
//	gate      waited at before each number and the result: Pass lets one out
//	bytes     length of padding in each message
//	retry_ms  in the priming event of 2025-11-25; left out if negative or missing
//	fail      ends with a JSON-RPC error in place of the result
//
// The message of a progress notification is "<label>#<run>:<seq>", a blank and
// the padding: see ParseMark. The run goes on whatever becomes of its client.
// cuts may cut it after any number; nil never does.
func (p *Peer) Counting(cuts *RandomCuts, traits ...Trait) {
	p.ToolFunc("count", func(c Call) Script {
		var in struct {
			N     int
			Every int `json:"every_ms"`
			Gate  string
			Bytes int
			Retry *int `json:"retry_ms"`
			Fail  bool
		}
		if err := json.Unmarshal(c.Arguments, &in); err != nil {
			return Script{Error(-32602, err.Error())}
		}
		retry := -1
		if in.Retry != nil {
			retry = *in.Retry
		}
		var script Script
		if c.Revision == Revision20251125 {
			script = append(script, Prime(retry))
		}
		// The headers first: a cut before them is another fault (35).
		script = append(script, Open())
		dice := cuts.dice(c)
		step := func(s Step) {
			if in.Every > 0 {
				script = append(script, Pause(time.Duration(in.Every)*time.Millisecond))
			}
			if in.Gate != "" {
				script = append(script, Gate(in.Gate))
			}
			script = append(script, dice.around(s)...)
		}
		for i := 1; i <= in.N; i++ {
			step(number(c, i, in.N, in.Bytes))
		}
		if in.Fail {
			step(Error(-32000, fmt.Sprintf("counted %d and failed", in.N)))
			return script
		}
		step(Result(fmt.Sprintf(`{"content":[{"type":"text","text":"counted %d"}],`+
			`"structuredContent":{"call":%s,"run":%d,"n":%d}}`,
			in.N, quote(c.Label), c.Run, in.N)))
		return script
	}, append([]Trait{Describe("Count", "Counts to n."), Schema(
		`{"type":"object","properties":{"call":{"type":"string"},"n":{"type":"integer"},` +
			`"every_ms":{"type":"integer"},"gate":{"type":"string"},"bytes":{"type":"integer"},` +
			`"retry_ms":{"type":"integer"},"fail":{"type":"boolean"}},"required":["n"]}`)}, traits...)...)
}

// number sends one number, as progress if the call has a token, and as a log
// message if not.
func number(c Call, seq, n, padding int) Step {
	mark := fmt.Sprintf("%s#%d:%d", c.Label, c.Run, seq)
	if padding > 0 {
		mark += " " + strings.Repeat("x", padding)
	}
	return Step{func(r *run) {
		e := r.p.oracle.find(r.session, r.id)
		e.note(func() { e.produced = append(e.produced, seq) })
		if r.token == "" {
			Notify("notifications/message", quote(map[string]any{"level": "info", "data": mark})).do(r)
			return
		}
		Progress(float64(seq), float64(n), mark).do(r)
	}}
}

// Pause stops the script for a time. Tests that can name what they wait for use
// a Gate.
func Pause(d time.Duration) Step {
	return Step{func(r *run) {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
		case <-r.ctx.Done():
		}
	}}
}
