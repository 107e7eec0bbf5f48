//go:build !js

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
)

// settings are how much is measured.
type settings struct {
	rounds  int
	events  int
	calls   int
	memory  int  // events of the measurement of memory
	noPeaks bool // leaves the peaks of memory out
	unit    int  // bytes of the smaller result; the larger has 16 times as many

	// warm is how many rounds on a page are not counted: compilers are still at
	// work in them.
	warm int
	// How long to wait for a call whose stream was cut, in ms, and for one that
	// cannot be resumed: longer than the timeout of 60 s that most clients have.
	cutPatience, dropPatience int
	profiles                  string // a folder for .cpuprofile files; "" for none
}

// measurement is one part of a run; the names are those of -only.
type measurement struct {
	name string
	take func(*field, *results, settings) error
}

var measurements = []measurement{
	{"server", measureServer},
	{"connect", measureConnect},
	{"burst", measureBurst},
	{"calls", measureCalls},
	{"http2", measureHTTP2},
	{"large", measureLarge},
	{"memory", measureMemory},
	{"cut", measureCut},
}

func main() {
	if err := bench(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench() error {
	s := settings{memory: 100_000, unit: 1_000_000, warm: 2, cutPatience: 8_000, dropPatience: 70_000}
	flag.IntVar(&s.rounds, "rounds", 7, "how often each measurement is taken")
	flag.IntVar(&s.events, "events", 20_000, "events of a burst")
	flag.IntVar(&s.calls, "calls", 200, "calls one after another; twice as many with 32 in flight")
	flag.StringVar(&s.profiles, "profile", "",
		"folder for V8 CPU profiles of Holdfast's bursts and small calls, in the last round")
	only := flag.String("only", "",
		"measurements to take, with commas between: server, connect, burst, calls, http2, large, memory, cut")
	who := flag.String("who", "", "contenders to run, with commas between; all by default")
	against := flag.String("against", "",
		"a second folder of the built module, to compare with: holdfast' and holdfast-off'")
	page := flag.String("write", "", "page of documentation to write the results into; JSON goes beside it")
	flag.Parse()

	root, err := moduleroot.Find()
	if err != nil {
		return err
	}
	all := contenders(filepath.Join(root, "web", "dist"))
	if *against != "" {
		all = append(all, second(all, *against)...)
	}
	if *who != "" {
		all = slices.DeleteFunc(all, func(c contender) bool {
			return !slices.Contains(strings.Split(*who, ","), strings.TrimSuffix(c.name, "'"))
		})
	}
	// An interrupted run still ends the browser.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	f, err := newField(ctx, root, all, s.profiles == "")
	if err != nil {
		return err
	}
	defer f.close()
	r := newResults()
	var failed error
	for _, m := range measurements {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), m.name) {
			continue
		}
		began := time.Now()
		if err := m.take(f, r, s); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", m.name, err))
			continue
		}
		fmt.Fprintf(os.Stderr, "bench: %s, %.0f s\n", m.name, time.Since(began).Seconds())
	}
	a, err := aboutRun(root, s.rounds)
	if err != nil {
		return err
	}
	markdown(os.Stdout, a, f, r, s.events)
	// What was measured before something went wrong is shown, and published only
	// where nothing did.
	if *page == "" || failed != nil {
		return failed
	}
	return write(*page, a, f, r, s.events)
}

// second are Holdfast's contenders on another build of it.
func second(all []contender, dist string) []contender {
	var more []contender
	for _, c := range all {
		if c.dist != "" {
			c.name, c.dist, c.what = c.name+"'", dist, c.what+", of "+dist
			more = append(more, c)
		}
	}
	return more
}
