//go:build !js

package peer

import (
	"encoding/json"
	"slices"
	"sync"
)

// A tool is a script and what tools/list says about it.
type tool struct {
	name        string
	title       string
	description string
	schema      string
	extra       map[string]json.RawMessage
	hints       map[string]any
	json        bool
	requires    string // client capabilities, JSON
	policy      *ResumePolicy
	task        *TaskPolicy
	script      func(Call) Script
	ran         int
}

// A Trait is something else that is true of a tool.
type Trait func(*tool)

// ReadOnly sets annotations.readOnlyHint.
func ReadOnly(t *tool) { t.hints["readOnlyHint"] = true }

// Idempotent sets annotations.idempotentHint.
func Idempotent(t *tool) { t.hints["idempotentHint"] = true }

// AsJSON answers calls of the tool with JSON instead of an event stream.
func AsJSON(t *tool) { t.json = true }

// Describe sets the tool's title and description.
func Describe(title, description string) Trait {
	return func(t *tool) { t.title, t.description = title, description }
}

// Schema sets the tool's inputSchema, a JSON object.
func Schema(schema string) Trait { return func(t *tool) { t.schema = schema } }

// Field sets any other field of the tool's description to a JSON value.
func Field(name, value string) Trait {
	return func(t *tool) { t.extra[name] = json.RawMessage(value) }
}

// Requires makes a modern server refuse a call whose client has not declared
// these capabilities, a JSON object, with MissingRequiredClientCapability.
func Requires(capabilities string) Trait { return func(t *tool) { t.requires = capabilities } }

// Output sets the tool's outputSchema, a JSON schema.
func Output(schema string) Trait { return Field("outputSchema", schema) }

type toolbox struct {
	mu  sync.Mutex
	all []*tool
}

// Tool adds a tool, or replaces the one of that name.
func (p *Peer) Tool(name string, s Script, traits ...Trait) {
	p.ToolFunc(name, func(Call) Script { return s }, traits...)
}

// ToolFunc is Tool with a script that depends on the call.
func (p *Peer) ToolFunc(name string, f func(Call) Script, traits ...Trait) {
	t := &tool{
		name: name, schema: `{"type":"object"}`, script: f,
		extra: make(map[string]json.RawMessage), hints: make(map[string]any),
	}
	for _, trait := range traits {
		trait(t)
	}
	p.tools.mu.Lock()
	defer p.tools.mu.Unlock()
	if i := slices.IndexFunc(p.tools.all, func(o *tool) bool { return o.name == name }); i >= 0 {
		t.ran = p.tools.all[i].ran
		p.tools.all[i] = t
		return
	}
	p.tools.all = append(p.tools.all, t)
}

// Ran is how often the script of a tool was started. A call that a retry
// repeated shows here.
func (p *Peer) Ran(name string) int {
	p.tools.mu.Lock()
	defer p.tools.mu.Unlock()
	for _, t := range p.tools.all {
		if t.name == name {
			return t.ran
		}
	}
	return 0
}

// start looks a tool up and counts the run.
func (b *toolbox) start(name string) (t *tool, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.all {
		if t.name == name {
			t.ran++
			return t, t.ran
		}
	}
	return nil, 0
}

func (b *toolbox) find(name string) *tool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.all {
		if t.name == name {
			return t
		}
	}
	return nil
}

// RemoveTool takes a tool out of the list; calls of it are unknown from then
// on. Nobody is told: see Push.
func (p *Peer) RemoveTool(name string) {
	p.tools.mu.Lock()
	defer p.tools.mu.Unlock()
	p.tools.all = slices.DeleteFunc(p.tools.all, func(t *tool) bool { return t.name == name })
}

func (b *toolbox) describe(revision string) []any {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []any
	for _, t := range b.all {
		all = append(all, t.describe(revision))
	}
	return all
}

func (tool *tool) describe(revision string) map[string]any {
	d := map[string]any{"name": tool.name, "inputSchema": json.RawMessage(tool.schema)}
	if tool.title != "" {
		d["title"] = tool.title
	}
	if tool.description != "" {
		d["description"] = tool.description
	}
	if len(tool.hints) > 0 {
		d["annotations"] = tool.hints
	}
	if tool.task != nil && revision == Revision20251125 {
		d["execution"] = map[string]any{"taskSupport": tool.task.Support}
	}
	for k, v := range tool.extra {
		d[k] = v
	}
	return d
}
