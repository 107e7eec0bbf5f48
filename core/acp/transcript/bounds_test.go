//go:build !js

package transcript

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestTerminalOutputIsBounded: 64 MiB of terminal output, and what the page holds of it.
func TestTerminalOutputIsBounded(t *testing.T) {
	const limit, chunk = 1 << 20, 48 << 10
	tr := New(2, limit)
	data := strings.Repeat("AAAA", chunk/3)
	bytes, truncated, rules := 0, 0, 0
	emit := func(op []byte) {
		bytes += strings.Count(string(op), "AAAA") * 3
		truncated += strings.Count(string(op), `"truncated":true`)
	}
	for said := 0; said < 64<<20; said += chunk {
		if tr.Update([]byte(`{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"`+data+`"}`),
			emit) != "" {
			rules++
		}
	}
	if bytes > limit || bytes < limit-chunk || truncated != 1 || rules != 1 {
		t.Errorf(
			"%d bytes reached the page, which was told %d times that there are more; %d integrity events",
			bytes, truncated, rules)
	}
	if cap(tr.op) > 4*chunk {
		t.Errorf("the reducer keeps %d bytes", cap(tr.op))
	}
	if what := tr.Update(
		[]byte(`{"sessionUpdate":"terminal_update","terminalId":"t","output":{"data":"`+
			strings.Repeat("AAAA", limit)+`"}}`), emit); what != "" || tr.items[0].size > limit {
		t.Errorf("a snapshot of 3 MiB: %q, %d bytes", what, tr.items[0].size)
	}
}

// TestEndlessMessage: content, members that nobody knows, and a _meta whose keys never repeat are bounded
// each.
func TestEndlessMessage(t *testing.T) {
	const limit = 10_000
	for name, update := range map[string]string{
		"chunks": `{"sessionUpdate":"agent_message_chunk","messageId":"a","content":{"type":"text",` +
			`"text":"%06d"}}`,
		"tool content": `{"sessionUpdate":"tool_call_content_chunk","toolCallId":"a",` +
			`"content":{"type":"%06d"}}`,
		"summary": `{"sessionUpdate":"compaction_summary_chunk","compactionId":"a","content":{"type":"%06d"}}`,
		"unknown member": `{"sessionUpdate":"agent_message","messageId":"a",` +
			`"x%06d":"yyyyyyyyyyyyyyyyyyyyyyyyyyyy"}`,
		"meta": `{"sessionUpdate":"tool_call_update","toolCallId":"a",` +
			`"_meta":{"x%06d":"yyyyyyyyyyyyyyyyyyyyyy"}}`,
		"session meta": `{"sessionUpdate":"session_info_update","_meta":{"x%06d":"yyyyyyyyyyyyyyyyyyyyyy"}}`,
	} {
		r := newReduced(t, 2, limit)
		for i := range 2000 {
			r.do(fmt.Sprintf(update, i))
		}
		if size := len(text(r.view)); size > 2*limit || size < limit/2 {
			t.Errorf("%s: the page holds %d bytes", name, size)
		}
		if name != "session meta" && (len(r.broken) != 1 || r.broken[0] != ruleTruncated ||
			r.view.Items[0]["truncated"] != true) {
			t.Errorf("%s: %q", name, r.broken)
		}
	}
	r := newReduced(t, 2, limit)
	long := strings.Repeat(`{"type":"text","text":"0123456789"},`, 1000)
	r.do(`{"sessionUpdate":"agent_message","messageId":"a","content":[`+long[:len(long)-1]+`]}`,
		`{"sessionUpdate":"_big","x":"`+long[:0]+strings.Repeat("x", 2*limit)+`"}`)
	if size := len(text(r.view)); size > 2*limit || len(r.broken) != 2 {
		t.Errorf("%d bytes of one large message, %q", size, r.broken)
	}
}

