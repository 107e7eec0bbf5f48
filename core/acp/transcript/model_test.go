//go:build !js

package transcript

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"
)

// model reduces updates in the most straightforward way, to compare with: maps, and ACP "Schema",
// SessionUpdate read off. It shares nothing with the reducer.
type model struct {
	items   []map[string]any
	session map[string]any
}

func (m *model) item(kind string, id any) map[string]any {
	for _, it := range m.items {
		if it["type"] == kind && it["id"] == id {
			return it
		}
	}
	it := map[string]any{"type": kind, "id": id}
	m.items = append(m.items, it)
	return it
}

func (m *model) apply(update map[string]any) {
	name := update["sessionUpdate"].(string)
	rest := map[string]any{}
	for k, v := range update {
		if k != "sessionUpdate" && k != "messageId" && k != "toolCallId" && k != "terminalId" &&
			k != "compactionId" {
			rest[k] = v
		}
	}
	appendTo := func(it map[string]any, content any) {
		list, _ := it["content"].([]any)
		it["content"] = append(slices.Clip(list), content)
	}
	switch name {
	case "user_message", "agent_message", "agent_thought":
		patch(m.item(name, update["messageId"]), rest)
	case "user_message_chunk", "agent_message_chunk", "agent_thought_chunk":
		appendTo(m.item(name[:len(name)-len("_chunk")], update["messageId"]), update["content"])
	case "tool_call_update":
		patch(m.item("tool_call", update["toolCallId"]), rest)
	case "tool_call_content_chunk":
		appendTo(m.item("tool_call", update["toolCallId"]), update["content"])
	case "terminal_update":
		patch(m.item("terminal", update["terminalId"]), rest)
	case "terminal_output_chunk":
		it := m.item("terminal", update["terminalId"])
		old, _ := outputOf(it)
		more, _ := decoded(update["data"].(string))
		it["output"] = map[string]any{"data": base64.StdEncoding.EncodeToString(append(old, more...))}
	case "compaction_update":
		if summary, ok := rest["summary"]; ok {
			delete(rest, "summary")
			rest["content"] = summary
		}
		patch(m.item("compaction", update["compactionId"]), rest)
	case "compaction_summary_chunk":
		n := len(m.items)
		it := m.item("compaction", update["compactionId"])
		if len(m.items) > n {
			it["status"] = "in_progress"
		}
		appendTo(it, update["content"])
	case "plan_update":
		plan := update["plan"].(map[string]any)
		it := m.item("plan", plan["planId"])
		delete(it, "_meta")
		it["entries"] = plan["entries"]
		if meta, ok := plan["_meta"].(map[string]any); ok {
			it["_meta"] = meta
		}
	case "notice":
		it := map[string]any{"type": "notice"}
		patch(it, rest)
		m.items = append(m.items, it)
	case "available_commands_update", "config_option_update", "session_info_update":
		patch(m.session, rest)
	case "usage_update":
		usage, _ := m.session["usage"].(map[string]any)
		now := map[string]any{"used": rest["used"], "size": rest["size"]}
		if cost, said := rest["cost"]; said && cost != nil {
			now["cost"] = cost
		} else if old, had := usage["cost"]; had && !said {
			now["cost"] = old
		}
		m.session["usage"] = now
	case "state_update":
	default:
		it := map[string]any{"type": name}
		patch(it, update)
		m.items = append(m.items, it)
	}
}

// chance makes random updates.
type chance struct{ *rand.Rand }

func seeded(seed uint64) chance { return chance{rand.New(rand.NewPCG(seed, 120))} }

func (c chance) of(words ...string) string { return words[c.IntN(len(words))] }

