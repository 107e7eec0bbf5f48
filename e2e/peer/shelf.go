//go:build !js

package peer

import (
	"slices"
	"sync"
)

// shelf is what the server offers besides tools, who listens for changes of it,
// and how its lists are handed out.
type shelf struct {
	mu        sync.Mutex
	resources []Resource
	templates []template
	prompts   []prompt
	complete  func(Completion) []string
	hints     map[string]string
	paging    map[string]Paging
	listeners []*listener
}

func (s *shelf) listen(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, l)
}

func (s *shelf) unlisten(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = slices.DeleteFunc(s.listeners, func(o *listener) bool { return o == l })
}

func (s *shelf) listening() []*listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.listeners)
}

// capabilities are those of the options, or those that what is there needs.
func (p *Peer) capabilities(revision string) string {
	if p.opts.Capabilities != "" {
		return p.opts.Capabilities
	}
	tasks := p.taskCapabilities(revision)
	p.shelf.mu.Lock()
	defer p.shelf.mu.Unlock()
	all := `{"tools":{"listChanged":true},"logging":{}`
	if len(p.shelf.resources)+len(p.shelf.templates) > 0 {
		all += `,"resources":{"subscribe":true,"listChanged":true}`
	}
	if len(p.shelf.prompts) > 0 {
		all += `,"prompts":{"listChanged":true}`
	}
	if p.shelf.complete != nil {
		all += `,"completions":{}`
	}
	return all + tasks + "}"
}
