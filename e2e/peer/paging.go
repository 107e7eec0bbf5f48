//go:build !js

package peer

import (
	"encoding/json"
	"strconv"
)

// Paging is how a list is cut into pages of Options.PageSize entries
// (server/utilities/pagination: cursors are opaque, and only an absent
// nextCursor ends a list).
type Paging int

const (
	// Plain hands out the index of the next entry and ends.
	Plain Paging = iota
	// EmptyCursor makes the cursor of the second page the empty string.
	EmptyCursor
	// Endless always has another page: the first one again under a new cursor.
	Endless
	// Stuck always has another page, under a cursor that never changes.
	Stuck
)

// Paging sets how a list method hands out its pages.
func (p *Peer) Paging(method string, how Paging) {
	p.shelf.mu.Lock()
	defer p.shelf.mu.Unlock()
	if p.shelf.paging == nil {
		p.shelf.paging = make(map[string]Paging)
	}
	p.shelf.paging[method] = how
}

// page answers a list request: entries under a key, and the next cursor.
func (p *Peer) page(m envelope, key string, entries []any) Script {
	p.shelf.mu.Lock()
	how := p.shelf.paging[m.method]
	p.shelf.mu.Unlock()
	size := p.opts.PageSize
	if size <= 0 {
		size = max(len(entries), 1)
	}
	from := 0
	if raw := field(m.params, "cursor"); raw != nil {
		cursor := text(raw)
		switch n, err := strconv.Atoi(cursor); {
		case how == EmptyCursor && string(raw) == `""`:
			from = min(size, len(entries))
		case how == Stuck && cursor == "again":
		case err != nil || n < 0 || how != Endless && n > len(entries):
			return Script{Error(-32602, "invalid cursor")}
		case how == Endless:
			from = -n // the number of pages so far; the entries start over
		default:
			from = n
		}
	}
	next, to := "", min(max(from, 0)+size, len(entries))
	more := to < len(entries)
	switch {
	case how == Endless:
		next, more = strconv.Itoa(1-from), true
	case how == Stuck:
		next, more = "again", true
	case how == EmptyCursor && from == 0:
	default:
		next = strconv.Itoa(to)
	}
	shown := append([]any{}, entries[max(from, 0):to]...)
	result := map[string]any{key: shown}
	if more {
		result["nextCursor"] = next
	}
	return Script{Result(quote(result))}
}

// raws turns JSON texts into list entries.
func raws(texts []string) []any {
	var all []any
	for _, t := range texts {
		all = append(all, json.RawMessage(t))
	}
	return all
}
