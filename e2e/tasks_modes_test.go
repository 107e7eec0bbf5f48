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
		ttl           string
	}{
		{"declared", allModes, `{}`, true, allOfThem, ""},
		{"declared in part", []string{"task"}, `{ task: { ttl: 5000 } }`, true, allOfThem, "5000"},
		{"chosen by the app", allModes, `{ task: { responseModes: ["streaming", "task"] } }`, true,
			`["streaming","task"]`, ""},
		{"chosen for this call", allModes, `{ task: { responseModes: ["task"], ttl: 7000 } }`, true,
			`["task"]`, "7000"},
		{"an old server", nil, `{}`, true, "", ""},
		{"chosen by the app of an old server", nil, `{ task: { responseModes: ["task"], ttl: 7000 } }`, true,
			"", "7000"},
		{"no task", allModes, `{ task: false }`, false, "", ""},
	} {
		t.Run(one.name, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := peer.New(t, peer.Options{})
			p.Tasks(peer.TaskServer{Modes: one.modes})
			p.Narrating(nil, peer.AsTask(coreDialect.policy))
			page := app(t, p.URL(), "")
			chrome.Script[chrome.Void](page,
				`await mcp.listTools(); watch(mcp.callTool("tell", { call: "a", n: 2 }, `+one.options+`));`)
			outcome(t, page, "")
			chrome.Script[chrome.Void](page, `await mcp.callTool("tell", { call: "b", n: 1 }).result;`)
			task := taskOf(t, p.Of("tools/call")[0])
			switch {
			case (task != nil) != one.asTask:
				t.Errorf("a task: %v", task != nil)
			case task != nil && string(task.ResponseModes) != one.responseModes:
				t.Errorf("responseModes %s, want %s", task.ResponseModes, one.responseModes)
			case task != nil && string(task.TTL) != one.ttl:
				t.Errorf("ttl %s, want %s", task.TTL, one.ttl)
			}
			if next := taskOf(t, p.Of("tools/call")[1]); next == nil || next.TTL != nil ||
				len(next.ResponseModes) > 0 != (one.modes != nil) {
				t.Errorf("the call behind it, of which nothing is said, asks for %+v", next)
			} else if one.modes != nil && string(next.ResponseModes) != allOfThem {
				t.Errorf("the call behind it names the modes %s", next.ResponseModes)
			}
			bad := chrome.Script[failure](page, `return attempt(() => mcp.callTool("tell", {},`+
				` { task: { responseModes: ["sometimes"] } }).result);`)
			if bad.Code != "bad_argument" {
				t.Errorf("an unknown mode: %+v", bad)
			}
			blameless(t, p)
		})
	}
}

// asksTask is what a call says of the task that it may become.
type asksTask struct {
	TTL           json.RawMessage `json:"ttl"`
	ResponseModes json.RawMessage `json:"responseModes"`
}

func taskOf(t *testing.T, r peer.Request) *asksTask {
	t.Helper()
	var sent struct {
		Params struct {
			Task *asksTask `json:"task"`
		} `json:"params"`
	}
	if err := json.Unmarshal(r.Body, &sent); err != nil {
		t.Fatal(err)
	}
	return sent.Params.Task
}
