//go:build !js

package main

// measureConnect takes the time from import() to connected in ms: in a new
// profile, and on the third visit of a page, when the browser has the files and
// has compiled them before. Files come compressed with brotli.
func measureConnect(f *field, r *results, s settings) error {
	if err := f.weigh(r); err != nil {
		return err
	}
	return f.turns(s.rounds, func(_ int, e *entrant) error {
		t, err := openTab(f.browser, e.site.URL+"/")
		if err != nil {
			return err
		}
		defer t.close()
		cold, err := e.connect(t)
		if err != nil {
			return err
		}
		var warm float64
		for range 2 {
			if err := t.visit(e.site.URL + "/"); err != nil {
				return err
			}
			if warm, err = e.connect(t); err != nil {
				return err
			}
		}
		r.add(e.name, "connect cold", cold)
		r.add(e.name, "connect warm", warm)
		return nil
	})
}

// weigh takes what a page has to download of each contender, in KB, and leaves
// the compressed files for the sites to serve.
func (f *field) weigh(r *results) error {
	done := make(map[string][]size)
	for _, e := range f.entrants {
		sizes, ok := done[e.parcel.folder]
		if !ok {
			var err error
			if sizes, err = e.parcel.weigh(f.root); err != nil {
				return err
			}
			done[e.parcel.folder] = sizes
		}
		var all size
		for i, one := range sizes {
			all.Raw, all.Gzip, all.Brotli = all.Raw+one.Raw, all.Gzip+one.Gzip, all.Brotli+one.Brotli
			r.add(e.name, []string{"js brotli", "wasm brotli"}[i], one.Brotli/1000)
		}
		r.add(e.name, "size raw", all.Raw/1000)
		r.add(e.name, "size gzip", all.Gzip/1000)
		r.add(e.name, "size brotli", all.Brotli/1000)
	}
	return nil
}
