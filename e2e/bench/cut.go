//go:build !js

package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// cuttings are the calls whose streams break, by the name that the page gave
// them, which is also in the ids of their events.
type cuttings struct {
	mu   sync.Mutex
	live map[string]*cutting
}

// cutting is a call of the tool "cut": so many events with ids, half of them
// before the stream breaks, and the rest for whoever comes back with the id of
// the last that it has.
type cutting struct {
	message
	resumes int
	broken  time.Time // when it broke last
}

// cut serves the first half of the events and breaks the connection.
func (s *server) cut(w http.ResponseWriter, m *message) {
	a := m.Params.Arguments
	s.cuttings.mu.Lock()
	if s.cuttings.live == nil {
		s.cuttings.live = make(map[string]*cutting)
	}
	c := &cutting{message: *m}
	s.cuttings.live[a.Text] = c
	s.cuttings.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	if a.Retry > 0 {
		fmt.Fprintf(w, "retry: %d\n\n", a.Retry)
	}
	c.events(w, 1, a.Count/2)
	w.(http.Flusher).Flush()
	// A browser that has the end of a connection throws away what it had before,
	// unless that was read by then.
	time.Sleep(time.Duration(a.Pause) * time.Millisecond)
	s.breaks(c)
}

// breaks ends the connection where it is, and notes when.
func (s *server) breaks(c *cutting) {
	s.cuttings.mu.Lock()
	c.broken = time.Now()
	s.cuttings.mu.Unlock()
	panic(http.ErrAbortHandler)
}

// drop answers with a stream that has no ids, and breaks it after one event.
func (s *server) drop(w http.ResponseWriter, m *message) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "event: message\ndata: %s\n\n", m.progress(1))
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// resume serves a GET with a Last-Event-ID: what follows it of the call's
// events, and the result, which says how many ms after the last cut that was. A call that is
// to be cut more than once gets streams that open and break without an event before.
func (s *server) resume(w http.ResponseWriter, cursor string) {
	name, number, _ := strings.Cut(cursor, "/")
	last, err := strconv.Atoi(number)
	s.cuttings.mu.Lock()
	c := s.cuttings.live[name]
	var after time.Duration
	if c != nil {
		c.resumes++
		after = time.Since(c.broken)
	}
	s.cuttings.mu.Unlock()
	if c == nil || err != nil {
		http.NotFound(w, nil)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if c.resumes < c.Params.Arguments.Cuts {
		fmt.Fprint(w, ": nothing yet\n\n")
		w.(http.Flusher).Flush()
		s.breaks(c)
	}
	count := c.Params.Arguments.Count
	c.events(w, last+1, count)
	fmt.Fprintf(w, "event: message\nid: %s/%d\ndata: %s\n\n", name, count+1,
		c.result(fmt.Sprintf(`"content":[{"type":"text","text":"%d"}]`, after.Milliseconds())))
}

// events writes the call's events from one number to another.
func (c *cutting) events(w http.ResponseWriter, from, to int) {
	for i := from; i <= to; i++ {
		fmt.Fprintf(w, "event: message\nid: %s/%d\ndata: %s\n\n", c.Params.Arguments.Text, i, c.progress(i))
	}
}

// progress is notifications/progress for the request.
func (m *message) progress(number int) string {
	token := m.Params.Meta.Token
	if len(token) == 0 {
		token = m.ID // of a client that wants no progress, and is told nothing by this
	}
	return fmt.Sprintf(
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`,
		token, number)
}
