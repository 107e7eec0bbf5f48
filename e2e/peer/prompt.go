//go:build !js

package peer

import (
	"encoding/json"
	"slices"
)

// A prompt is one entry of prompts/list and what prompts/get answers.
type prompt struct {
	name   string
	entry  map[string]any
	script func(Call) Script
}

// Prompt adds a prompt, or replaces the one of that name. Arguments are the
// names of its arguments, the first of which is required; f answers prompts/get.
func (p *Peer) Prompt(name, description string, arguments []string, f func(Call) Script) {
	list := []any{}
	for i, a := range arguments {
		list = append(list, map[string]any{"name": a, "description": "the " + a, "required": i == 0})
	}
	p.shelf.mu.Lock()
	defer p.shelf.mu.Unlock()
	p.shelf.prompts = slices.DeleteFunc(p.shelf.prompts, func(o prompt) bool { return o.name == name })
	p.shelf.prompts = append(p.shelf.prompts,
		prompt{name, map[string]any{"name": name, "description": description, "arguments": list}, f})
}

// Says is the result of prompts/get with one message of the user.
func Says(message string) Step {
	return Result(quote(map[string]any{"messages": []any{
		map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": message}},
	}}))
}

func (p *Peer) promptEntries() (all []any) {
	p.shelf.mu.Lock()
	defer p.shelf.mu.Unlock()
	for _, o := range p.shelf.prompts {
		all = append(all, o.entry)
	}
	return all
}

func (p *Peer) promptScript(c Call) Script {
	p.shelf.mu.Lock()
	i := slices.IndexFunc(p.shelf.prompts, func(o prompt) bool { return o.name == c.Name })
	var f func(Call) Script
	if i >= 0 {
		f = p.shelf.prompts[i].script
	}
	p.shelf.mu.Unlock()
	if f == nil {
		return Script{Error(-32602, "unknown prompt "+c.Name)}
	}
	return f(c)
}

// A Completion is what completion/complete asks.
type Completion struct {
	// Ref is the prompt's name or the template's URI.
	Ref string
	// Argument is the name of what is being typed, Value what is there so far.
	Argument, Value string
	// Context are the arguments chosen before (context.arguments).
	Context map[string]string
}

// Complete answers completion/complete; more than 100 values are cut to 100
// with hasMore, as the specification demands.
func (p *Peer) Complete(f func(Completion) []string) {
	p.shelf.mu.Lock()
	defer p.shelf.mu.Unlock()
	p.shelf.complete = f
}

func (p *Peer) completeScript(c Call) Script {
	p.shelf.mu.Lock()
	f := p.shelf.complete
	p.shelf.mu.Unlock()
	if f == nil {
		return nil
	}
	ask := Completion{
		Ref:      text(c.Arguments, "ref", "name") + text(c.Arguments, "ref", "uri"),
		Argument: text(c.Arguments, "argument", "name"), Value: text(c.Arguments, "argument", "value"),
	}
	json.Unmarshal(field(c.Arguments, "context", "arguments"), &ask.Context)
	values := append([]string{}, f(ask)...)
	total := len(values)
	return Script{Result(quote(map[string]any{"completion": map[string]any{
		"values": values[:min(total, 100)], "total": total, "hasMore": total > 100,
	}}))}
}
