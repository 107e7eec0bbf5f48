//go:build !js

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// namesTwice is a server of SEP-2339, in either form, whose tool asks for a name, and once more under the
// same key where the name is too short. It is paused while a test has hold of it.
type namesTwice struct {
	inlined bool

	mu       sync.Mutex
	runs     int
	question string            // what is asked now; "" for nothing
	answers  map[string]string // to each question, as they came
	twice    int               // answers to a question that had one, or to nothing
	result   string
}

func (s *namesTwice) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			InputResponses map[string]struct{ Content struct{ Name string } }
		}
	}
	if r.Method != "POST" || json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	say := func(kind, body string) { fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%q:%s}`, m.ID, kind, body) }
	const task = `"taskId":"T","pollInterval":250`
	switch {
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", "one")
		say("result", `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},`+
			`"tasks":{"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"names","version":"1"}}`)
	case m.Method == "tools/list":
		say("result", `{"tools":[{"name":"name","inputSchema":{"type":"object"},`+
			`"execution":{"taskSupport":"required"}}]}`)
	case m.Method == "tools/call":
		s.runs++
		s.question, s.answers = "your name", map[string]string{}
		say("result", `{"task":{`+task+`,"status":"working"}}`)
	case m.Method == "tasks/continue" && !s.inlined, m.Method == "tasks/get" && s.inlined:
		if in, ok := m.Params.InputResponses["name"]; ok {
			s.answered(in.Content.Name)
		}
		switch {
		case s.result != "":
			say("result", `{`+task+`,"status":"completed","result":{"content":[{"type":"text","text":"`+
				s.result+`"}]}}`)
		case s.question == "":
			say("result", `{`+task+`,"status":"working"}`)
		default:
			say("result", `{`+task+`,"status":"input_required",`+
				`"inputRequests":{"name":{"method":"elicitation/create","params":{"message":"`+s.question+
				`","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}}}`)
		}
	default:
		say("error", `{"code":-32601,"message":"no such method"}`)
	}
}

// answered takes an answer to what is asked now.
func (s *namesTwice) answered(name string) {
	if _, had := s.answers[s.question]; had || s.question == "" {
		s.twice++
		return
	}
	s.answers[s.question] = name
	if len(name) < 3 {
		s.question = "longer please"
		return
	}
	s.question, s.result = "", name
}

// TestFault737_TheSameKeyOnceMore: a server of SEP-2339 asks again under the key that it has used: the person
// is asked again, in both forms, in either host, and where the page is reloaded before the first answer, or
// before the second one. Each answer is taken once, by the question that was shown, and the tool runs once.
func TestFault737_TheSameKeyOnceMore(t *testing.T) {
	t.Parallel()
	for _, inlined := range []bool{false, true} {
		for _, host := range []chrome.Host{chrome.PageHost, chrome.SharedHost} {
			for _, reloads := range []string{"", "your name", "longer please"} {
				t.Run(fmt.Sprintf("inlined=%v %s %s", inlined, host, reloads), func(t *testing.T) {
					row(t)
					t.Parallel()
					s := &namesTwice{inlined: inlined}
					site := chrome.NewSite(t)
					site.Handle("/mcp", s)
					options := `{ listen: false, principal: "ada", host: ` + chrome.JS(string(host)) + `, handlers: { elicitation: ({ message }) => {
						(window.shown ??= []).push(message);
						return new Promise((resolve) => (window.answer = (name) => resolve({ action: "accept", content: { name } })));
					} } }`
					page := appOn(t, site, "/mcp", options)
					chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("name", {}, { task: {} }))`)
					for _, round := range []struct{ asks, name string }{
						{"your name", "Lu"}, {"longer please", "Luca"}} {
						page.WaitFor(`window.shown?.at(-1) === ` + chrome.JS(round.asks))
						if round.asks == reloads {
							page.WaitFor(`seen.status !== undefined`)
							page.Reload()
							if n := connected(page, "/mcp", options); n != 1 {
								t.Fatalf("%d calls after the reload", n)
							}
							page.WaitFor(`window.shown?.at(-1) === ` + chrome.JS(round.asks))
						}
						chrome.Eval[chrome.Void](page, `void answer(`+chrome.JS(round.name)+`)`)
					}
					outcome(t, page, "")
					if text := chrome.Eval[string](page, `seen.result.content[0].text`); text != "Luca" {
						t.Errorf("the result is %q", text)
					}
					if got := fmt.Sprint(s.runs, s.twice, s.answers); got !=
						"1 0 map[longer please:Luca your name:Lu]" {
						t.Errorf("runs, answers twice, answers: %s", got)
					}
					if shown := chrome.Eval[string](page, `shown.join()`); strings.Count(
						shown, "longer please") != 1 {
						t.Errorf("shown in the last page: %s", shown)
					}
				})
			}
		}
	}
}
