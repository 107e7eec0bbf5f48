//go:build !js

package main

import "fmt"

// burstsOfMemory is in how many calls half of the events come.
const burstsOfMemory = 5

// measureMemory takes the memory of a fresh page in KB: connected, after half
// of many events, and by how much the other half makes it grow.
func measureMemory(f *field, r *results, s settings) error {
	// Memory varies little, and this takes long.
	return f.turns(min(s.rounds, 3), func(_ int, e *entrant) error {
		t, err := f.fresh(e)
		if err != nil {
			return err
		}
		defer t.close()
		connected, err := t.heap()
		if err != nil {
			return err
		}
		r.add(e.name, "connected memory", connected/1024)
		if !e.progress {
			return nil
		}
		var after [2]float64
		for half := range after {
			for range burstsOfMemory {
				got, err := run[burstRun](t, "burst", load{Count: s.memory / burstsOfMemory / 2, Size: 200})
				if err != nil {
					return err
				}
				if got.Astray > 0 {
					return fmt.Errorf("%d events out of order", got.Astray)
				}
			}
			if after[half], err = t.heap(); err != nil {
				return err
			}
		}
		r.add(e.name, "50,000 memory", after[0]/1024)
		r.add(e.name, "memory growth", (after[1]-after[0])/1024)
		return nil
	})
}
