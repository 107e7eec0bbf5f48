//go:build !js

package main

import (
	"context"
	"fmt"
	"os"
)

// entrant is a contender that is ready to be measured: bundled, on an origin of
// its own, and, once open, in a page that is connected.
type entrant struct {
	contender
	parcel parcel
	site   *site
	tab    *tab
	sizes  map[string]size // of the files of its parcel, by their names
}

// field is all who take part in a run.
type field struct {
	root     string
	browser  context.Context
	server   *server
	entrants []*entrant
	stop     []func()
}

// newField bundles the contenders and starts the browser.
func newField(ctx context.Context, root string, all []contender, minify bool) (*field, error) {
	f := &field{root: root, server: new(server)}
	made, err := newParcels(root, minify)
	if made != nil {
		f.stop = append(f.stop, func() { os.RemoveAll(made.folder) })
	}
	if err != nil {
		f.close()
		return nil, err
	}
	for _, c := range all {
		p, err := made.get(c)
		if err != nil {
			f.close()
			return nil, err
		}
		e := &entrant{contender: c, parcel: p, site: newSite(p.folder, f.server, false)}
		f.stop = append(f.stop, func() {
			e.site.CloseClientConnections()
			e.site.Close()
		})
		f.entrants = append(f.entrants, e)
	}
	browser, end, err := startBrowser(ctx)
	if err != nil {
		f.close()
		return nil, err
	}
	f.browser, f.stop = browser, append(f.stop, end)
	return f, nil
}

// open gives every entrant the page that its calls are measured in.
func (f *field) open() error {
	for _, e := range f.entrants {
		if e.tab != nil {
			continue
		}
		t, err := f.fresh(e)
		if err != nil {
			return err
		}
		e.tab = t
	}
	return nil
}

// fresh opens a page in a new profile and connects the entrant in it.
func (f *field) fresh(e *entrant) (*tab, error) {
	t, err := openTab(f.browser, e.site.URL+"/")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.name, err)
	}
	if _, err := e.connect(t); err != nil {
		t.close()
		return nil, fmt.Errorf("%s: connecting: %w", e.name, err)
	}
	return t, nil
}

// connect imports the contender and connects it; the answer is how long that
// took, in ms.
func (e *entrant) connect(t *tab) (map[string]float64, error) {
	return run[map[string]float64](t, "start", "/client.mjs", e.site.URL+"/mcp", e.options)
}

func (f *field) close() {
	for _, e := range f.entrants {
		if e.tab != nil {
			e.tab.close()
		}
	}
	for i := len(f.stop) - 1; i >= 0; i-- {
		f.stop[i]()
	}
}

// turns calls do for every entrant in every round. Each round begins with
// another entrant: what follows a slow one must not always be the same.
func (f *field) turns(rounds int, do func(round int, e *entrant) error) error {
	for round := range rounds {
		for i := range f.entrants {
			e := f.entrants[(round+i)%len(f.entrants)]
			if err := do(round, e); err != nil {
				return fmt.Errorf("%s: %w", e.name, err)
			}
		}
	}
	return nil
}

// warmTurns is [field.turns] on the entrants' open pages; counted is false in
// the rounds that only warm them up.
func (f *field) warmTurns(s settings, do func(counted bool, e *entrant) error) error {
	if err := f.open(); err != nil {
		return err
	}
	return f.turns(s.rounds+s.warm, func(round int, e *entrant) error { return do(round >= s.warm, e) })
}
