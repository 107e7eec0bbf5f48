//go:build !js

package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// A load is one burst: what a call says on its way.
type load struct {
	name  string
	title string
	Count int  `json:"count"`
	Size  int  `json:"size"`
	Each  bool `json:"each"`
	Wide  bool `json:"wide"`
}

// loads are the bursts: a lot of small events in large chunks, large events, the same
// whose text is not ASCII, and small ones that come one by one. Those the rig cuts apart: the browser joins
// what a server flushes by itself into chunks of any size.
func loads(count int) []load {
	return []load{
		{name: "200B", title: "events of 200 B", Count: count, Size: 200},
		{name: "2KB", title: "events of 2 KB", Count: count, Size: 2 << 10},
		{name: "wide", title: "events of 2 KB, Chinese and emoji", Count: count, Size: 2 << 10, Wide: true},
		{name: "each", title: "events of 200 B, one in a chunk", Count: count, Size: 200, Each: true},
	}
}

// burstRun is what the rig says of one burst.
type burstRun struct {
	MS      float64 `json:"ms"`
	Seen    int     `json:"seen"`
	Astray  int     `json:"astray"`
	Longest float64 `json:"longest"`
	Gap     float64 `json:"gap"`
}

// measureBurst takes: rate in events a second, CPU of the main thread in us per
// event, its longest task and the longest gap of a timer in ms.
func measureBurst(f *field, r *results, s settings) error {
	for _, l := range loads(s.events) {
		if err := f.open(); err != nil {
			return err
		}
		err := f.warmTurns(s, func(counted bool, e *entrant) error {
			if !e.progress {
				r.note(e.name, l.name+" rate", "drops progress")
				return nil
			}
			last := len(r.samples[key{e.name, l.name + " rate"}]) == s.rounds-1
			var got burstRun
			busy, err := e.tab.busy(func() (err error) {
				got, err = e.burst(l, counted && last, s)
				return err
			})
			if err != nil {
				return err
			}
			if got.Seen != l.Count || got.Astray != 0 {
				return fmt.Errorf("%d events of %d, %d of them out of order", got.Seen, l.Count, got.Astray)
			}
			if !counted {
				return nil
			}
			r.add(e.name, l.name+" rate", float64(l.Count)/got.MS*1000)
			r.add(e.name, l.name+" cpu", busy*1000/float64(l.Count))
			r.add(e.name, l.name+" longest", got.Longest)
			r.add(e.name, l.name+" gap", got.Gap)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// burst runs one burst, under the profiler where a folder was named: of
// Holdfast, in the last round, as profiling costs time itself.
func (e *entrant) burst(l load, last bool, s settings) (got burstRun, err error) {
	return got, e.profiled(l.name, last, s, func() (err error) {
		got, err = run[burstRun](e.tab, "burst", l)
		return err
	})
}

// profiled runs f, of Holdfast in the last round under the profiler where a folder was named.
func (e *entrant) profiled(name string, last bool, s settings, f func() error) error {
	if s.profiles == "" || e.dist == "" || !last {
		return f()
	}
	profile, err := e.tab.profile(f)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.profiles, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.profiles, e.name+"-"+name+".cpuprofile"), profile, 0o644)
}
