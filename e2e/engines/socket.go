//go:build !js

package engines

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/coder/websocket"
)

// answerCap bounds one message of a browser, in bytes.
const answerCap = 64 << 20

// A socket carries commands and their answers over a WebSocket, as WebDriver
// BiDi and WebKit's inspector both have them: {id, method, params}, and {id,
// result} or {id, error}. What has no id is an event.
type socket struct {
	write  func(ctx context.Context, text []byte) error
	close  func()                                      // ends the connection without waiting for the browser
	events func(method string, params json.RawMessage) // may be nil

	mu      sync.Mutex
	last    int
	waiting map[int]chan reply
	ended   error
}

// reply is an answer to a command, or why there is none.
type reply struct {
	result json.RawMessage
	err    error
}

// incoming is any message of a browser's.
type incoming struct {
	ID      *int            `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`   // a code of BiDi's, an object of the inspector's
	Message string          `json:"message"` // BiDi's, of an error
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// dial connects to a browser.
func dial(ctx context.Context, url string, events func(string, json.RawMessage)) (*socket, error) {
	conn, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		return nil, fmt.Errorf("connecting to the browser: %w", err)
	}
	conn.SetReadLimit(answerCap)
	s := &socket{
		write: func(ctx context.Context,
			text []byte) error {
			return conn.Write(ctx, websocket.MessageText, text)
		},
		close:   func() { _ = conn.CloseNow() },
		events:  events,
		waiting: map[int]chan reply{},
	}
	go s.read(conn)
	return s, nil
}

func (s *socket) read(conn *websocket.Conn) {
	for {
		_, text, err := conn.Read(context.Background())
		if err != nil {
			s.end(fmt.Errorf("the browser has ended the connection: %w", err))
			return
		}
		var m incoming
		if err := json.Unmarshal(text, &m); err != nil {
			s.end(fmt.Errorf("the browser sent what is no JSON: %w", err))
			return
		}
		s.take(m)
	}
}

// take hands a message to who waits for it.
func (s *socket) take(m incoming) {
	if m.ID == nil {
		if s.events != nil {
			s.events(m.Method, m.Params)
		}
		return
	}
	r := reply{result: m.Result}
	if len(m.Error) > 0 {
		r = reply{err: fmt.Errorf("the browser answers %s %s", m.Error, m.Message)}
	}
	s.mu.Lock()
	waits := s.waiting[*m.ID]
	delete(s.waiting, *m.ID)
	s.mu.Unlock()
	if waits != nil {
		waits <- r
	}
}

func (s *socket) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = err
	for id, waits := range s.waiting {
		waits <- reply{err: err}
		delete(s.waiting, id)
	}
}

// call sends a command, and puts its result where result points, if it does.
func (s *socket) call(ctx context.Context, method string, params, result any) error {
	id, waits, err := s.expect()
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	text, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if err := s.write(ctx, text); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return s.await(ctx, method, id, waits, result)
}

// expect announces that an answer to a new id is waited for.
func (s *socket) expect() (int, chan reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != nil {
		return 0, nil, s.ended
	}
	s.last++
	waits := make(chan reply, 1)
	s.waiting[s.last] = waits
	return s.last, waits, nil
}

func (s *socket) await(ctx context.Context, method string, id int, waits chan reply, result any) error {
	select {
	case r := <-waits:
		if r.err != nil {
			return fmt.Errorf("%s: %w", method, r.err)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(r.result, result)
	case <-ctx.Done():
		s.mu.Lock()
		delete(s.waiting, id)
		s.mu.Unlock()
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}
