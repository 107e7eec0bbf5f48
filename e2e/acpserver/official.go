//go:build !js

package acpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
	"github.com/holdfast-mcp/holdfast/e2e/internal/processgroup"
)

// An Official is the official client, running in Node with one session open. It
// answers permissions with "once".
//
//	o := acpserver.StartOfficial(t, s.URL(), 2)      // ws:// for a WebSocket
//	o.Prompt("count 3")
//	o.Await("idle", func(r acpserver.Report) bool { return len(r.States) == 2 })
type Official struct {
	t     testing.TB
	stdin io.Writer

	mu      sync.Mutex
	report  Report
	changed chan struct{}
}

// A Report is what the official client saw so far.
type Report struct {
	Session string
	// Text is that of all agent_message_chunks, one after the other.
	Text string
	// Kinds counts the updates by their discriminators.
	Kinds map[string]int
	// States are the state_updates in order: "running", "idle end_turn".
	States []string
	// Results are the answers to prompts (the message's id, in v1 the stopReason),
	// to Resume ("resumed") and List ("1 sessions").
	Results []string
	// Errors are those of requests, and what the SDK said on the console.
	Errors []string
	// Asked is how often it was asked for a permission.
	Asked int
	// Requests counts those over HTTP by method, Failed those without an answer.
	Requests map[string]int
	Failed   int
	// Closed is true once the SDK has given up the connection.
	Closed bool
}

// StartOfficial runs the official client until t ends.
func StartOfficial(t testing.TB, url string, version int) *Official {
	t.Helper()
	root, err := moduleroot.Find()
	if err != nil {
		t.Fatal("acpserver: ", err)
	}
	transport := "http"
	if strings.HasPrefix(url, "ws") {
		transport = "ws"
	}
	cmd := exec.Command("node", filepath.Join(root, "e2e", "acpserver", "official.mjs"), url, transport,
		string(rune('0'+version)))
	cmd.Stderr = os.Stderr
	processgroup.Own(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal("acpserver: ", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal("acpserver: ", err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("acpserver: cannot run node: %v", err)
	}
	o := &Official{t: t, stdin: stdin, changed: make(chan struct{})}
	read := make(chan struct{})
	go func() {
		defer close(read)
		o.read(stdout)
	}()
	t.Cleanup(func() {
		processgroup.Kill(cmd)
		<-read
		cmd.Wait()
	})
	o.Await("session", func(r Report) bool { return r.Session != "" })
	return o
}

func (o *Official) read(stdout io.Reader) {
	for lines := bufio.NewReader(stdout); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var r Report
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		o.mu.Lock()
		o.report = r
		close(o.changed)
		o.changed = make(chan struct{})
		o.mu.Unlock()
	}
}

// Report is what the client saw so far.
func (o *Official) Report() Report {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.report
}

// Await returns once ok accepts the report; the test fails if it never does.
func (o *Official) Await(what string, ok func(Report) bool) Report {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), patience)
	defer cancel()
	for {
		o.mu.Lock()
		report, changed := o.report, o.changed
		o.mu.Unlock()
		if ok(report) {
			return report
		}
		select {
		case <-changed:
		case <-ctx.Done():
			o.t.Fatalf("acpserver: the official client has no %s within %v: %+v", what, patience, report)
		}
	}
}

// Prompt sends a prompt.
func (o *Official) Prompt(text string) { o.tell(map[string]any{"prompt": text}) }

// Permit chooses the answer to the permissions to come.
func (o *Official) Permit(option string) { o.tell(map[string]any{"permit": option}) }

// Resume resumes a session with a replay from its start.
func (o *Official) Resume(session string) { o.tell(map[string]any{"resume": session}) }

// List asks for the sessions: a round trip that leaves session streams alone.
func (o *Official) List() { o.tell(map[string]any{"list": true}) }

// Close closes the connection.
func (o *Official) Close() { o.tell(map[string]any{"close": true}) }

func (o *Official) tell(command map[string]any) {
	o.t.Helper()
	line, err := json.Marshal(command)
	if err == nil {
		_, err = o.stdin.Write(append(line, '\n'))
	}
	if err != nil {
		o.t.Errorf("acpserver: the official client: %v", err)
	}
}
