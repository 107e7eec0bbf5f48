//go:build !js

package main

import (
	"path"
	"path/filepath"
)

// phases are what a page reaches on its way from import() to connected, in their order: the module is
// there; the wasm is compiled and made; the first request has left, and its answer's head has come.
var phases = []string{"imported", "compiled", "asked", "answered", "connected"}

// measureConnect takes the time from import() to connected in ms: in a new
// profile, and on the third visit of a page, when the browser has the files and
// has compiled them before; and of the first visit, what that was waited for. Files come compressed with
// brotli, and what the page has downloaded by then is weighed. Of Holdfast it takes, too, how long connect()
// alone is in a further page beside that one, also where that has called preload().
func measureConnect(f *field, r *results, s settings) error {
	if err := f.weigh(); err != nil {
		return err
	}
	return f.turns(s.rounds, func(_ int, e *entrant) error {
		t, err := openTab(f.browser, e.site.URL+"/")
		if err != nil {
			return err
		}
		defer t.close()
		if _, err := run[any](t, "watchRequests"); err != nil {
			return err
		}
		cold, err := e.connect(t)
		if err != nil {
			return err
		}
		for _, phase := range phases {
			if at, ok := cold[phase]; ok {
				r.add(e.name, "phase "+phase, at)
			}
		}
		var warm map[string]float64
		for range 2 {
			if err := t.visit(e.site.URL + "/"); err != nil {
				return err
			}
			if warm, err = e.connect(t); err != nil {
				return err
			}
		}
		r.add(e.name, "connect cold", cold["connected"])
		r.add(e.name, "connect warm", warm["connected"])
		if err := e.weighLoaded(t, r); err != nil {
			return err
		}
		if e.dist == "" {
			return nil
		}
		for name, preloads := range map[string]bool{"connect second": false, "connect preloaded": true} {
			took, err := e.furtherPage(t, preloads)
			if err != nil {
				return err
			}
			r.add(e.name, name, took)
		}
		return nil
	})
}

// furtherPage takes how long connect() alone is in a page beside that one, in ms.
func (e *entrant) furtherPage(t *tab, preloads bool) (float64, error) {
	page, err := t.beside(e.site.URL + "/")
	if err != nil {
		return 0, err
	}
	defer page.close()
	return run[float64](page, "further", "/client.mjs", e.site.URL+"/mcp", e.options, preloads)
}

// weigh compresses what the pages may load, for the sites to send.
func (f *field) weigh() error {
	done := make(map[string]map[string]size)
	for _, e := range f.entrants {
		if e.sizes = done[e.parcel.folder]; e.sizes != nil {
			continue
		}
		sizes, err := e.parcel.weigh(f.root)
		if err != nil {
			return err
		}
		e.sizes = make(map[string]size)
		for _, one := range sizes {
			e.sizes[filepath.Base(one.File)] = one
		}
		done[e.parcel.folder] = e.sizes
	}
	return nil
}

// weighLoaded takes what a connected page has downloaded, in KB: its own JavaScript, and
// the wasm and the worker where there are any.
func (e *entrant) weighLoaded(t *tab, r *results) error {
	names, err := run[[]string](t, "scripts")
	if err != nil {
		return err
	}
	var all size
	add := func(names ...string) {
		for _, name := range names {
			one := e.sizes[path.Base(name)]
			all.Raw, all.Gzip, all.Brotli = all.Raw+one.Raw, all.Gzip+one.Gzip, all.Brotli+one.Brotli
		}
	}
	add(names...)
	r.add(e.name, "js brotli", all.Brotli/1000)
	add("holdfast.wasm", "holdfast-worker.mjs") // nothing where there is none
	r.add(e.name, "size raw", all.Raw/1000)
	r.add(e.name, "size gzip", all.Gzip/1000)
	r.add(e.name, "size brotli", all.Brotli/1000)
	if wasm, ok := e.sizes["holdfast.wasm"]; ok {
		r.add(e.name, "wasm brotli", wasm.Brotli/1000)
	}
	return nil
}