// TestAnArrayFits as far as its bound, and no element more: at each bound, with those
// dropped that are no objects.
func TestAnArrayFits(t *testing.T) {
	elements := []string{`{"type":"text","text":"one"}`, `{}`, `{"a":[1,2]}`,
		`{"type":"text","text":"two and more"}`}
	for _, bad := range []string{"", `7,`, `"x",null,`} {
		for limit := range 100 {
			want, size := []string{}, len("[]")
			for _, e := range elements {
				if size += len(e) + len(","); size > limit {
					break
				}
				want = append(want, e)
			}
			got, full := New(2, limit).fit([]byte("[" + bad + strings.Join(elements, ",") + "]"))
			if string(got) != "["+strings.Join(want, ",")+"]" || full != (len(want) < len(elements)) {
				t.Fatalf("of %d bytes %s, full %v; want %s", limit, got, full, want)
			}
		}
	}
}

// TestManyItems: an agent that invents ids without end, short ones and long ones.
func TestManyItems(t *testing.T) {
	for name, format := range map[string]string{"short": "%d", "long": strings.Repeat("x", 4000) + "%d"} {
		tr := New(2, 1000)
		ops, refused := 0, 0
		for i := range maxItems + 500 {
			if what := tr.Update(
				fmt.Appendf(nil, `{"sessionUpdate":"agent_message","messageId":"`+format+`"}`, i),
				func([]byte) { ops++ }); what == ruleManyItems {
				refused++
			} else if what != "" {
				t.Fatal(what)
			}
			if name == "long" && refused == 10 {
				break
			}
		}
		if refused == 0 || ops != len(tr.items) || len(tr.items) > maxItems || tr.idBytes > maxIDsBytes {
			t.Errorf("%s: %d items, %d operations, %d refused, %d bytes of ids", name, len(tr.items), ops,
				refused, tr.idBytes)
		}
		tr.Update(
			fmt.Appendf(nil, `{"sessionUpdate":"agent_message_chunk","messageId":"`+format+`","content":{}}`,
				7), func([]byte) { ops++ })
		if ops != len(tr.items)+1 {
			t.Errorf("%s: what is known is no longer updated", name)
		}
	}
}

// TestIDs: what is an id, and what breaks the rule for it.
func TestIDs(t *testing.T) {
	for id, want := range map[string]string{
		`"a"`: "", `""`: "", `"__proto__"`: "", `"\ud800"`: "",
		`"` + strings.Repeat("x", maxIDBytes) + `"`:      "",
		`"` + strings.Repeat(`\u0061`, maxIDBytes) + `"`: ruleLongID,
		`"` + strings.Repeat("x", maxIDBytes+1) + `"`:    ruleLongID,
		`"` + strings.Repeat("x", 10<<10) + `"`:          ruleLongID,
		`"` + strings.Repeat(`\u0061`, 10<<10) + `"`:     ruleLongID,
		`7`: ruleID, `1.5`: ruleID, `{}`: ruleID, `["a"]`: ruleID, `true`: ruleID, `null`: ruleUpdateID,
		`"a","toolCallId":"a"`: ruleUpdateID,
	} {
		r := newReduced(t, 2, 1000).do(`{"sessionUpdate":"tool_call_update","toolCallId":` + id + `}`)
		if got := strings.Join(r.broken, ""); got != want && !(want == "" && strings.HasPrefix(got, "x")) {
			if id == `"`+strings.Repeat(`\u0061`, maxIDBytes)+`"` && got == "" {
				continue // as long as it may be, each letter an escape
			}
			t.Errorf("%.40s: %q, not %q", id, got, want)
		}
		if (len(r.view.Items) == 1) != (len(r.broken) == 0) {
			t.Errorf("%.40s: %d items", id, len(r.view.Items))
		}
	}
}

// audit checks what holds whatever an agent says.
func (r *reduced) audit(limit int) {
	r.t.Helper()
	if len(r.view.Items) != len(r.items) {
		r.t.Fatalf("%d items here, %d on the page", len(r.items), len(r.view.Items))
	}
	waiting := 0
	for _, s := range r.sent {
		if s.at < 0 {
			waiting++
		} else if r.items[s.at].kind != itemUserMessage {
			r.t.Fatalf("prompt %d is taken for item %d", s.ID, s.at)
		}
	}
	if waiting != len(r.view.Pending) {
		r.t.Fatalf("%d prompts wait, %d on the page", waiting, len(r.view.Pending))
	}
	for i, it := range r.items {
		if it.kind == itemUserMessage && it.size > limit { // a prompt of the app's is not cut
			continue
		}
		data, _ := outputOf(r.view.Items[i])
		if it.size > limit || it.loose > limit && !it.truncated || len(data) > limit {
			r.t.Fatalf("item %d: %+v", i, it)
		}
	}
}

