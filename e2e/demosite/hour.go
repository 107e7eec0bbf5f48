//go:build !js

package demosite

import (
	"fmt"
	"net/http"
	"time"
)

// minutes is how much of the clock of the server of tasks passes in a simulated
// hour, one by one.
const minutes = 60

// usualHour is the real time that it takes.
const usualHour = 8 * time.Second

// Bounds of that time.
const (
	minHour = time.Second
	maxHour = time.Minute
)

// passHour takes the network away for an hour that is over in seconds: the
// servers cannot be reached, and the clock of the server of tasks goes on.
func (s *Site) passHour(r *http.Request) (string, time.Duration, error) {
	d, err := span(r, "ms", s.hour, minHour, maxHour)
	if err != nil {
		return "", 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inHour {
		return "", 0, fmt.Errorf("an hour is passing already")
	}
	s.inHour = true
	s.cut()
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		tick := time.NewTicker(d / minutes)
		defer tick.Stop()
		for range minutes {
			select {
			case <-tick.C:
				s.tasks.Advance(time.Minute)
			case <-s.ctx.Done():
				return
			}
		}
		s.mu.Lock()
		s.inHour = false
		s.mu.Unlock()
	}()
	return fmt.Sprintf("an hour without network passes in %v", d), d, nil
}
