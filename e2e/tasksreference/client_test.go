//go:build !js

package tasksreference_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
	"github.com/holdfast-mcp/holdfast/e2e/internal/nodeserver"
	"github.com/holdfast-mcp/holdfast/e2e/internal/processgroup"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// clientLimit bounds the reference client's scenes, which take about 3 s.
const clientLimit = time.Minute

// A scene is what the reference client said of one call.
type scene struct {
	Scene    string
	Kind     string
	Statuses []string
	Outcome  string
	Result   struct{ Content []struct{ Text string } }
	Error    struct {
		Code    int
		Message string
	}
	Retention int
	Interval  int
	Asked     [][3]string

	Era          string
	Tools        []string
	Capabilities map[string]any
	First, After string
	Errors       []string
}

func (s scene) text() string {
	if len(s.Result.Content) == 0 {
		return ""
	}
	return s.Result.Content[0].Text
}

// The official client of the extension gets along with the Peer: it lists, has
// calls become tasks, polls, answers, cancels, resumes, sees failures and expiry,
// and its schemas find nothing wrong with any message.
func TestReferenceClient(t *testing.T) {
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Tasks(peer.TaskServer{})
	p.Working(peer.AsTask(peer.TaskPolicy{Poll: 50, TTL: 60_000}))
	p.Tool("quick", peer.Script{peer.Text("at once")}, peer.AsTask(peer.TaskPolicy{Sync: true}))
	endless := peer.Script{peer.Gate("never"), peer.Text("too late")}
	p.Tool("brief", endless, peer.AsTask(peer.TaskPolicy{Poll: 50, TTL: 200}))
	p.Tool("concluding", endless, peer.AsTask(peer.TaskPolicy{Poll: 50, TTL: 200, Conclude: true}))
	p.Tool("login", peer.Script{peer.Text("welcome")}, peer.AsTask(peer.TaskPolicy{Poll: 50,
		Before: func(c peer.Call) peer.Script {
			if c.RequestState == "round-1" && said[string](c.Input("who", "content", "name")) == "Ada" {
				return nil
			}
			return peer.Script{
				peer.InputRequired(`{"who":`+peer.Elicitation("Who?",
					`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)+`}`,
					"round-1")}
		}}))
	scenes := runClient(t, p.URL())

	for _, want := range []scene{
		{Scene: "inline", Kind: "immediate", Outcome: "completed"},
		{Scene: "long", Kind: "task", Statuses: []string{"working", "completed"}, Outcome: "completed",
			Retention: 60_000, Interval: 50},
		{Scene: "input", Kind: "task", Outcome: "completed", Retention: 60_000, Interval: 50,
			Asked: [][3]string{
				{"task-update", "input.1.q1", "Question 1?"}, {"task-update", "input.1.q2", "Question 2?"}}},
		{Scene: "rounds", Kind: "task", Outcome: "completed", Interval: 50,
			Asked: [][3]string{{"request-retry", "who", "Who?"}}},
		{Scene: "tool", Kind: "task", Outcome: "completed", Retention: 60_000, Interval: 50},
		{Scene: "error", Kind: "task", Outcome: "failed", Retention: 60_000, Interval: 50},
		{Scene: "cancel", Kind: "task", Outcome: "cancelled", Retention: 60_000, Interval: 50,
			First: "working", After: "cancelled"},
		{Scene: "resume", Kind: "task", Outcome: "completed", Retention: 60_000, Interval: 50},
		{Scene: "conclude", Kind: "task", Outcome: "failed", Retention: 200, Interval: 50},
	} {
		got := find(t, scenes, want.Scene)
		if got.Kind != want.Kind || got.Outcome != want.Outcome || got.Retention != want.Retention ||
			got.Interval != want.Interval ||
			got.First != want.First || got.After != want.After {
			t.Errorf("%s: %+v\nwant %+v", want.Scene, got, want)
		}
		if !slices.Equal(got.Asked, want.Asked) {
			t.Errorf("%s: asked %v, want %v", want.Scene, got.Asked, want.Asked)
		}
		if want.Statuses != nil && !slices.Equal(got.Statuses, want.Statuses) {
			t.Errorf("%s: statuses %v, want %v", want.Scene, got.Statuses, want.Statuses)
		}
	}
	for name, want := range map[string]string{
		"inline": "at once", "long": "worked 3", "rounds": "welcome", "tool": "tool failed",
		"resume": "worked 2",
	} {
		if got := find(t, scenes, name).text(); got != want {
			t.Errorf("%s: the result says %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]int{"error": -32000, "expire": -32602, "unknown": -32602} {
		if got := find(t, scenes, name).Error.Code; got != want {
			t.Errorf("%s: error %d, want %d", name, got, want)
		}
	}
	list := find(t, scenes, "list")
	for _, tool := range []string{"brief", "concluding", "login", "quick", "work"} {
		if !slices.Contains(list.Tools, tool) {
			t.Errorf("tools: no %q in %v", tool, list.Tools)
		}
	}
	if list.Era != "modern" {
		t.Errorf("era %q", list.Era)
	}
	if list.Capabilities["execution"] != true || list.Capabilities["inputResponses"] != true ||
		list.Capabilities["cancellation"] != true {
		t.Errorf("what the package reads from the capabilities: %v", list.Capabilities)
	}
	if errors := find(t, scenes, "errors").Errors; len(errors) > 0 {
		t.Errorf("the package reported %v", errors)
	}

	o := p.Oracle()
	for label, runs := range map[string]int{"long": 1, "input": 1, "resume": 1, "cancel": 1} {
		if got := o.Runs(label); got != runs {
			t.Errorf("%s ran %d times", label, got)
		}
	}
	if cancels := o.Cancels("cancel"); cancels != 1 {
		t.Errorf("%d tasks/cancel", cancels)
	}
	for _, q := range o.Questions("input") {
		if len(q.Answers) != 1 {
			t.Errorf("question %s: %d answers", q.ID, len(q.Answers))
		}
	}
	// What the Peer holds against the official client, it would hold against
	// anybody: its own reading is too strict, or theirs too lax.
	if wrong := p.Violations(); len(wrong) > 0 {
		t.Errorf("the Peer finds fault with the reference client: %q", wrong)
	}
}

func find(t *testing.T, scenes []scene, name string) scene {
	t.Helper()
	i := slices.IndexFunc(scenes, func(s scene) bool { return s.Scene == name })
	if i < 0 {
		t.Errorf("the client never came to %q", name)
		return scene{}
	}
	return scenes[i]
}

func runClient(t *testing.T, url string) (scenes []scene) {
	t.Helper()
	if _, err := nodeserver.Installed("@modelcontextprotocol", "ext-tasks", "package.json"); err != nil {
		t.Fatal(err)
	}
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), clientLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", filepath.Join(root, "e2e", "tasksreference", "client.mjs"), url)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	processgroup.Own(cmd)
	cmd.Cancel = func() error { processgroup.Kill(cmd); return nil }
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("the reference client: %v\n%s\n%s", err, out, complaints.String())
	}
	for line := range strings.Lines(string(out)) {
		var s scene
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		scenes = append(scenes, s)
	}
	return scenes
}
