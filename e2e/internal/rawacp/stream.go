//go:build !js

package rawacp

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A Stream is an event stream that is read as it comes.
type Stream struct {
	t      testing.TB
	frames chan Message
	stop   context.CancelFunc
	err    error // once frames is closed; nil after a clean end
}

// Open opens the connection's stream, or a session's. The test fails unless the
// answer is 200.
func (c *Client) Open(session string) *Stream {
	c.t.Helper()
	return c.OpenFrom(session, "")
}

// OpenFrom is Open with a Last-Event-ID.
func (c *Client) OpenFrom(session, lastEventID string) *Stream {
	c.t.Helper()
	ctx, stop := context.WithCancel(c.t.Context())
	c.t.Cleanup(stop)
	var extra http.Header
	if lastEventID != "" {
		extra = http.Header{"Last-Event-Id": {lastEventID}}
	}
	answer := c.Do(ctx, http.MethodGet, session, "", extra)
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(answer.Body)
		c.t.Fatalf("GET of stream %q: %s %s", session, answer.Status, text)
	}
	s := &Stream{t: c.t, frames: make(chan Message, 1<<16), stop: stop}
	go s.read(answer.Body)
	return s
}

func (s *Stream) read(body io.Reader) {
	defer close(s.frames)
	lines := bufio.NewReader(body)
	var id string
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			if err != io.EOF {
				s.err = err
			}
			return
		}
		if value, ok := strings.CutPrefix(line, "id: "); ok {
			id = strings.TrimSpace(value)
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			m := Message{EventID: id}
			if err := json.Unmarshal([]byte(data), &m); err != nil {
				s.err = err
				return
			}
			s.frames <- m
		}
	}
}

// Next is the next message; the test fails if none comes.
func (s *Stream) Next() Message {
	s.t.Helper()
	select {
	case m, ok := <-s.frames:
		if !ok {
			s.t.Fatalf("the stream ended: %v", s.err)
		}
		return m
	case <-time.After(patience):
		s.t.Fatalf("nothing within %v", patience)
	}
	return Message{}
}

// Until reads up to the first message that ok accepts and returns all of them.
func (s *Stream) Until(ok func(Message) bool) []Message {
	s.t.Helper()
	var all []Message
	for {
		m := s.Next()
		all = append(all, m)
		if ok(m) {
			return all
		}
	}
}

// UntilEnd is Until for a stream that may end first, which it reports.
func (s *Stream) UntilEnd(ok func(Message) bool) (all []Message, ended bool) {
	s.t.Helper()
	for {
		select {
		case m, more := <-s.frames:
			if !more {
				return all, true
			}
			if all = append(all, m); ok(m) {
				return all, false
			}
		case <-time.After(patience):
			s.t.Fatalf("nothing within %v", patience)
		}
	}
}

// Rest reads until the stream ends, and returns what ended it: nil is a clean
// end.
func (s *Stream) Rest() ([]Message, error) {
	s.t.Helper()
	var all []Message
	for {
		select {
		case m, ok := <-s.frames:
			if !ok {
				return all, s.err
			}
			all = append(all, m)
		case <-time.After(patience):
			s.t.Fatalf("the stream does not end")
		}
	}
}

// Close ends the stream from this side.
func (s *Stream) Close() { s.stop() }

// Answer accepts the response to a request.
func Answer(id string) func(Message) bool {
	return func(m Message) bool { return m.Method == "" && string(m.ID) == id }
}

// Idle accepts the state idle.
func Idle(m Message) bool {
	kind, update := m.Update()
	var state struct{ State string }
	json.Unmarshal(update, &state)
	return kind == "state_update" && state.State == "idle"
}

// Asks accepts a request of a method.
func Asks(method string) func(Message) bool {
	return func(m Message) bool { return m.Method == method }
}

// Text joins the text of a kind of chunk.
func Text(all []Message, kind string) string {
	var text strings.Builder
	for _, m := range all {
		var chunk struct{ Content struct{ Text string } }
		if got, update := m.Update(); got == kind && json.Unmarshal(update, &chunk) == nil {
			text.WriteString(chunk.Content.Text)
		}
	}
	return text.String()
}

// Kinds lists the updates among the messages by their discriminators, and the
// rest by method, "result" or "error".
func Kinds(all []Message) []string {
	var kinds []string
	for _, m := range all {
		kind, _ := m.Update()
		switch {
		case kind != "":
		case m.Method != "":
			kind = m.Method
		case m.Error != nil:
			kind = "error"
		default:
			kind = "result"
		}
		kinds = append(kinds, kind)
	}
	return kinds
}
