//go:build !js

// Command simulate plays the incidents of core/simulate, prints what came of
// them and draws the arrival curves:
//
//	make simulate
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"sync"
	"time"

	"github.com/holdfast-mcp/holdfast/core/simulate"
)

func main() {
	cfg := simulate.Config{}
	flag.IntVar(&cfg.Clients, "clients", 100_000, "how many clients")
	flag.IntVar(&cfg.Calls, "calls", 2, "how many calls each has in flight")
	flag.Uint64Var(&cfg.Seed, "seed", 1, "what all chance is drawn from")
	compare := flag.Int("compare", -1,
		"how many clients for the comparison of policies; 0 for none, a tenth of -clients by default")
	memory := flag.Int64("memory", 0,
		"how many MB of memory to collect garbage for; 0 for what the clients take twice over")
	only := flag.String("only", "", "a regular expression: the incidents to play")
	policies := flag.String("policies", "", "a regular expression: the policies to compare")
	svg := flag.String("svg", "", "where to draw the arrival curves")
	one := served{}
	flag.Float64Var(&one.appends, "appends", 1584,
		"appends per second that one event store served (make bench-cluster)")
	flag.Float64Var(&one.replays, "replays", 85, "replays per second that it served, of five events each")
	profile := flag.String("cpuprofile", "", "where to write a CPU profile")
	flag.Parse()
	if *compare < 0 {
		*compare = max(cfg.Clients/10, 200)
	}
	stop, err := profileTo(*profile)
	if err == nil {
		err = run(cfg, *only, *compare, *policies, *svg, *memory, one)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

// profileTo profiles the CPU into that file, if one is named, until stop.
func profileTo(name string) (stop func(), err error) {
	if name == "" {
		return func() {}, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return pprof.StopCPUProfile, pprof.StartCPUProfile(file)
}

// served is what one event store has served in a second, by measurement.
type served struct{ appends, replays float64 }

func run(cfg simulate.Config, only string, compare int, policies, svg string, memory int64,
	one served) error {
	if one.appends <= 0 || one.replays <= 0 {
		return errors.New("-appends and -replays have to be more than 0")
	}
	named, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	compared, err := regexp.Compile(policies)
	if err != nil {
		return fmt.Errorf("-policies: %w", err)
	}
	scenarios := slices.DeleteFunc(simulate.Scenarios(),
		func(s simulate.Scenario) bool { return !named.MatchString(s.Name) })
	if len(scenarios) == 0 {
		return fmt.Errorf("-only: no incident is named like %q", only)
	}
	began := time.Now()
	fmt.Printf("%d clients with %d calls each, seed %d; %d bytes of heap per client while all is quiet\n\n",
		cfg.Clients, cfg.Calls, cfg.Seed, simulate.IdleBytes(
			simulate.Config{Clients: 1_000, Calls: cfg.Calls, Seed: cfg.Seed}))
	fmt.Println(simulate.Head)
	results := play(cfg, scenarios, memory)
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
			fmt.Printf("\n%s: the client ran %d calls again; %d failed, and their apps made them again: %v\n",
				r.Scenario.Name, r.Restarted, r.Remade, r.Failures)
		}
	}
	fmt.Printf(
		"\nWhat the event store is asked for; one served %.0f appends and %.0f replays per second\n\n%s\n",
		one.appends, one.replays, simulate.StoreHead)
	for _, r := range results {
		fmt.Println(r.StoreRow(one.appends, one.replays))
	}
	if compare > 0 {
		comparePolicies(simulate.Config{Clients: compare, Calls: cfg.Calls, Seed: cfg.Seed}, compared, svg,
			memory)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("\n%v, %d MB taken from the system\n", time.Since(began).Round(time.Second), m.Sys>>20)
	if broken > 0 {
		return fmt.Errorf("%d of %d incidents broke a promise", broken, len(results))
	}
	return nil
}

// limitMemory has garbage collected only as the memory fills up to so many MB.
// Most of the heap is clients that live until the end: by a share of it, which is
// what GOGC names, they would all be looked through again and again for nothing.
func limitMemory(cfg simulate.Config, together int, mb int64) {
	if mb == 0 {
		// Quiet, a client with two calls takes 11 KB; after a night's events, 22.
		mb = 256 + int64(together)*int64(cfg.Clients)*int64(10+15*cfg.Calls)>>10
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(mb << 20)
}

// play plays the incidents, as many at a time as there are processors and the
// longest first, and returns their results in order.
func play(cfg simulate.Config, scenarios []simulate.Scenario, memory int64) []simulate.Result {
	together := min(len(scenarios), runtime.GOMAXPROCS(0))
	limitMemory(cfg, together, memory)
	results := make([]simulate.Result, len(scenarios))
	order := make([]int, len(scenarios))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order,
		func(a, b int) int { return cmp.Compare(length(scenarios[b]), length(scenarios[a])) })
	next := make(chan int, len(order))
	for _, i := range order {
		next <- i
	}
	close(next)
	var all sync.WaitGroup
	for range together {
		all.Go(func() {
			for i := range next {
				results[i] = simulate.NewWorld(cfg, scenarios[i]).Run()
			}
		})
	}
	all.Wait()
	return results
}

// length says how long an incident takes to play, next to the others.
func length(s simulate.Scenario) int64 { return s.Outage + 10*s.RollEvery + s.WakeSpread }

// comparePolicies plays the incidents by which a policy is judged under each of
// them, and draws those of the built-in one beside those of the one before it.
func comparePolicies(cfg simulate.Config, compared *regexp.Regexp, svg string, memory int64) {
	var judged []simulate.Scenario
	for _, s := range simulate.Scenarios() {
		if s.Judges {
			judged = append(judged, s)
		}
	}
	shown := map[string][]simulate.Result{}
	for _, p := range simulate.Policies() {
		if !compared.MatchString(p.Name) {
			continue
		}
		cfg.Retry = p.Policy
		results := play(cfg, judged, memory)
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
	if svg == "" || shown["built in"] == nil || shown["before"] == nil {
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
	title := fmt.Sprintf("Requests per second at a service with %d clients, since the incident began",
		cfg.Clients)
	if err := os.WriteFile(svg, []byte(simulate.Chart(title, panels)), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
	}
}
