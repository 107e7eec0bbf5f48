//go:build !js

package gosdk

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// suggestions are the values that completion/complete knows, by argument.
var suggestions = map[string][]string{
	"language": {"Danish", "Dutch", "English", "French", "German", "Norwegian", "Swedish"},
	"tone":     {"cheerful", "formal", "plain"},
	"name":     {"north", "south", "west"}, // of the piers
}

func addPrompts(g *generation) {
	g.sdk.AddPrompt(&mcp.Prompt{
		Name: "summarize", Title: "Summarize", Description: "Asks for a summary of a topic.",
		Arguments: []*mcp.PromptArgument{
			{Name: "topic", Title: "Topic", Description: "What it is about.", Required: true},
			{Name: "tone", Title: "Tone", Description: "plain, if left out."},
		},
	}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return said("A summary",
			fmt.Sprintf("Summarize what is known about %s in a %s tone, in five sentences.",
				r.Params.Arguments["topic"], or(r.Params.Arguments["tone"], "plain"))), nil
	})
	g.sdk.AddPrompt(&mcp.Prompt{
		Name: "translate", Title: "Translate",
		Description: "Asks for a translation, with an example of how to answer.",
		Arguments: []*mcp.PromptArgument{
			{Name: "text", Title: "Text", Required: true},
			{Name: "language", Title: "Language", Description: "The language to translate into.",
				Required: true},
		},
	}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		result := said("A translation",
			fmt.Sprintf("Translate into %s: %s", r.Params.Arguments["language"], r.Params.Arguments["text"]))
		result.Messages = append(result.Messages, &mcp.PromptMessage{
			Role: "assistant", Content: &mcp.TextContent{Text: "Here is the translation, and nothing else:"},
		})
		return result, nil
	})
}

func said(description, words string) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{
		Description: description,
		Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: words}}},
	}
}

func or(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

// complete suggests values that begin with what has been typed, in any case.
func complete(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	typed := strings.ToLower(r.Params.Argument.Value)
	values := slices.DeleteFunc(slices.Clone(suggestions[r.Params.Argument.Name]), func(value string) bool {
		return !strings.HasPrefix(strings.ToLower(value), typed)
	})
	if values == nil {
		values = []string{}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: len(values)}},
		nil
}
