//go:build !js

package e2e

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// keysSeen notes the idempotency keys that a server gets, by label.
type keysSeen struct {
	mu sync.Mutex
	of map[string][]string
}

// note is the script of a tool that notes its key, waits at the gate that it is given,
// and is lost in its first runs, as many as the argument lose says.
func (k *keysSeen) note(c peer.Call) peer.Script {
	var meta struct {
		Key string `json:"io.github.holdfast-mcp/idempotencyKey"`
	}
	var in struct {
		Lose int
		Gate string
	}
	json.Unmarshal(c.Meta, &meta)
	json.Unmarshal(c.Arguments, &in)
	k.mu.Lock()
	k.of[c.Label] = append(k.of[c.Label], meta.Key)
	k.mu.Unlock()
	var s peer.Script
	if in.Gate != "" {
		s = append(s, peer.Gate(in.Gate))
	}
	if c.Run <= in.Lose {
		return append(s, peer.Cut(peer.FIN))
	}
	return append(s, peer.Result(`{"content":[]}`))
}

// TestFault144_SameKeyWheneverItIsSent: the key of a call is the same in every run of
// it: one that the runtime makes, one that a later page makes, and one that the app
// asks for, in the page that made the call or in the next one.
func TestFault144_SameKeyWheneverItIsSent(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{NoReuse: true}) // on a fresh connection Chrome resends nothing by itself
	seen := &keysSeen{of: map[string][]string{}}
	p.ToolFunc("keyed", seen.note, peer.Schema(`{"type":"object","properties":{"call":{"type":"string"},`+
		`"lose":{"type":"integer"},"gate":{"type":"string"}}}`))
	page := app(t, p.URL(), `{ ack: "manual" }`)
	chrome.Script[chrome.Void](page, `
		await mcp.callTool("keyed", { call: "rerun", lose: 1 }, { rerun: "always" }).result;
		const lost = mcp.callTool("keyed", { call: "replay", lose: 1 });
		await lost.result.catch(() => {});
		await lost.retry().result;
		void mcp.callTool("keyed", { call: "reload", gate: "a" }, { rerun: "always" }).result.catch(() => {});
		void mcp.callTool("keyed", { call: "later", gate: "b" }).result.catch(() => {});`)
	p.Waiting("a")
	p.Waiting("b")
	page.Reload()
	connected(page, p.URL(), `{ ack: "manual" }`)
	p.Release("a")
	p.Release("b")
	names := chrome.Script[map[string]string](page, `
		const calls = await mcp.calls();
		const of = (label) => calls.find((call) => call.params.arguments.call === label);
		await of("reload").result;
		await of("later").result.catch(() => {});
		const again = of("later").retry();
		await again.result;
		return { rerun: "", replay: "", reload: of("reload").id, later: again.id };`)
	all := map[string]string{}
	for _, label := range []string{"rerun", "replay", "reload", "later"} {
		keys := seen.of[label]
		if len(keys) != 2 || keys[0] == "" || keys[0] != keys[1] {
			t.Errorf("%s is sent with the keys %q", label, keys)
			continue
		}
		if other := all[keys[0]]; other != "" {
			t.Errorf("%s and %s have one key", label, other)
		}
		all[keys[0]] = label
		if name := names[label]; name != "" && name != keys[0] {
			t.Errorf("%s has the id %q, and is sent with %q", label, name, keys[0])
		}
	}
}
