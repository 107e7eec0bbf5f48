package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// frame is one line of a trace (web/src/recorder/framering.ts).
type frame struct {
	Page    string            `json:"page"`
	X       int               `json:"x"`
	What    string            `json:"what"`
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
	Status  int               `json:"status"`
	Text    string            `json:"text"`
}

// exchange is a request with what came of it.
type exchange struct {
	request frame
	status  int
	headers map[string]string
	pieces  []string // of the body
	end     string   // "end", "failed" or "cancelled"; empty where the record stops before
	played  bool
}

// mostLine is how long a line of a trace may be.
const mostLine = 64 << 20

// readTrace returns the exchanges of a page in their order; of the newest, where none is named.
func readTrace(r io.Reader, page string) ([]*exchange, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, mostLine)
	var frames []frame
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var f frame
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			return nil, fmt.Errorf("line %d is no frame of a trace: %w", n, err)
		}
		frames = append(frames, f)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if page == "" && len(frames) > 0 {
		page = frames[len(frames)-1].Page
	}
	var all []*exchange
	byNumber := map[int]*exchange{}
	for _, f := range frames {
		if f.Page != page {
			continue
		}
		x := byNumber[f.X]
		if f.What == "request" {
			x = &exchange{request: f}
			byNumber[f.X], all = x, append(all, x)
			continue
		}
		if x == nil {
			continue // the ring has lost its request
		}
		switch f.What {
		case "head":
			x.status, x.headers = f.Status, f.Headers
		case "lines":
			x.pieces = append(x.pieces, f.Text)
		case "body":
			x.pieces = append(x.pieces, string(f.Body))
		case "end", "failed", "cancelled":
			x.end = f.What
		}
	}
	if len(all) == 0 {
		return nil, errors.New("the trace has no requests of that page")
	}
	return all, nil
}

// message is what is read of a JSON-RPC message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// messageIn reads the message of a request's body; the zero message where it has none.
func messageIn(body []byte) (m message) {
	_ = json.Unmarshal(body, &m)
	return m
}

// kindOf is what a request is by which its like is found in the trace.
func kindOf(method, rpc string, isResume bool) string {
	kind := method + " " + rpc
	if isResume {
		kind += " resume"
	}
	return kind
}
