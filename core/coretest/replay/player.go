package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

// player answers requests as the server did that is on record.
type player struct {
	mu      sync.Mutex
	trace   []*exchange
	ids     map[string]json.RawMessage // of requests as they are now, by what they were
	missed  []string                   // requests that are not on record
	changed chan struct{}              // something has happened
}

func newPlayer(trace []*exchange) *player {
	return &player{trace: trace, ids: map[string]json.RawMessage{}, changed: make(chan struct{}, 1)}
}

// RoundTrip answers with the next exchange of that kind.
func (p *player) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	asked := messageIn(body)
	x := p.next(kindOf(r.Method, asked.Method, r.Header.Get("Last-Event-ID") != ""), asked.ID)
	p.wake()
	if x == nil {
		return p.unknown(r, asked)
	}
	if x.status == 0 {
		if x.end == "failed" {
			return nil, errors.New("the network failed, as it did on record")
		}
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	response := answer(r, x.status, nil)
	for name, value := range x.headers {
		response.Header.Set(name, value)
	}
	response.Body = &played{player: p, ctx: r.Context(), x: x}
	return response, nil
}

// next takes the first exchange of that kind that was not played.
func (p *player) next(kind string, id json.RawMessage) *exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range p.trace {
		was := messageIn(x.request.Body)
		if x.played || kindOf(x.request.Method, was.Method, x.request.Headers["last-event-id"] != "") !=
			kind {
			continue
		}
		x.played = true
		if len(was.ID) > 0 && len(id) > 0 {
			p.ids[string(was.ID)] = id
		}
		return x
	}
	return nil
}

// unknown answers what is not on record, so that the core goes on where it can: a trace may begin in the
// middle.
func (p *player) unknown(r *http.Request, asked message) (*http.Response, error) {
	switch {
	case asked.Method == "server/discover":
		return answer(r, 400, nil), nil
	case asked.Method == "initialize":
		result, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": asked.ID, "result": map[string]any{
			"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": "replay", "version": "1"}}})
		return answer(r, 200, result), nil
	case len(asked.ID) == 0 && r.Method == http.MethodPost:
		return answer(r, 202, nil), nil
	case r.Method == http.MethodDelete:
		return answer(r, 200, nil), nil
	case r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") == "":
		return answer(r, 405, nil), nil
	}
	p.mu.Lock()
	p.missed = append(p.missed, strings.TrimSpace(r.Method+" "+asked.Method))
	p.mu.Unlock()
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func answer(r *http.Request, status int, body []byte) *http.Response {
	response := &http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: -1, Request: r}
	if body != nil {
		response.Header.Set("Content-Type", "application/json")
	}
	return response
}

// wake has run look again at what the client waits for.
func (p *player) wake() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// played is the body of an exchange, piece by piece.
type played struct {
	player *player
	ctx    context.Context
	x      *exchange
	at     int
	rest   []byte
}

func (b *played) Read(into []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.at == len(b.x.pieces) {
			switch b.x.end {
			case "end":
				return 0, io.EOF
			case "failed":
				return 0, errors.New("the stream was cut, as on record")
			}
			<-b.ctx.Done() // the client gave it up, or the record stops
			return 0, b.ctx.Err()
		}
		b.rest = []byte(b.player.translated(b.x.pieces[b.at]))
		b.at++
		b.player.wake()
	}
	n := copy(into, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func (b *played) Close() error { return nil }

// translated puts the ids of the requests as they are now into messages that are on record: a body, or lines
// of an event stream.
func (p *player) translated(piece string) string {
	if !strings.HasPrefix(strings.TrimSpace(piece), "{") {
		var out strings.Builder
		for line := range strings.Lines(piece) {
			if data, isData := strings.CutPrefix(line, "data: {"); isData {
				line = "data: " + p.translated("{"+strings.TrimSuffix(data, "\n")) + "\n"
			}
			out.WriteString(line)
		}
		return out.String()
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(piece), &object) != nil {
		return piece
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, asks := object["method"]; !asks {
		p.replace(object, "id")
	}
	var params map[string]json.RawMessage
	if json.Unmarshal(object["params"], &params) == nil && params != nil {
		p.replace(params, "progressToken")
		p.replace(params, "requestId")
		object["params"], _ = json.Marshal(params)
	}
	text, err := json.Marshal(object)
	if err != nil {
		return piece
	}
	return string(text)
}

func (p *player) replace(object map[string]json.RawMessage, member string) {
	if now, known := p.ids[string(object[member])]; known {
		object[member] = now
	}
}
