// Package gateway is the backend of a node that stands in front of a server that keeps no events: it reads
// the answer to each request once, and what it says is stored as it comes. The server's calls can then be
// resumed, for as long as the node lives that reads them. When that one ends, the server's stream ends with
// it, and cannot be had again: the call is answered with [node.ErrInterrupted].
package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/node"
)

// A Backend is a [node.Backend].
type Backend struct {
	// URL is the server's endpoint.
	URL string
	// Client asks it; http.DefaultClient where nil. It must not have a timeout.
	Client *http.Client
	// Keep stores what has changed of a session: the node's [node.Node.Keep].
	Keep func(context.Context, *node.Session) error
}

const (
	headerSession  = "Mcp-Session-Id"
	headerRevision = "Mcp-Protocol-Version"
	// maxLine is how long a line of the server's may be, in bytes.
	maxLine = 16 << 20
)

// Run implements [node.Backend].
func (b *Backend) Run(ctx context.Context, c *node.Call) error {
	var asked struct{ Method string }
	if err := json.Unmarshal(c.Body, &asked); err != nil {
		return err
	}
	if c.Taken && asked.Method == "tools/call" {
		return node.ErrInterrupted
	}
	response, err := b.post(ctx, c.Session, c.Body, c.Header.Get(headerRevision))
	if err != nil {
		return fmt.Errorf("the server behind this gateway cannot be reached: %w", errors.Unwrap(err))
	}
	defer response.Body.Close()
	if id := response.Header.Get(headerSession); asked.Method == "initialize" && id != "" {
		c.Session.Upstream = id
		if err := b.Keep(ctx, c.Session); err != nil {
			return err
		}
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.StatusCode >= 400:
		return fmt.Errorf("the server behind this gateway answered with status %d", response.StatusCode)
	case kind == "text/event-stream":
		return read(response.Body, c.Append)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxLine))
	if err != nil {
		return errCut
	}
	return appendMessage(body, c.Append)
}

var errCut = errors.New(
	"the stream of the server behind this gateway was cut before the answer, and it cannot be resumed")

func (b *Backend) post(ctx context.Context, s *node.Session, body []byte, revision string) (
	*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if s.Upstream != "" {
		request.Header.Set(headerSession, s.Upstream)
		request.Header.Set(headerRevision, revision)
	}
	client := b.Client
	if client == nil {
		client = http.DefaultClient
	}
	return client.Do(request)
}

// read gives each message of an event stream to say.
func read(stream io.Reader, say func([]byte) error) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	var data []byte
	for lines.Scan() {
		line := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
		switch value, isData := bytes.CutPrefix(line, []byte("data:")); {
		case isData:
			data = append(append(data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
		case len(line) == 0 && len(data) > 1: // an event whose data is empty is no message
			if err := appendMessage(data, say); err != nil {
				return err
			}
			fallthrough
		case len(line) == 0:
			data = data[:0]
		}
	}
	if lines.Err() != nil {
		return errCut
	}
	return nil
}

// appendMessage says a message in one line, as an event's data has to be.
func appendMessage(message []byte, say func([]byte) error) error {
	var line bytes.Buffer
	if json.Compact(&line, message) != nil {
		return errors.New("the server behind this gateway has said what is no JSON")
	}
	return say(line.Bytes())
}

// Said implements [node.Backend]. Whoever hears it from the client passes it on, once.
func (b *Backend) Said(ctx context.Context, s *node.Session, message []byte) bool {
	var initialize struct {
		Params struct{ ProtocolVersion string }
	}
	_ = json.Unmarshal(s.Initialize, &initialize)
	if response, err := b.post(ctx, s, message, initialize.Params.ProtocolVersion); err == nil {
		response.Body.Close()
	}
	return true
}

// Closed implements [node.Backend]. The server ends the session by its own time.
func (b *Backend) Closed(string) {}
