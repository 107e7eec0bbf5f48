//go:build !js

package transcript

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"testing"
)

// retold returns updates that tell the items again, as an agent does in a replay: each item whole or in
// chunks, the chunks of several in any order once all of them have begun.
func (c chance) retold(items []map[string]any) []string {
	first, queues := []string{}, [][]string{}
	for _, it := range items {
		updates := c.retoldItem(it)
		first = append(first, updates[0])
		queues = append(queues, updates[1:])
	}
	for len(queues) > 0 {
		i := c.IntN(len(queues))
		if len(queues[i]) == 0 {
			queues = append(queues[:i], queues[i+1:]...)
			continue
		}
		first = append(first, queues[i][0])
		queues[i] = queues[i][1:]
	}
	return first
}

var retellings = map[string]struct{ whole, chunk, id, content string }{
	"user_message":  {"user_message", "user_message_chunk", "messageId", "content"},
	"agent_message": {"agent_message", "agent_message_chunk", "messageId", "content"},
	"agent_thought": {"agent_thought", "agent_thought_chunk", "messageId", "content"},
	"tool_call":     {"tool_call_update", "tool_call_content_chunk", "toolCallId", "content"},
	"terminal":      {"terminal_update", "terminal_output_chunk", "terminalId", "output"},
	"compaction":    {"compaction_update", "compaction_summary_chunk", "compactionId", "summary"},
}

func (c chance) retoldItem(it map[string]any) (updates []string) {
	kind := it["type"].(string)
	if kind == "plan" {
		plan := map[string]any{"type": "items", "planId": it["id"], "entries": it["entries"]}
		if it["_meta"] != nil {
			plan["_meta"] = it["_meta"]
		}
		return []string{text(map[string]any{"sessionUpdate": "plan_update", "plan": plan})}
	}
	names := retellings[kind]
	whole := map[string]any{"sessionUpdate": names.whole, names.id: it["id"]}
	for k, v := range it {
		if k != "type" && k != "id" && k != "content" && k != "output" {
			whole[k] = v
		}
	}
	content, bytes := it["content"], it["output"]
	list, _ := content.([]any)
	switch {
	case c.IntN(2) == 0: // whole
		if content != nil {
			whole[names.content] = content
		}
		if bytes != nil {
			whole["output"] = bytes
		}
		return []string{text(whole)}
	case kind == "terminal":
		data, _ := outputOf(it)
		for len(data) > 0 {
			n := 1 + c.IntN(len(data))
			updates = append(updates,
				text(map[string]any{"sessionUpdate": names.chunk, names.id: it["id"],
					"data": base64.StdEncoding.EncodeToString(data[:n])}))
			data = data[n:]
		}
	default:
		for _, block := range list {
			for _, piece := range c.pieces(block.(map[string]any)) {
				updates = append(updates,
					text(map[string]any{"sessionUpdate": names.chunk, names.id: it["id"], "content": piece}))
			}
		}
	}
	return append([]string{text(whole)}, updates...)
}

// pieces cuts a block of text as a model streams it; other blocks come whole.
func (c chance) pieces(block map[string]any) []map[string]any {
	said, _ := block["text"].(string)
	letters := []rune(said)
	if block["type"] != "text" || len(letters) < 2 {
		return []map[string]any{block}
	}
	n := 1 + c.IntN(len(letters)-1)
	return []map[string]any{{"type": "text", "text": string(letters[:n])},
		{"type": "text", "text": string(letters[n:])}}
}

// told is what stays of a transcript whichever way it is told: without what is live only, neighbouring text
// as one, and no difference between nothing and none.
func told(items []map[string]any) []map[string]any {
	kept := []map[string]any{}
	for _, it := range items {
		if _, known := retellings[it["type"].(string)]; !known && it["type"] != "plan" {
			continue
		}
		out := map[string]any{}
		for k, v := range it {
			if k != "content" {
				out[k] = v
			}
		}
		if data, _ := outputOf(it); len(data) == 0 {
			delete(out, "output")
		}
		list, _ := it["content"].([]any)
		merged := []any{}
		for _, e := range list {
			block := e.(map[string]any)
			if last := len(merged) - 1; block["type"] == "text" {
				if last >= 0 && merged[last].(map[string]any)["type"] == "text" {
					merged[last] = map[string]any{"type": "text",
						"text": merged[last].(map[string]any)["text"].(string) + block["text"].(string)}
					continue
				} else if block["text"] == "" {
					continue
				}
			}
			merged = append(merged, e)
		}
		if len(merged) > 0 {
			out["content"] = merged
		}
		kept = append(kept, out)
	}
	return kept
}

// TestReplayConverges tells random histories again after a reset: the page has the same transcript as before,
// whether messages come whole or in chunks.
func TestReplayConverges(t *testing.T) {
	first, end := histories(t)
	for seed := first; seed < end; seed++ {
		c, r := seeded(seed), newReduced(t, 2, 1<<20)
		for range c.IntN(120) {
			r.do(text(c.update()))
		}
		before := r.view.Items
		for again := range 2 {
			r.Reset(r.emit)
			if len(r.view.Items) != 0 || len(r.view.Session) != 0 {
				t.Fatalf("HOLDFAST_SEED=%d: something is left after a reset", seed)
			}
			r.do(c.retold(told(before))...)
			same(t, fmt.Sprintf("HOLDFAST_SEED=%d, replay %d", seed, again), told(r.view.Items), told(before))
		}
	}
}

// TestInterleavedMessages: chunks of fifty messages of three types with the same ids come in any order.
func TestInterleavedMessages(t *testing.T) {
	for seed := range uint64(10) {
		c, r := seeded(seed), newReduced(t, 2, 1<<20)
		type stream struct {
			kind, id string
			said     int
		}
		streams := make([]*stream, 50)
		for i := range streams {
			streams[i] = &stream{[]string{"user_message", "agent_message", "agent_thought"}[i%3],
				strconv.Itoa(i / 3), 0}
		}
		for range 2000 {
			s := streams[c.IntN(len(streams))]
			r.do(chunkUpdate(s.kind, s.id, strconv.Itoa(s.said)+","))
			s.said++
		}
		all := told(r.view.Items)
		for _, s := range streams {
			want := ""
			for i := range s.said {
				want += strconv.Itoa(i) + ","
			}
			got, found := "", 0
			for _, it := range all {
				if it["type"] == s.kind && it["id"] == s.id {
					found++
					got = it["content"].([]any)[0].(map[string]any)["text"].(string)
				}
			}
			if found != 1 || got != want {
				t.Fatalf("HOLDFAST_SEED=%d: %s %s is there %d times and says %q", seed, s.kind, s.id, found,
					got)
			}
		}
	}
}

func chunkUpdate(kind, id, said string) string {
	return text(map[string]any{"sessionUpdate": kind + "_chunk", "messageId": id,
		"content": map[string]any{"type": "text", "text": said}})
}
