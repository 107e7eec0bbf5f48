//go:build !js

package e2e

import (
	"encoding/json"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryTaskResponseModes: "Client correctly specifies responseModes in
// task-augmented requests" (SEP-1905, checklist). A server that declares response
// modes is told which the page takes, in the order that the proposal prefers; one
// that does not is asked for a plain task, and a call without a task for nothing.
func TestStoryTaskResponseModes(t *testing.T) {
	t.Parallel()
	const allOfThem = `["immediate","streaming","task"]`
	for _, one := range []struct {
		name          string
		modes         []string // the server's
		options       string
		asTask        bool
		responseModes string
	}{
		{"declared", allModes, `{}`, true, allOfThem},
		{"declared in part", []string{"task"}, `{ task: { ttl: 5000 } }`, true, allOfThem},
		{"chosen by the app", allModes, `{ task: { responseModes: ["streaming", "task"] } }`, true, `["streaming","task"]`},
		{"an old server", nil, `{}`, true, ""},
		{"no task", allModes, `{ task: false }`, false, ""},
	} {
		t.Run(one.name, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{})
			p.Tasks(peer.TaskServer{Modes: one.modes})
			p.Narrating(nil, peer.AsTask(coreDialect.policy))
			page := app(t, p.URL(), "")
			chrome.Script[chrome.Void](page, `await mcp.listTools(); watch(mcp.callTool("tell", { call: "a", n: 2 }, `+one.options+`));`)
			outcome(t, page, "")
			var sent struct {
				Params struct {
					Task *struct {
						ResponseModes json.RawMessage `json:"responseModes"`
					} `json:"task"`
				} `json:"params"`
			}
			if err := json.Unmarshal(p.Of("tools/call")[0].Body, &sent); err != nil {
				t.Fatal(err)
			}
			task := sent.Params.Task
			switch {
			case (task != nil) != one.asTask:
				t.Errorf("a task: %v", task != nil)
			case task != nil && string(task.ResponseModes) != one.responseModes:
				t.Errorf("responseModes %s, want %s", task.ResponseModes, one.responseModes)
			}
			bad := chrome.Script[failure](page, `return attempt(() => mcp.callTool("tell", {}, { task: { responseModes: ["sometimes"] } }).result);`)
			if bad.Code != "bad_argument" {
				t.Errorf("an unknown mode: %+v", bad)
			}
			blameless(t, p)
		})
	}
}
