//go:build !js

package peer

import (
	"fmt"
	"strings"
)

// URLElicitation is the id of the elicitation that the furnished tool
// needs_login asks for on a legacy server.
const URLElicitation = "login-1"

// Furnish adds one of everything that the specification has besides tools, in
// whatever era the client speaks, and tools that use the rest:
//
//   - resources file:///notes.txt (text), file:///logo.png (blob), template
//     file:///notes/{name}; prompts greet (argument who) and plan; completions
//     of greet's who (kelp, kelvin, ...) and of the template's name
//   - tools measure (structuredContent that fits its outputSchema), mismeasure
//     (does not), measure_nothing (has none), anything (2026: an array)
//   - tools ask_name (elicitation form), ask_model (sampling), ask_roots: as
//     requests of the server in legacy sessions, input_required in modern ones
//   - tool needs_login (URL elicitation: error -32042 in 2025-11-25,
//     input_required in 2026-07-28), chatty (one log message of every level)
//
// It is idempotent.
func (p *Peer) Furnish() {
	p.Resource(Resource{URI: "file:///notes.txt", Name: "notes", Title: "Notes", MimeType: "text/plain",
		Text: "buy rope"})
	p.Resource(Resource{URI: "file:///logo.png", Name: "logo", MimeType: "image/png",
		Blob: []byte("\x89PNG\r\n\x1a\n")})
	p.shelf.mu.Lock()
	furnished := len(p.shelf.templates) > 0
	p.shelf.mu.Unlock()
	if !furnished {
		p.Template("file:///notes/{name}", "note", func(c Call) Script {
			return Script{
				Contents(c.Name, "text/plain", "a note called "+strings.TrimPrefix(c.Name, "file:///notes/"))}
		})
	}
	p.Prompt("greet", "Greets somebody.", []string{"who", "tone"}, func(c Call) Script {
		return Script{Says("Say hello to " + text(c.Arguments, "who"))}
	})
	p.Prompt("plan", "Makes a plan.", nil, func(Call) Script { return Script{Says("Make a plan.")} })
	p.Complete(func(c Completion) []string {
		var all []string
		for _, word := range []string{"kelp", "kelvin", "keel", "kayak"} {
			if strings.HasPrefix(word, c.Value) {
				all = append(all, word)
			}
		}
		return all
	})
	p.furnishStructure()
	p.furnishQuestions()
	var chat Script
	for _, level := range []string{"debug", "info", "notice", "warning", "error", "critical", "alert",
		"emergency"} {
		chat = append(chat, Log(level, "a message of level "+level))
	}
	p.Tool("chatty", append(chat, Text("said")), ReadOnly)
}

// furnishStructure adds tools with an outputSchema (server/tools, structured
// content).
func (p *Peer) furnishStructure() {
	depth := Output(`{"type":"object","properties":{"depth":{"type":"number","minimum":0}},` +
		`"required":["depth"],"additionalProperties":false}`)
	measured := func(structured string) Script {
		return Script{
			Result(`{"content":[{"type":"text","text":` + quote(structured) + `}],"structuredContent":` +
				structured + `}`)}
	}
	p.Tool("measure", measured(`{"depth":12.5}`), ReadOnly, AsJSON, depth)
	p.Tool("mismeasure", measured(`{"depth":"deep","extra":true}`), ReadOnly, AsJSON, depth)
	p.Tool("measure_nothing", Script{Text("no structure")}, ReadOnly, AsJSON, depth)
	p.ToolFunc("anything", func(c Call) Script {
		if c.Revision < Revision20260728 {
			return measured(`{"items":[1,"two",null]}`)
		}
		return measured(`[1,"two",null]`)
	}, ReadOnly, AsJSON)
}

// furnishQuestions adds tools that need the client (client/elicitation,
// client/sampling, client/roots; basic/patterns/mrtr).
func (p *Peer) furnishQuestions() {
	ask := func(tool, method, params string) {
		n := 0
		p.ToolFunc(tool, func(c Call) Script {
			if c.Revision >= Revision20260728 {
				if answer := c.Input("answer"); answer != nil {
					return Script{Text("answer: " + string(answer))}
				}
				return Script{
					InputRequired(fmt.Sprintf(`{"answer":{"method":%q,"params":%s}}`, method, params),
						tool+"-state-"+c.ID)}
			}
			p.tools.mu.Lock()
			n++
			id := quote(fmt.Sprintf("%s-%d", tool, n))
			p.tools.mu.Unlock()
			return primed(c, Ask(id, method, params), Reply(id), Echo(id))
		})
	}
	ask("ask_name", "elicitation/create", `{"mode":"form","message":"Who are you?",`+
		`"requestedSchema":{"type":"object","properties":{"name":{"type":"string","title":"Name"}},`+
		`"required":["name"]}}`)
	ask("ask_model", "sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text",`+
		`"text":"What is the capital of France?"}}],"maxTokens":100}`)
	ask("ask_roots", "roots/list", `{}`)

	where := p.Origin() + "/login"
	p.ToolFunc("needs_login", func(c Call) Script {
		switch {
		case c.Revision < Revision20260728 && c.N == 1:
			return Script{ErrorData(-32042, "Log in first", fmt.Sprintf(
				`{"elicitations":[{"mode":"url","elicitationId":%q,"url":%q,"message":"Log in first"}]}`,
				URLElicitation, where))}
		case c.Revision >= Revision20260728 && c.RequestState == "":
			return Script{InputRequired(fmt.Sprintf(
				`{"login":{"method":"elicitation/create","params":{"mode":"url","url":%q,`+
					`"message":"Log in first"}}}`, where), "login-"+c.ID)}
		}
		return Script{Text("welcome")}
	}, AsJSON)
}

// Echo answers a tool call with what the client replied to the server's request
// of that id, as text. Reply waits for it.
func Echo(id string) Step {
	return Step{func(r *run) {
		r.session.mu.Lock()
		reply := r.session.replies[id]
		r.session.mu.Unlock()
		Text("answer: " + string(reply.outcome)).do(r)
	}}
}

// ElicitationDone tells every legacy session that an elicitation by URL is over
// (2025-11-25 client/elicitation, notifications/elicitation/complete).
func (p *Peer) ElicitationDone(id string) {
	p.Push("notifications/elicitation/complete", quote(map[string]any{"elicitationId": id}))
}