func (c chance) id() string {
	return c.of("a", "b", "c", "d", "__proto__", "constructor", "", "é ", `"\`)
}

func (c chance) block() map[string]any {
	switch c.IntN(6) {
	case 0:
		return map[string]any{"type": "resource_link", "uri": "file:///" + c.of("a", "b"), "name": "n"}
	case 1:
		return map[string]any{"type": "_future", "deep": []any{nil, map[string]any{"x": "y"}}}
	}
	return map[string]any{"type": "text", "text": c.of("He", "llo", " ", "\n", "Wörld", "</b>", "")}
}

func (c chance) blocks() any {
	if c.IntN(6) == 0 {
		return nil
	}
	list := []any{}
	for range c.IntN(4) {
		list = append(list, c.block())
	}
	return list
}

func (c chance) bytes() string {
	b := make([]byte, c.IntN(9))
	for i := range b {
		b[i] = byte(c.Uint32())
	}
	return base64.StdEncoding.EncodeToString(b)
}

// maybe sets some of an upsert's members: to null, to a value, or not at all.
func (c chance) maybe(update map[string]any, names ...string) {
	for _, name := range names {
		switch c.IntN(4) {
		case 0:
			update[name] = nil
		case 1:
			update[name] = c.of("read", "completed", "x")
		}
	}
	switch c.IntN(8) {
	case 0:
		update["_meta"] = nil
	case 1, 2:
		update["_meta"] = map[string]any{c.of("a", "b"): nil, c.of("c", "d"): c.of("1", "2")}
	}
}

func (c chance) update() map[string]any {
	u := map[string]any{}
	kind := c.of("user_message", "agent_message", "agent_thought")
	switch c.IntN(14) {
	case 0, 1:
		u["sessionUpdate"], u["messageId"] = kind, c.id()
		if c.IntN(3) > 0 {
			u["content"] = c.blocks()
		}
		c.maybe(u)
	case 2, 3, 4:
		u["sessionUpdate"], u["messageId"], u["content"] = kind+"_chunk", c.id(), c.block()
	case 5, 6:
		u["sessionUpdate"], u["toolCallId"] = "tool_call_update", c.id()
		if c.IntN(3) == 0 {
			u["content"] = c.blocks()
		}
		c.maybe(u, "title", "kind", "status", "rawInput", "rawOutput", "locations", "future")
	case 7:
		u["sessionUpdate"], u["toolCallId"], u["content"] = "tool_call_content_chunk", c.id(),
			map[string]any{"type": "content", "content": c.block()}
	case 8:
		u["sessionUpdate"], u["terminalId"] = "terminal_update", c.id()
		switch c.IntN(4) {
		case 0:
			u["output"] = nil
		case 1:
			u["output"] = map[string]any{"data": c.bytes()}
		}
		c.maybe(u, "command", "cwd", "exitStatus", "capabilities")
	case 9:
		u["sessionUpdate"], u["terminalId"], u["data"] = "terminal_output_chunk", c.id(), c.bytes()
	case 10:
		plan := map[string]any{"type": "items", "planId": c.id(),
			"entries": []any{map[string]any{"content": c.of("x", "y")}}}
		if c.IntN(2) == 0 {
			plan["_meta"] = map[string]any{c.of("a", "b"): "1"}
		}
		u["sessionUpdate"], u["plan"] = "plan_update", plan
	case 11:
		u["sessionUpdate"], u["compactionId"] = "compaction_summary_chunk", c.id()
		if u["content"] = c.block(); c.IntN(2) == 0 {
			delete(u, "content")
			u["sessionUpdate"], u["status"] = "compaction_update", c.of("in_progress", "completed")
			if c.IntN(2) == 0 {
				u["summary"] = c.blocks()
			}
			c.maybe(u, "error")
		}
	case 12:
		switch c.IntN(5) {
		case 0:
			u["sessionUpdate"], u["availableCommands"] = "available_commands_update",
				[]any{map[string]any{"name": c.of("x", "y")}}
		case 1:
			u["sessionUpdate"], u["configOptions"] = "config_option_update", []any{}
		case 2:
			u["sessionUpdate"] = "session_info_update"
			c.maybe(u, "title", "updatedAt")
		default:
			u["sessionUpdate"], u["used"], u["size"] = "usage_update", float64(c.IntN(99)), 100.0
			switch c.IntN(3) {
			case 0:
				u["cost"] = nil
			case 1:
				u["cost"] = map[string]any{"amount": float64(c.IntN(9)), "currency": "USD"}
			}
		}
	case 13:
		switch c.IntN(3) {
		case 0:
			u["sessionUpdate"], u["severity"], u["title"] = "notice", "info", c.of("x", "y")
		case 1:
			u["sessionUpdate"], u["state"] = "state_update", c.of("running", "idle")
		default:
			u["sessionUpdate"], u["what"] = c.of("_acme/x", "future_update"), map[string]any{"messageId": "a"}
		}
	}
	return u
}

// histories returns the seeds of random histories: HOLDFAST_SEED=n plays history n alone,
// HOLDFAST_HISTORIES=n plays n.
func histories(t *testing.T) (first, end uint64) {
	number := func(name string, otherwise uint64) uint64 {
		n, err := strconv.ParseUint(cmp.Or(os.Getenv(name), strconv.FormatUint(otherwise, 10)), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if os.Getenv("HOLDFAST_SEED") != "" {
		first = number("HOLDFAST_SEED", 1)
		return first, first + 1
	}
	return 1, 1 + number("HOLDFAST_HISTORIES", 400)
}

// TestTranscriptIsTheModel reduces random histories of version 2 and compares what the page has with the
// model.
func TestTranscriptIsTheModel(t *testing.T) {
	first, end := histories(t)
	for seed := first; seed < end; seed++ {
		c, r, m := seeded(seed), newReduced(t, 2, 1<<20), &model{session: map[string]any{}}
		for range c.IntN(120) {
			u := text(c.update())
			var parsed map[string]any
			if err := json.Unmarshal([]byte(u), &parsed); err != nil {
				t.Fatal(err)
			}
			m.apply(parsed)
			r.do(u)
		}
		if r.broken != nil {
			t.Fatalf("HOLDFAST_SEED=%d: the rules %q were broken", seed, r.broken)
		}
		same(t, fmt.Sprintf("HOLDFAST_SEED=%d", seed), r.view.Items, m.items)
		same(t, fmt.Sprintf("HOLDFAST_SEED=%d", seed), r.view.Session, m.session)
	}
}

func same(t *testing.T, about string, got, want any) {
	t.Helper()
	if a, b := text(got), text(want); a != b &&
		!(reflect.ValueOf(got).Len() == 0 && reflect.ValueOf(want).Len() == 0) {
		t.Fatalf("%s:\ngot  %s\nwant %s", about, a, b)
	}
}
