//go:build !js

package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"
)

// errNoPeak says that the system does not tell the peak of a process's memory.
var errNoPeak = errors.New("needs Linux, which tells the peak of a process's memory")

// process is the renderer that a tab lives in.
type process int64

// process finds the tab's renderer: the one whose processor time grows while
// the tab is kept busy. No command of the protocol says it.
func (tab *tab) process() (process, error) {
	const busy = 150
	times := func() (map[int64]float64, error) {
		got, err := chromedp.CallBrowser(tab.ctx, systeminfo.GetProcessInfo, cdp.Empty{})
		if err != nil {
			return nil, err
		}
		all := make(map[int64]float64)
		for _, p := range got.ProcessInfo {
			if p.Type == "renderer" {
				all[p.ID] = p.CPUTime
			}
		}
		return all, nil
	}
	before, err := times()
	if err != nil {
		return 0, err
	}
	if _, err := run[any](tab, "spin", busy); err != nil {
		return 0, err
	}
	after, err := times()
	if err != nil {
		return 0, err
	}
	var best process
	var most float64
	for id, time := range after {
		if grown := time - before[id]; grown > most {
			best, most = process(id), grown
		}
	}
	if best == 0 {
		return 0, errors.New("no renderer was busy")
	}
	return best, nil
}

// restartPeak forgets the peak so far, and returns the memory resident now.
func (p process) restartPeak() (float64, error) {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p), []byte("5"), 0); err != nil {
		return 0, errNoPeak
	}
	return p.status("VmRSS:")
}

// peak is the most memory that was resident since restartPeak, in bytes.
func (p process) peak() (float64, error) { return p.status("VmHWM:") }

func (p process) status(field string) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p))
	if err != nil {
		return 0, errNoPeak
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			kb, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kb * 1024, err
		}
	}
	return 0, errNoPeak
}

// heap collects garbage and returns what is left, in bytes: JavaScript's heap
// and the memory of the wasm.
func (tab *tab) heap() (float64, error) {
	// What a finalizer lets go of, the next collection takes.
	for range 3 {
		if _, err := chromedp.Call(tab.ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
			return 0, err
		}
	}
	used, err := tab.metric("JSHeapUsedSize")
	if err != nil {
		return 0, err
	}
	wasm, err := run[float64](tab, "wasm")
	return used + wasm, err
}
