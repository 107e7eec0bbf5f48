//go:build !js

package gosdk

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func addReport(g *generation) {
	type input struct {
		Topic    string `json:"topic"`
		Tone     string `json:"tone"`
		Sections int    `json:"sections"`
		Summary  bool   `json:"summary"`
		DelayMs  int    `json:"delayMs"`
	}
	add(g, tool{
		name: "write_report", title: "Write a report",
		description: "Writes a report piece by piece: the message of each progress notification is the next " +
			"piece of Markdown, and the result holds the same pieces joined by blank lines.",
		input: `{"type":"object","properties":{
			"topic":{"type":"string","title":"Topic","minLength":1,"maxLength":200,"default":"tide pools"},
			"tone":{"type":"string","title":"Tone","enum":["plain","formal","cheerful"],"default":"plain"},
			"sections":{"type":"integer","title":"Sections","minimum":1,"maximum":12,"default":4},
			"summary":{"type":"boolean","title":"End with a summary","default":true},
			"delayMs":{"type":"integer","title":"Delay","description":"Milliseconds before each piece.","minimum":0,"maximum":10000,"default":600}},
			"required":["topic"]}`,
		hints: pure,
	}, func(ctx context.Context, r *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		pieces := report(in.Topic, in.Tone, in.Sections, in.Summary)
		say(ctx, r, "info", fmt.Sprintf("outline ready: %d pieces", len(pieces)))
		for i, piece := range pieces {
			if strings.HasPrefix(piece, "## ") {
				say(ctx, r, "info", "begins: "+strings.TrimPrefix(piece, "## "))
			}
			if err := g.pause(ctx, time.Duration(in.DelayMs)*time.Millisecond); err != nil {
				return nil, nil, err
			}
			progress(ctx, r, i+1, len(pieces), piece)
		}
		say(ctx, r, "notice", "report complete")
		return text(strings.Join(pieces, "\n\n")), nil, nil
	})
}

var aspects = []string{
	"Where it begins", "What can be seen", "How it changes", "Who depends on it", "What is measured",
	"What is often missed",
	"A closer look", "Numbers in context", "Limits", "Open questions", "What to do next", "Further afield",
}

var openings = map[string]string{
	"plain":    "%s: this part looks at %s.",
	"formal":   "With regard to %s, the present section considers %s.",
	"cheerful": "Good news for friends of %s: now comes %s!",
}

// report is deterministic, so that a test can compare pieces with the result.
func report(topic, tone string, sections int, summary bool) []string {
	pieces := []string{"# " + topic}
	for i := range sections {
		aspect := aspects[i%len(aspects)]
		pieces = append(pieces,
			"## "+aspect,
			fmt.Sprintf(openings[tone], topic, strings.ToLower(aspect)),
			fmt.Sprintf("Section %d of %d stands on its own; whoever reads only this one knows that it was "+
				"written after section %d and sent once.", i+1, sections, i),
		)
	}
	if summary {
		pieces = append(pieces, "## Summary",
			fmt.Sprintf("%d sections on %s, in a %s tone.", sections, topic, tone))
	}
	return pieces
}
