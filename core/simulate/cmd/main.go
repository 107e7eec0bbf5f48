//go:build !js

// Command simulate plays the incidents of core/simulate and prints what came of
// them.
package main

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/simulate"
)

func main() {
	clients := flag.Int("clients", 100_000, "clients")
	seed := flag.Uint64("seed", 1, "seed")
	only := flag.Int("only", -1, "scenario")
	pol := flag.Int("pol", -1, "policy")
	set := flag.String("set", "", "scenarios by letter")
	flag.Parse()
	for k, po := range simulate.Policies() {
		if *pol >= 0 && k != *pol && *pol < 100 {
			continue
		}
		if *pol < 0 && k > 0 {
			continue
		}
		link.Use(po.Policy)
		fmt.Println("==", po.Name)
		for i, s := range simulate.Scenarios() {
			if *only >= 0 && i != *only || *set != "" && !strings.Contains(*set, string(rune('a'+i))) {
				continue
			}
			t := time.Now()
			w := simulate.NewWorld(simulate.Config{Clients: *clients, Seed: *seed}, s)
			r := w.Run()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			a := &r.Arrivals
			fmt.Printf("%-30s V%d %d| arr %d served %d 503 %d busy100 %d busy1s %d late100 %d late1s %d mean %.0f ratio %.1f | req %d/%d/%d | wait %d/%d/%d whole %d | doubt %d restart %d remade %d %v | %v heap %d MB sys %d\n",
				s.Name, r.Violations(), r.Floors,
				a.Total(), r.Served, r.Refused, a.Busiest(100, 0), a.Busiest(1000, 0), a.Busiest(100, max(s.Retry, 0)+max(s.Retry/4, 100)+1000), a.Busiest(1000, max(s.Retry, 0)+max(s.Retry/4, 100)+1000), a.Mean(), float64(a.Busiest(1000, 0))/a.Mean(),
				simulate.Percentile(r.Requests, 50), simulate.Percentile(r.Requests, 99), simulate.Percentile(r.Requests, 100),
				simulate.Percentile(r.Waits, 50), simulate.Percentile(r.Waits, 99), simulate.Percentile(r.Waits, 100), r.Whole,
				r.Doubted, r.Restarted, r.Remade, r.Failures, time.Since(t).Round(time.Millisecond), m.HeapAlloc>>20, m.Sys>>20)
		}
	}
}
