//go:build !js

package demosite

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Bounds of what a page may ask for: a demo that is left alone heals.
const (
	maxDown    = time.Minute
	minBetween = 100 * time.Millisecond
	maxBetween = time.Minute
	maxCutting = 10 * time.Minute
)

func (s *Site) addControls() {
	for name, act := range map[string]func(*http.Request) (string, time.Duration, error){
		"cut": func(*http.Request) (string, time.Duration, error) {
			return fmt.Sprintf("dropped %d connections", s.cut()), 0, nil
		},
		"restart": func(*http.Request) (string, time.Duration, error) {
			s.mcp.Restart()
			s.plain.Restart()
			s.private.Restart()
			s.taskCuts.All()
			s.tasks.Restart()
			s.resume.Restart()
			return "restarted: every session is forgotten", 0, nil
		},
		"down":      s.down,
		"up":        s.up,
		"cut-every": s.cutEvery,
		"hour":      s.passHour,
	} {
		s.mux.HandleFunc("POST /control/"+name, func(w http.ResponseWriter, r *http.Request) {
			what, lasts, err := act(r)
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Cache-Control", "no-store")
			if err != nil {
				w.WriteHeader(http.StatusBadRequest)
				what = err.Error()
			}
			json.NewEncoder(w).Encode(struct {
				OK   bool   `json:"ok"`
				What string `json:"what"`
				MS   int64  `json:"ms,omitempty"`
			}{err == nil, what, lasts.Milliseconds()})
		})
	}
}

func (s *Site) down(r *http.Request) (string, time.Duration, error) {
	d, err := span(r, "ms", 5*time.Second, 0, maxDown)
	if err != nil {
		return "", 0, err
	}
	s.mu.Lock()
	s.downUntil = time.Now().Add(d)
	s.mu.Unlock()
	return fmt.Sprintf("down for %v; dropped %d connections", d, s.cut()), d, nil
}

func (s *Site) up(*http.Request) (string, time.Duration, error) {
	s.mu.Lock()
	s.downUntil = time.Time{}
	s.mu.Unlock()
	return "up", 0, nil
}

// cutEvery replaces the one that runs.
func (s *Site) cutEvery(r *http.Request) (string, time.Duration, error) {
	every, err := span(r, "ms", 2*time.Second, minBetween, maxBetween)
	if err != nil {
		return "", 0, err
	}
	whole, err := span(r, "for", time.Minute, 0, maxCutting)
	if err != nil {
		return "", 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endCuts != nil {
		s.endCuts()
		s.endCuts = nil
	}
	if whole == 0 {
		return "no more cuts", 0, nil
	}
	ctx, end := context.WithTimeout(s.ctx, whole)
	s.endCuts = end
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		defer end()
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.cut()
			case <-ctx.Done():
				return
			}
		}
	}()
	return fmt.Sprintf("dropping connections every %v for %v", every, whole), whole, nil
}

// span reads a number of milliseconds from the query.
func span(r *http.Request, name string, otherwise, least, most time.Duration) (time.Duration, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	ms, err := strconv.ParseInt(text, 10, 32)
	d := time.Duration(ms) * time.Millisecond
	if err != nil || d < least || d > most {
		return 0, fmt.Errorf("%s must be a number of milliseconds from %d to %d", name, least.Milliseconds(),
			most.Milliseconds())
	}
	return d, nil
}
