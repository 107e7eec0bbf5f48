//go:build !js

// Command mutate changes one token at a time in the protocol packages of core and
// runs their quick tests: what no test notices is a promise that nothing keeps.
//
// gremlins lists the mutants. They are run here, by go test with an overlay: gremlins
// takes no sample, takes the conditions of a switch for code that no test reaches
// (Go's coverage counts statements), and what does not build for killed.
//
// A mutant that survives is killed by a new test, or justified in the list beside
// this file. A survivor that is in neither ends the run with an error.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

// tool is pinned, and no part of go.mod: nothing else needs what it needs.
const tool = "github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0"

// packages are those whose mistakes would be told as truths.
var packages = []string{"sse", "jsonrpc", "engine", "link", "journal", "durable", "tabs", "mcp", "acp"}

//go:embed justified.txt
var justifiedList string

func main() {
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "picks the sample; printed, to be given again")
	count := flag.Int("mutants", 300, "how many to make at least")
	workers := flag.Int("workers", 2, "how many to run at a time")
	flag.Parse()
	if err := run(*seed, *count, *workers); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(seed uint64, count, workers int) error {
	justified, err := parseJustified(justifiedList)
	if err != nil {
		return err
	}
	fmt.Printf("seed %d, at least %d mutants\n", seed, count)
	tree, err := copyCore(packages)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tree.root)
	all, err := tree.list()
	if err != nil {
		return err
	}
	chosen := sample(all, count, rand.New(rand.NewPCG(seed, 0)))
	fmt.Printf("%d of %d mutants, on %d lines\n", len(chosen), len(all), lines(chosen))
	results, err := tree.tryAll(chosen, workers)
	if err != nil {
		return err
	}
	return report(os.Stdout, tree, results, justified)
}
