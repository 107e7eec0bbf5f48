//go:build !js

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// parcel is what a page with a contender may load, in a folder: client.mjs, and
// for Holdfast the chunks, the wasm and the worker beside it.
type parcel struct {
	folder string
	files  []string
}

// parcels are those prepared so far: contenders that differ only in their
// options share one.
type parcels struct {
	root   string
	folder string // a temporary one
	minify bool
	rig    []byte
	ready  map[string]parcel
}

// newParcels bundles the rig.
func newParcels(root string, minify bool) (*parcels, error) {
	folder, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, err
	}
	p := &parcels{root: root, folder: folder, minify: minify, ready: make(map[string]parcel)}
	rig := filepath.Join(folder, "rig.mjs")
	if err := p.bundle("rig", "", rig); err != nil {
		return p, err
	}
	p.rig, err = os.ReadFile(rig)
	return p, err
}

func (p *parcels) get(c contender) (parcel, error) {
	key := c.bundle + c.dist + c.options.Host
	if done, ok := p.ready[key]; ok {
		return done, nil
	}
	made := parcel{folder: filepath.Join(p.folder, fmt.Sprint(len(p.ready)))}
	client := filepath.Join(made.folder, "client.mjs")
	if err := p.bundle(c.bundle, c.dist, client); err != nil {
		return made, err
	}
	if err := os.WriteFile(filepath.Join(made.folder, "rig.mjs"), p.rig, 0o644); err != nil {
		return made, err
	}
	made.files = []string{client}
	if c.dist != "" {
		wasm, err := os.ReadFile(filepath.Join(c.dist, "holdfast.wasm"))
		if err != nil {
			return made, fmt.Errorf("%w: run make build", err)
		}
		beside := filepath.Join(made.folder, "holdfast.wasm")
		if err := os.WriteFile(beside, wasm, 0o644); err != nil {
			return made, err
		}
		chunks, err := filepath.Glob(filepath.Join(made.folder, "*.mjs"))
		if err != nil {
			return made, err
		}
		made.files = append(chunks, beside)
		if c.options.Host == "shared" {
			worker, err := os.ReadFile(filepath.Join(c.dist, "holdfast-worker.mjs"))
			if err != nil {
				return made,
					fmt.Errorf(
						"%s: %w: run make build, or leave it out of a comparison with a build that has "+
							"no worker",
						c.name, err)
			}
			name := filepath.Join(made.folder, "holdfast-worker.mjs")
			if err := os.WriteFile(name, worker, 0o644); err != nil {
				return made, err
			}
			made.files = append(made.files, name)
		}
	}
	p.ready[key] = made
	return made, nil
}

// bundle builds page/<name>.ts with all it imports into one module, as an app's
// build would; dist is where "holdfast" is found.
func (p *parcels) bundle(name, dist, out string) error {
	args := []string{"tool", "esbuild", filepath.Join(p.root, "e2e", "bench", "page", name+".ts"),
		"--bundle", "--format=esm", "--target=es2022", "--log-level=warning"}
	if dist != "" {
		// Into chunks, which the others have none of that a bundler could leave
		// out: what they fetch would be as large, and the official client's in two files.
		args = append(args, "--alias:holdfast="+filepath.Join(dist, "holdfast.mjs"), "--splitting",
			"--outdir="+filepath.Dir(out), "--entry-names="+strings.TrimSuffix(filepath.Base(out), ".mjs"),
			"--out-extension:.js=.mjs")
	} else {
		args = append(args, "--outfile="+out)
	}
	if p.minify {
		args = append(args, "--minify")
	}
	build := exec.Command("go", args...)
	build.Dir = p.root
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("bundling %s: %w", name, err)
	}
	return nil
}

// size is what a file weighs, in bytes.
type size struct {
	File   string
	Raw    float64
	Gzip   float64
	Brotli float64
}

// weigh compresses the parcel as a server would, for the site to send, and says
// what its files weigh. Node does it: Go has no brotli.
func (p parcel) weigh(root string) ([]size, error) {
	args := append([]string{filepath.Join(root, "e2e", "bench", "weigh.mjs")}, p.files...)
	out, err := exec.Command("node", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("weighing %s: %w", p.folder, err)
	}
	var sizes []size
	return sizes, json.Unmarshal(out, &sizes)
}
