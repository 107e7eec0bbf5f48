//go:build !js

// Command simulate plays the incidents of core/simulate, prints what came of
// them and draws the arrival curves:
//
//	make simulate
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/simulate"
)

func main() {
	cfg := simulate.Config{}
	flag.IntVar(&cfg.Clients, "clients", 100_000, "how many clients")
	flag.IntVar(&cfg.Calls, "calls", 2, "how many calls each has in flight")
	flag.Uint64Var(&cfg.Seed, "seed", 1, "what all chance is drawn from")
	compare := flag.Int("compare", 1_000, "how many clients for the comparison of policies; 0 for none")
	only := flag.String("only", "", "a regular expression: the incidents to play")
	svg := flag.String("svg", "", "where to draw the arrival curves")
	flag.Parse()
	if err := run(cfg, *only, *compare, *svg); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

func run(cfg simulate.Config, only string, compare int, svg string) error {
	named, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	scenarios := slices.DeleteFunc(simulate.Scenarios(), func(s simulate.Scenario) bool { return !named.MatchString(s.Name) })
	if len(scenarios) == 0 {
		return fmt.Errorf("-only: no incident is named like %q", only)
	}
	debug.SetGCPercent(200)
	began := time.Now()
	fmt.Printf("%d clients with %d calls each, seed %d; %d bytes of heap per client while all is quiet\n\n",
		cfg.Clients, cfg.Calls, cfg.Seed, simulate.IdleBytes(simulate.Config{Clients: 1_000, Calls: cfg.Calls, Seed: cfg.Seed}))
	fmt.Println(simulate.Head)
	results := play(cfg, scenarios)
	broken := 0
	for _, r := range results {
		fmt.Println(r.Row())
	}
	for _, r := range results {
		if why := r.Broken(); why != "" {
			broken++
			fmt.Printf("\n%s: %s\n", r.Scenario.Name, why)
		}
		if len(r.Failures) > 0 {
			fmt.Printf("\n%s: the client ran %d calls again; %d failed, and their apps made them again: %v\n", r.Scenario.Name, r.Restarted, r.Remade, r.Failures)
		}
	}
	if compare > 0 {
		comparePolicies(simulate.Config{Clients: compare, Calls: cfg.Calls, Seed: cfg.Seed}, svg)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("\n%v, %d MB taken from the system\n", time.Since(began).Round(time.Second), m.Sys>>20)
	if broken > 0 {
		return fmt.Errorf("%d of %d incidents broke a promise", broken, len(results))
	}
	return nil
}

// play plays the incidents, as many at a time as there are processors, and
// returns their results in order.
func play(cfg simulate.Config, scenarios []simulate.Scenario) []simulate.Result {
	results := make([]simulate.Result, len(scenarios))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, s := range scenarios {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i] = simulate.NewWorld(cfg, s).Run()
		})
	}
	all.Wait()
	return results
}

// comparePolicies plays the incidents by which a policy is judged under each of
// them, and draws those of the built-in one beside those of the one before it.
func comparePolicies(cfg simulate.Config, svg string) {
	defer link.Use(link.BuiltIn())
	var judged []simulate.Scenario
	for _, s := range simulate.Scenarios() {
		if s.Judges {
			judged = append(judged, s)
		}
	}
	shown := map[string][]simulate.Result{}
	for _, p := range simulate.Policies() {
		link.Use(p.Policy)
		results := play(cfg, judged)
		shown[p.Name] = results
		fmt.Printf("\n%s, %d clients", p.Name, cfg.Clients)
		if p.Note != "" {
			fmt.Printf(" (%s)", p.Note)
		}
		fmt.Printf("\n\n%s\n", simulate.Head)
		for _, r := range results {
			fmt.Println(r.Row())
		}
	}
	if svg == "" {
		return
	}
	var panels []simulate.Panel
	for i, s := range judged {
		now, before := &shown["built in"][i], &shown["before"][i]
		panels = append(panels, simulate.Panel{
			Title: s.Name, Capacity: cfg.Clients / 10, Until: max(now.Shown(), before.Shown()),
			Lines: []simulate.Line{now.Curve("built in", "#0a58ca"), before.Curve("before", "#d9480f")},
		})
	}
	title := fmt.Sprintf("Requests per second at a service with %d clients, since the incident began", cfg.Clients)
	if err := os.WriteFile(svg, []byte(simulate.Chart(title, panels)), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
	}
}
