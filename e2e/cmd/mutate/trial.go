//go:build !js

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"sync"
	"time"
)

// outcome is what became of a mutant.
type outcome int

const (
	killed   outcome = iota // a test failed
	timedOut                // the tests did not end
	survived                // they passed
	unbuilt                 // it is no program
)

// tried is a mutant and its outcome.
type tried struct {
	mutant
	outcome outcome
}

// patience is how many times as long as without a mutant its tests may take.
const patience = 8

// tryAll runs the tests on each mutant, some at a time.
func (tree tree) tryAll(mutants []mutant, workers int) ([]tried, error) {
	began := time.Now()
	if out, err := tree.command("go", "test", "-count=1", "./core/...").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("without a mutant: %w\n%s", err, out)
	}
	limit := patience * time.Since(began)
	results := make([]tried, len(mutants))
	errs := make([]error, len(mutants))
	next := make(chan int)
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for i := range next {
				results[i].mutant = mutants[i]
				results[i].outcome, errs[i] = tree.try(mutants[i], i, limit)
				// told at once: the run takes long, and its reader can begin
				if results[i].outcome == survived {
					fmt.Printf("survived at %s:%d:%d: %s\n", mutants[i].File, mutants[i].Line,
						mutants[i].Column, mutants[i].Type)
				}
			}
		})
	}
	for i := range mutants {
		if i > 0 && i%20 == 0 {
			fmt.Printf("%d of %d after %s\n", i, len(mutants), time.Since(began).Round(time.Second))
		}
		next <- i
	}
	close(next)
	working.Wait()
	return results, errors.Join(errs...)
}

// try runs the tests on one mutant: those of its own package, then those of all others.
func (tree tree) try(m mutant, i int, limit time.Duration) (outcome, error) {
	real := filepath.Join(tree.root, m.File)
	source, err := os.ReadFile(real)
	if err != nil {
		return 0, err
	}
	mutated, err := apply(string(source), m)
	if err != nil {
		return 0, err
	}
	folder := filepath.Join(tree.root, fmt.Sprintf("mutant%d", i))
	defer os.RemoveAll(folder)
	file, overlay := filepath.Join(folder, "source.go"), filepath.Join(folder, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{real: file}})
	if err != nil {
		return 0, err
	}
	if err := errors.Join(os.Mkdir(folder, 0o777), os.WriteFile(file, []byte(mutated), 0o666),
		os.WriteFile(overlay, list, 0o666)); err != nil {
		return 0, err
	}
	for _, packages := range []string{"./" + path.Dir(m.File), "./core/..."} {
		if o := tree.test(overlay, packages, limit); o != survived {
			return o, nil
		}
	}
	return survived, nil
}

func (tree tree) test(overlay, packages string, limit time.Duration) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), limit+time.Minute)
	defer cancel()
	plain := tree.command("go", "test", "-failfast", "-vet=off", "-timeout", limit.String(), "-overlay",
		overlay, packages)
	cmd := exec.CommandContext(ctx, plain.Path, plain.Args[1:]...)
	cmd.Dir, cmd.Env = plain.Dir, plain.Env
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return survived
	case ctx.Err() != nil, bytes.Contains(out, []byte("panic: test timed out")):
		return timedOut
	case bytes.Contains(out, []byte("[build failed]")):
		return unbuilt
	}
	return killed
}
