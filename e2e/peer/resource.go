//go:build !js

package peer

import (
	"encoding/base64"
	"slices"
	"strings"
)

// A Resource is one entry of resources/list and what resources/read answers.
type Resource struct {
	// URI and Name identify it; Title and MimeType may be empty.
	URI, Name, Title, MimeType string
	// Text is the content, unless Blob is set.
	Text string
	// Blob is binary content.
	Blob []byte
	// Script, if set, answers resources/read instead; its Call.Name is the URI.
	Script func(Call) Script
}

// A template is one entry of resources/templates/list.
type template struct {
	prefix string // what comes before the first expression
	entry  map[string]any
	script func(Call) Script
}

// Resource adds a resource, or replaces the one of that URI.
func (p *Peer) Resource(r Resource) {
	p.shelf.mu.Lock()
	defer p.shelf.mu.Unlock()
	if i := slices.IndexFunc(p.shelf.resources, func(o Resource) bool { return o.URI == r.URI }); i >= 0 {
		p.shelf.resources[i] = r
		return
	}
	p.shelf.resources = append(p.shelf.resources, r)
}

// RemoveResource takes a resource out of the list; reading it fails from then
// on. Nobody is told: see Push.
func (p *Peer) RemoveResource(uri string) {
	p.shelf.mu.Lock()
	defer p.shelf.mu.Unlock()
	p.shelf.resources = slices.DeleteFunc(p.shelf.resources, func(r Resource) bool { return r.URI == uri })
}

// Template adds a resource template; f answers resources/read of every URI that
// starts like it and is no resource of its own.
func (p *Peer) Template(uriTemplate, name string, f func(Call) Script) {
	prefix, _, _ := strings.Cut(uriTemplate, "{")
	p.shelf.mu.Lock()
	defer p.shelf.mu.Unlock()
	p.shelf.templates = append(p.shelf.templates, template{
		prefix: prefix, entry: map[string]any{"uriTemplate": uriTemplate, "name": name}, script: f,
	})
}

// Contents is the result of resources/read with one text.
func Contents(uri, mimeType, text string) Step {
	return Result(
		quote(
			map[string]any{
				"contents": []any{map[string]any{"uri": uri, "mimeType": mimeType, "text": text}}}))
}

func (r Resource) entry() any {
	e := map[string]any{"uri": r.URI, "name": r.Name}
	if r.Title != "" {
		e["title"] = r.Title
	}
	if r.MimeType != "" {
		e["mimeType"] = r.MimeType
	}
	return e
}

func (r Resource) read() Script {
	if r.Blob == nil {
		return Script{Contents(r.URI, r.MimeType, r.Text)}
	}
	blob := base64.StdEncoding.EncodeToString(r.Blob)
	return Script{Result(quote(map[string]any{
		"contents": []any{map[string]any{"uri": r.URI, "mimeType": r.MimeType, "blob": blob}},
	}))}
}

func (p *Peer) resourceEntries() (all []any) {
	p.shelf.mu.Lock()
	defer p.shelf.mu.Unlock()
	for _, r := range p.shelf.resources {
		all = append(all, r.entry())
	}
	return all
}

func (p *Peer) templateEntries() (all []any) {
	p.shelf.mu.Lock()
	defer p.shelf.mu.Unlock()
	for _, t := range p.shelf.templates {
		all = append(all, t.entry)
	}
	return all
}

// readScript answers resources/read. What is not there is -32602 since
// 2026-07-28, and was -32002 before (server/resources, error handling).
func (p *Peer) readScript(c Call) Script {
	p.shelf.mu.Lock()
	resources, templates := slices.Clone(p.shelf.resources), slices.Clone(p.shelf.templates)
	p.shelf.mu.Unlock()
	for _, r := range resources {
		switch {
		case r.URI != c.Name:
		case r.Script != nil:
			return r.Script(c)
		default:
			return r.read()
		}
	}
	for _, t := range templates {
		if strings.HasPrefix(c.Name, t.prefix) {
			return t.script(c)
		}
	}
	code := -32002
	if c.Revision >= Revision20260728 {
		code = -32602
	}
	return Script{ErrorData(code, "Resource not found", quote(map[string]any{"uri": c.Name}))}
}

// subscribe keeps what resources/subscribe and resources/unsubscribe say.
func (s *session) subscribe(uri string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subscribed = slices.DeleteFunc(s.subscribed, func(o string) bool { return o == uri })
	if on {
		s.subscribed = append(s.subscribed, uri)
	}
}
