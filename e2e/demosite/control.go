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
	for name, act := range map[string]func(*http.Request) (string, error){
		"cut": func(*http.Request) (string, error) {
			return fmt.Sprintf("dropped %d connections", s.cut()), nil
		},
		"restart": func(*http.Request) (string, error) {
			s.mcp.Restart()
			s.plain.Restart()
			return "restarted: every session is forgotten", nil
		},
		"down":      s.down,
		"up":        s.up,
		"cut-every": s.cutEvery,
	} {
		s.mux.HandleFunc("POST /control/"+name, func(w http.ResponseWriter, r *http.Request) {
			what, err := act(r)
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Cache-Control", "no-store")
			if err != nil {
				w.WriteHeader(http.StatusBadRequest)
				what = err.Error()
			}
			json.NewEncoder(w).Encode(struct {
				OK   bool   `json:"ok"`
				What string `json:"what"`
			}{err == nil, what})
		})
	}
}

func (s *Site) down(r *http.Request) (string, error) {
	d, err := span(r, "ms", 5*time.Second, 0, maxDown)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	s.downUntil = time.Now().Add(d)
	s.mu.Unlock()
	return fmt.Sprintf("down for %v; dropped %d connections", d, s.cut()), nil
}

func (s *Site) up(*http.Request) (string, error) {
	s.mu.Lock()
	s.downUntil = time.Time{}
	s.mu.Unlock()
	return "up", nil
}

// cutEvery replaces the one that runs.
func (s *Site) cutEvery(r *http.Request) (string, error) {
	every, err := span(r, "ms", 2*time.Second, minBetween, maxBetween)
	if err != nil {
		return "", err
	}
	whole, err := span(r, "for", time.Minute, 0, maxCutting)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endCuts != nil {
		s.endCuts()
		s.endCuts = nil
	}
	if whole == 0 {
		return "no more cuts", nil
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
	return fmt.Sprintf("dropping connections every %v for %v", every, whole), nil
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
		return 0, fmt.Errorf("%s must be a number of milliseconds from %d to %d", name, least.Milliseconds(), most.Milliseconds())
	}
	return d, nil
}
