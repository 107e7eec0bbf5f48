//go:build !js

package main

import (
	"fmt"
	"strings"
	"sync"
)

const (
	cutEvents   = 200
	cutPause    = 100 // from the last event to the cut, in ms
	serverRetry = 100 // what a server says that says `retry`, in ms
)

// cutKind is how a stream breaks: with the client's own policy or the server's
// for coming back, or with one or two resumptions that break too.
type cutKind struct {
	name  string
	Count int `json:"count"`
	Retry int `json:"retry"`
	Pause int `json:"pause"`
	Cuts  int `json:"cuts"`
}

var cutKinds = []cutKind{
	{name: "cut", Count: cutEvents, Pause: cutPause},
	{name: "cut retry", Count: cutEvents, Pause: cutPause, Retry: serverRetry},
	{name: "cut twice", Count: cutEvents, Pause: cutPause, Cuts: 2},
	{name: "cut thrice", Count: cutEvents, Pause: cutPause, Cuts: 3},
}

// recovery is what the rig says of one.
type recovery struct {
	MS    float64 `json:"ms"`
	After float64 `json:"after"`
	Lost  float64 `json:"lost"`
	Twice float64 `json:"twice"`
	Error string  `json:"error"`
}

// measureCut takes the time from a cut to the first recovered event in ms, with
// events lost and delivered twice; and how long a drop that cannot be resumed
// goes unreported. The newer wire has no resumption: it takes no part in the
// first.
func measureCut(f *field, r *results, s settings) error {
	for _, kind := range cutKinds {
		if err := f.cuts(r, s, kind); err != nil {
			return err
		}
	}
	return f.drops(r, s)
}

// cuts breaks streams in one way.
func (f *field) cuts(r *results, s settings, kind cutKind) error {
	if err := f.open(); err != nil {
		return err
	}
	return f.turns(s.rounds, func(_ int, e *entrant) error {
		if !e.progress || e.Revision == modern {
			r.note(e.name, kind.name, map[bool]string{true: "no resumption in " + modern,
				false: "drops progress"}[e.progress])
			return nil
		}
		got, err := run[recovery](e.tab, "cut", kind, s.cutPatience)
		if err != nil {
			return err
		}
		r.add(e.name, kind.name+" lost", got.Lost)
		r.add(e.name, kind.name+" doubled", got.Twice)
		switch {
		case got.MS >= 0:
			r.add(e.name, kind.name, got.MS)
			if kind.Cuts > 0 {
				r.add(e.name, kind.name+" after", got.After)
			}
		case got.Error == "nothing":
			r.note(e.name, kind.name, fmt.Sprintf("never, and the call hangs (%d s waited)",
				s.cutPatience/1000))
		default:
			r.note(e.name, kind.name, "never: "+got.Error)
		}
		return nil
	})
}

// drops waits for all contenders at the same time: some take a minute.
func (f *field) drops(r *results, s settings) error {
	var wait sync.WaitGroup
	got := make([]recovery, len(f.entrants))
	errs := make([]error, len(f.entrants))
	for i, e := range f.entrants {
		wait.Go(func() { got[i], errs[i] = run[recovery](e.tab, "drop", s.dropPatience) })
	}
	wait.Wait()
	for i, e := range f.entrants {
		if errs[i] != nil {
			return fmt.Errorf("%s: %w", e.name, errs[i])
		}
		if got[i].Error == "nothing" {
			r.note(e.name, "drop", fmt.Sprintf("hangs (%d s waited)", s.dropPatience/1000))
			continue
		}
		r.add(e.name, "drop", got[i].MS)
		message, _, _ := strings.Cut(got[i].Error, "\n")
		r.note(e.name, "drop says", message)
	}
	return nil
}