// TestHostileUpdates spoils valid updates, one member each, between prompts and replays at any moment.
func TestHostileUpdates(t *testing.T) {
	values := []any{nil, 7, 1e300, true, "", "AAA", strings.Repeat("AAAA", 300),
		strings.Repeat("x", maxIDBytes+1), []any{}, []any{nil, 1, []any{}},
		map[string]any{}, map[string]any{"type": "items"}, map[string]any{"type": "items", "planId": 1},
		map[string]any{"data": nil}, map[string]any{"__proto__": nil}}
	first, end := histories(t)
	for seed := first; seed < end; seed++ {
		playHostile(t, seed, values)
	}
}

func playHostile(t *testing.T, seed uint64, values []any) {
	defer func() {
		if t.Failed() {
			t.Logf("play it again with HOLDFAST_SEED=%d", seed)
		}
	}()
	c, r := seeded(seed), newReduced(t, 1+int(seed%2), 500)
	for range 80 {
		u := c.update()
		names := append(slices.Sorted(maps.Keys(u)), "content", "_meta", "messageId", "type", "__proto__")
		name := names[c.IntN(len(names))]
		said := text(u)
		switch c.IntN(6) {
		case 0:
			delete(u, name)
			said = text(u)
		case 1, 2:
			u[name] = values[c.IntN(len(values))]
			said = text(u)
		case 3:
			said = said[:len(said)-1] + "," + text(name) + ":" + text(values[c.IntN(len(values))]) + "}"
		case 4:
			p := 1 + c.IntN(9)
			said = c.of(`{"accepted":%d}`, `{"accepted":%d,"messageId":"a"}`, `{"unsent":%d}`,
				`{"idle":true,"x":%d}`, `{"reset":true,"x":%d}`)
			if said = fmt.Sprintf(said, p); r.sentAs(uint64(p)) == nil && c.IntN(2) == 0 {
				said = fmt.Sprintf(`{"prompt":%d,"content":%s}`, p, text(c.blocks()))
			}
		}
		r.step(said)
		r.audit(500)
	}
}

// FuzzTranscript gives the reducer what no agent should send. It does not panic, what it emits can be
// applied, and no item outgrows its limit.
func FuzzTranscript(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.version, strings.Join(v.updates, "\n"))
	}
	f.Fuzz(func(t *testing.T, version int, script string) {
		const limit = 500
		r := newReduced(t, version, limit)
		for line := range strings.Lines(script) {
			if json.Valid([]byte(line)) {
				r.step(strings.TrimSpace(line))
			}
		}
		r.audit(limit)
	})
}

// BenchmarkTranscriptChunk is what a token of streamed text costs.
func BenchmarkTranscriptChunk(b *testing.B) {
	tr := New(2, 1<<40)
	for i := range 1000 {
		tr.Update(fmt.Appendf(nil, `{"sessionUpdate":"agent_message_chunk","messageId":"message-%d",`+
			`"content":{"type":"text","text":"x"}}`, i), func([]byte) {})
	}
	update := []byte(`{"sessionUpdate":"agent_message_chunk","messageId":"message-500",` +
		`"content":{"type":"text","text":" quick"}}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(update)))
	for b.Loop() {
		tr.Update(update, func([]byte) {})
	}
}

// TestChunkAllocatesNothing: chunks are most of what an agent says.
func TestChunkAllocatesNothing(t *testing.T) {
	tr := New(2, 1<<30)
	for _, u := range []string{chunkOf("agent_message", "a", "x"),
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"AAAA"}`} {
		update := []byte(u)
		if n := testing.AllocsPerRun(100, func() { tr.Update(update, func([]byte) {}) }); n != 0 {
			t.Errorf("%v allocations for %s", n, u)
		}
	}
}
