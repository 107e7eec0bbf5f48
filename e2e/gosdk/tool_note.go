//go:build !js

package gosdk

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// notes are what add_note has written.
type notes struct {
	mu  sync.Mutex
	all []string
}

// Notes returns what add_note has written since the last restart. A note that
// is there twice was run twice.
func (s *Server) Notes() []string {
	n := &s.current().notes
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.all...)
}

// text is what the resource of the notes holds.
func (n *notes) text() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.all) == 0 {
		return "No notes yet."
	}
	return strings.Join(n.all, "\n")
}

func addNote(g *generation, logf func(string, ...any)) {
	type input struct {
		Text    string `json:"text"`
		DelayMs int    `json:"delayMs"`
	}
	type output struct {
		Notes int `json:"notes"`
	}
	add(g, tool{
		name: "add_note", title: "Add a note",
		description: "Adds a note at once and answers after a delay. It changes the server's state, so a " +
			"client must not run it again by itself when the answer is lost.",
		input: `{"type":"object","properties":{
			"text":{"type":"string","title":"Note","minLength":1,"default":"buy rope"},
			"delayMs":{"type":"integer","title":"Delay","description":"Milliseconds before the answer.","minimum":0,"maximum":60000,"default":3000}},
			"required":["text"]}`,
		output: `{"type":"object","properties":{"notes":{"type":"integer","title":"Notes so far"}},` +
			`"required":["notes"]}`,
		hints: mcp.ToolAnnotations{DestructiveHint: new(bool), OpenWorldHint: new(bool)},
	}, func(ctx context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, output, error) {
		g.notes.mu.Lock()
		g.notes.all = append(g.notes.all, in.Text)
		count := len(g.notes.all)
		g.notes.mu.Unlock()
		logf("add_note: note %d", count)
		g.changed(notesURI)
		if err := g.pause(ctx, time.Duration(in.DelayMs)*time.Millisecond); err != nil {
			return nil, output{}, err
		}
		return nil, output{count}, nil
	})
}
