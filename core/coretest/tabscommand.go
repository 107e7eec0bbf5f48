package coretest

import (
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// The commands about tabs. Each tab of a script is a client of its own over one
// store; what its host would tell it of the others is in the script, so that a
// scenario can have it come late, or never.

// tab is one of the tabs of a script.
type tab[M Client] struct {
	world *World[M]
	known map[rowKey]bool
	// Its commit under way, while another tab is that of now.
	flying []journal.Op
	ticket uint32
	strict bool
}

type rowKey struct {
	kind     journal.OpKind
	call     uint64
	epoch, n uint32
}

// tabs are the tabs of one script, by name; "" is the first.
type tabs[M Client] struct {
	all map[string]*tab[M]
	now string
	// What was stored when the tab of now became that.
	before map[rowKey]bool
}

func (p *player[M]) tab() *tab[M] {
	if p.tabs.all == nil {
		p.tabs.all = map[string]*tab[M]{"": {world: p.world, known: map[rowKey]bool{}}}
	}
	return p.tabs.all[p.tabs.now]
}

func tabCommand[M Client](p *player[M], name string) {
	t := p.tab()
	for key := range stored(t.world.Store) {
		if !p.tabs.before[key] {
			t.known[key] = true // its own
		}
	}
	p.tabs.before = stored(t.world.Store)
	s := t.world.Store
	t.flying, t.ticket, t.strict = s.flying, s.ticket, s.strict
	s.flying, s.ticket = nil, 0
	first := t.world
	first.Effects = nil
	p.tabs.now = name
	if next := p.tabs.all[name]; next != nil {
		p.world = next.world
		s.flying, s.ticket, s.strict = next.flying, next.ticket, next.strict
		return
	}
	w := first.another(uint32(len(p.tabs.all)))
	p.tabs.all[name] = &tab[M]{world: w, known: map[rowKey]bool{}}
	p.world = w
	ops := p.news(false)
	w.Input("load", func(c M, now engine.Time) { c.Restore(now, ops) })
}

// stored names what is in a store.
func stored(s *Store) map[rowKey]bool {
	all := map[rowKey]bool{}
	for _, head := range s.heads {
		all[rowKey{kind: journal.OpCall, call: head.Call}] = true
	}
	for _, row := range s.logs {
		all[rowKey{journal.OpLog, row.Call, row.Epoch, row.N}] = true
	}
	return all
}

// news are the rows of the store that the tab does not know, as operations.
func (p *player[M]) news(secretless bool) []byte {
	t := p.tab()
	var b []byte
	s := p.world.Store
	if s.server != nil {
		b = journal.AppendOp(b, *s.server)
	}
	there := stored(s)
	for _, head := range s.heads {
		if key := (rowKey{kind: journal.OpCall, call: head.Call}); !t.known[key] {
			t.known[key] = true
			b = journal.AppendOp(b, head)
		}
		for _, row := range s.log(head) {
			key := rowKey{journal.OpLog, row.Call, row.Epoch, row.N}
			if t.known[key] {
				continue
			}
			t.known[key] = true
			if secretless {
				row.Secret = nil
			}
			b = journal.AppendOp(b, row)
		}
	}
	for key := range t.known {
		if key.kind == journal.OpCall && !there[key] {
			delete(t.known, key)
			b = journal.AppendOp(b, journal.Op{Kind: journal.OpForget, Flags: s.ended[key.call],
				Call: key.call})
		}
	}
	return b
}

func hearCommand[M Client](p *player[M], _ string) {
	ops := p.news(true)
	p.world.Input("hear", func(c M, now engine.Time) { c.Restore(now, ops) })
}

func hearLogCommand[M Client](p *player[M], call string) {
	ops := p.wholeLog(call, 0)
	p.world.Input("hearlog "+call, func(c M, now engine.Time) { c.Restore(now, ops) })
}

func takeCommand[M Client](p *player[M], call string) {
	ops := p.wholeLog(call, journal.OpOwned)
	p.world.Input("take "+call, func(c M, now engine.Time) { c.Restore(now, ops) })
}

// wholeLog reads a call by its number in the store, taking it over where flags
// say that the tab has it from here on.
func (p *player[M]) wholeLog(call string, flags journal.OpFlags) []byte {
	t, s := p.tab(), p.world.Store
	counter := uint64(p.number(strings.TrimPrefix(call, "c")))
	var b []byte
	for i, head := range s.heads {
		if head.Call&(1<<24-1) != counter {
			continue
		}
		if flags&journal.OpOwned != 0 {
			head = s.take(i)
		}
		head.Flags |= flags
		t.known[rowKey{kind: journal.OpCall, call: head.Call}] = true
		b = journal.AppendOp(b, head)
		for _, row := range s.log(head) {
			t.known[rowKey{journal.OpLog, row.Call, row.Epoch, row.N}] = true
			b = journal.AppendOp(b, row)
		}
	}
	return b
}
