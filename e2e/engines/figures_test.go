//go:build !js

package engines

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// figures has TestFigures measure, and write what it has measured into docs/browsers.md.
var figures = flag.Bool("figures", false, "measure calls and bursts in each engine, beside plain fetch in "+
	"the same page, and write docs/browsers.md")

// Between these lines of the page the figures stand.
const (
	figuresBegin = "<!-- The figures are written by `make browsers-figures`. -->\n"
	figuresEnd   = "<!-- The figures end. -->\n"
)

// burstEvents is how many notifications a burst has, burstBytes what each is padded with.
const (
	burstEvents = 2_000
	burstBytes  = 200
)

// measured is a server of 2025-11-25 that costs as little as it can: it knows no session, and checks nothing.
func measured(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	for name, value := range map[string]string{"Origin": "*", "Headers": "*", "Methods": "*"} {
		header.Set("Access-Control-Allow-"+name, value)
	}
	header.Set("Access-Control-Max-Age", "600")
	switch r.Method {
	case http.MethodPost:
	case http.MethodOptions:
		w.WriteHeader(http.StatusNoContent)
		return
	default: // it has nothing to say unasked
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name string
			Meta struct {
				ProgressToken json.RawMessage
			} `json:"_meta"`
		}
	}
	if json.NewDecoder(r.Body).Decode(&m) != nil || len(m.ID) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	result := `{"content":[{"type":"text","text":"done"}]}`
	switch m.Method {
	case "initialize":
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},` +
			`"serverInfo":{"name":"measured","version":"1"}}`
	case "tools/list":
		result = `{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"burst",` +
			`"inputSchema":{"type":"object"}}]}`
	case "tools/call":
	default:
		header.Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
		return
	}
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	if m.Params.Name != "burst" {
		header.Set("Content-Type", "application/json")
		fmt.Fprint(w, answer)
		return
	}
	header.Set("Content-Type", "text/event-stream")
	var b strings.Builder
	text := strings.Repeat("x", burstBytes)
	for n := 1; n <= burstEvents; n++ {
		fmt.Fprintf(&b,
			"id: %d\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":%d,\"message\":\"%s\"}}\n\n", n, m.Params.Meta.ProgressToken, n, text)
	}
	fmt.Fprintf(&b, "id: end\ndata: %s\n\n", answer)
	fmt.Fprint(w, b.String())
}

// measuring is a page that can do both by fetch alone, and by clients in two hosts. Clocks of browsers are as
// coarse as a ms: ten calls are timed together.
const measuring = `
import "/witness.mjs";
import * as holdfast from "/holdfast.mjs";
const post = (name, token) => fetch(SERVER, {
	method: "POST",
	headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
	body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {}, _meta: { progressToken: token } } }),
});
const plain = {
	call: async () => (await (await post("echo", 1)).json()).result,
	burst: async () => {
		let seen = 0;
		let rest = "";
		const reader = (await post("burst", 1)).body.pipeThrough(new TextDecoderStream()).getReader();
		for (let part = await reader.read(); !part.done; part = await reader.read()) {
			const events = (rest + part.value).split("\n\n");
			rest = events.pop();
			for (const event of events) {
				const message = JSON.parse(event.slice(event.indexOf("data: ") + 6));
				if (message.method === "notifications/progress") seen += message.params.progress > 0 ? 1 : 0;
			}
		}
		return seen;
	},
};
const client = async (host) => {
	const mcp = await holdfast.connect(SERVER, { host });
	return {
		call: () => mcp.callTool("echo", {}).result,
		burst: async () => {
			let seen = 0;
			for await (const event of mcp.callTool("burst", {})) if (event.type === "progress") seen++;
			return seen;
		},
	};
};
const all = { plain, page: await client("page"), shared: await client("shared") };
window.calls = async (who, batches) => {
	const times = [];
	for (let n = 0; n < batches; n++) {
		const begun = performance.now();
		for (let i = 0; i < 10; i++) await all[who].call();
		times.push((performance.now() - begun) / 10);
	}
	return times.sort((a, b) => a - b)[batches >> 1];
};
window.burst = async (who, want) => {
	const begun = performance.now();
	const seen = await all[who].burst();
	if (seen !== want) throw new Error(seen + " events");
	return seen / (performance.now() - begun) * 1000;
};
window.ready = true;
`

// contenders are who does it, in the order of the columns.
var contenders = []string{"plain", "page", "shared"}

// figuresIn measures in one engine: p50 of a call in ms, and events of a burst per second, by contender. They
// take turns.
func figuresIn(s *scene) (calls, bursts map[string]float64) {
	const rounds, batches = 5, 20
	server := httptest.NewServer(http.HandlerFunc(measured))
	s.Cleanup(server.Close)
	s.own().File("/witness.mjs", witness)
	page := s.open(
		s.own().Page("/figures", strings.ReplaceAll(measuring, "SERVER", chrome.JS(server.URL+"/mcp"))))
	page.waitFor(`window.ready`)
	calls, bursts = map[string]float64{}, map[string]float64{}
	for round := range rounds {
		for _, who := range contenders {
			call := eval[float64](page, fmt.Sprintf(`calls(%q, %d)`, who, batches))
			burst := eval[float64](page, fmt.Sprintf(`burst(%q, %d)`, who, burstEvents))
			if round == 0 {
				continue // it warms up
			}
			if best, ok := calls[who]; !ok || call < best {
				calls[who] = call // whatever else the machine does makes them slower, and never quicker
			}
			bursts[who] = max(bursts[who], burst)
		}
	}
	return calls, bursts
}

// TestFigures measures calls and bursts in each engine, beside plain fetch in the same page. It asserts
// nothing.
func TestFigures(t *testing.T) {
	if !*figures {
		t.Skip("it measures with -figures: make browsers-figures")
	}
	var rows strings.Builder
	rows.WriteString("| Engine | call: `fetch` | `page` | `shared` | burst: `fetch` | `page` | `shared` " +
		"|\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, engine := range All() {
		if _, err := engine.Find(); err != nil {
			t.Fatal(err)
		}
		t.Run(engine.Name(), func(t *testing.T) {
			in := &house{engine: engine}
			defer in.forget()
			play(t, in, limits{story: 2 * *limit, grace: grace, look: lookLimit}, func(s *scene) {
				calls, bursts := figuresIn(s)
				fmt.Fprintf(&rows, "| %s |", engine.Name())
				for _, who := range contenders {
					fmt.Fprintf(&rows, " %.1f ms |", calls[who])
				}
				for _, who := range contenders {
					fmt.Fprintf(&rows, " %.0f |", bursts[who]/1000)
				}
				rows.WriteString("\n")
			})
		})
	}
	t.Log("\n" + rows.String())
	if t.Failed() {
		return
	}
	load := ""
	if now, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = ", whose load was " + strings.Fields(string(now))[0] + " at the end"
	}
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), figuresBegin)
	_, after, ends := strings.Cut(rest, figuresEnd)
	if !begins || !ends {
		t.Fatalf("%s has no place for its figures", docs)
	}
	said := fmt.Sprintf("Taken on a machine of %d cores%s.\n", runtime.NumCPU(), load)
	if err := os.WriteFile(docs,
		[]byte(before+figuresBegin+"\n"+rows.String()+"\n"+said+"\n"+figuresEnd+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
