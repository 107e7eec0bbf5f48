package sdknode

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/node"
)

// Options are those of a Backend.
type Options struct {
	// Server is the SDK's, with its tools.
	Server *mcp.Server
	// Durable names the tools that go on behind what they have said, on another node: they ask [Backend.Call]
	// where they are.
	Durable func(tool string) bool
	// Idle is for how long a session without calls is kept in memory; an hour by default.
	Idle time.Duration
}

// A Backend is a [node.Backend].
type Backend struct {
	opts Options
	name string // no other backend's, ever

	mu       sync.Mutex
	sessions map[string]*session
	streams  map[string]*node.Call // by the SDK's name of the stream
	calls    map[string]*node.Call // by the header field that its tool sees
	asked    map[string]asked      // by the id that the client knows
}

// session is one that this process has in memory.
type session struct {
	transport *mcp.StreamableServerTransport
	sdk       *mcp.ServerSession
	calls     int
	used      time.Time
}

// New makes a Backend.
func New(o Options) *Backend {
	if o.Idle == 0 {
		o.Idle = time.Hour
	}
	if o.Durable == nil {
		o.Durable = func(string) bool { return false }
	}
	return &Backend{
		opts: o, name: rand.Text(), sessions: map[string]*session{}, streams: map[string]*node.Call{},
		calls: map[string]*node.Call{},
		asked: map[string]asked{},
	}
}

// headerCall is how a tool finds its call. What a client sends by that name is not passed on.
const headerCall = "Cluster-Call"

// Call returns the call that a tool is for, nil where it is none of a node's.
func (b *Backend) Call(r *mcp.CallToolRequest) *node.Call {
	if r.Extra == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls[r.Extra.Header.Get(headerCall)]
}

// callKey is the context key by which the store's adapter finds the call that a stream is for.
type callKey struct{}

// Run implements [node.Backend].
func (b *Backend) Run(ctx context.Context, c *node.Call) error {
	var asked struct {
		ID     json.RawMessage
		Method string
		Params struct{ Name string }
	}
	if err := json.Unmarshal(c.Body, &asked); err != nil {
		return err
	}
	// What is no tool's changes nothing, and is run again.
	if c.Taken && asked.Method == "tools/call" && !b.opts.Durable(asked.Params.Name) {
		return node.ErrInterrupted
	}
	s, err := b.open(c.Session, asked.Method == "initialize")
	if err != nil {
		return err
	}
	defer b.done(s)

	id := rand.Text()
	b.mu.Lock()
	b.calls[id] = c
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.calls, id)
		for name, of := range b.streams {
			if of == c {
				delete(b.streams, name)
			}
		}
		for id, question := range b.asked {
			if question.call == c {
				delete(b.asked, id)
			}
		}
	}()
	request := inner(context.WithValue(ctx, callKey{}, c), c.Body, c.Header)
	request.Header.Set(headerCall, id)
	// The transport answers with its own copy of what is in the log: only a refusal is of interest.
	answer := httptest.NewRecorder()
	s.transport.ServeHTTP(&quiet{answer}, request)
	if ctx.Err() != nil {
		// The SDK's tool goes on without its request, until it is cancelled.
		cancel := fmt.Appendf(nil,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, asked.ID)
		s.transport.ServeHTTP(httptest.NewRecorder(), inner(context.Background(), cancel, c.Header))
		return ctx.Err()
	}
	if answer.Code >= 400 {
		return errors.New(answer.Body.String())
	}
	return nil
}

func inner(ctx context.Context, body []byte, header http.Header) *http.Request {
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", bytes.NewReader(body))
	request.Header = header.Clone()
	request.Header.Del(headerCall)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	return request
}

// quiet keeps what says why a request was refused, and drops events.
type quiet struct{ *httptest.ResponseRecorder }

func (q *quiet) Write(p []byte) (int, error) {
	if q.Code >= 400 {
		return q.ResponseRecorder.Write(p)
	}
	return len(p), nil
}

// open finds a session in memory, or makes it from what is stored.
func (b *Backend) open(kept *node.Session, fresh bool) (*session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sweep()
	s := b.sessions[kept.ID]
	if s != nil && fresh { // a handshake that another node has begun, and this one too, for itself
		fresh = false
		delete(b.sessions, kept.ID)
		go s.sdk.Close()
		s = nil
	}
	if s == nil {
		s = &session{transport: &mcp.StreamableServerTransport{SessionID: kept.ID, EventStore: (*events)(b)}}
		opts := &mcp.ServerSessionOptions{}
		if !fresh {
			var request struct{ Params *mcp.InitializeParams }
			if err := json.Unmarshal(kept.Initialize, &request); err != nil {
				return nil, err
			}
			opts.State = &mcp.ServerSessionState{InitializeParams: request.Params,
				InitializedParams: &mcp.InitializedParams{}}
		}
		var err error
		if s.sdk, err = b.opts.Server.Connect(context.Background(), s.transport, opts); err != nil {
			return nil, err
		}
		b.sessions[kept.ID] = s
	}
	s.calls++
	return s, nil
}

func (b *Backend) done(s *session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.calls--
	s.used = time.Now()
}

// sweep lets go of sessions that nobody has used. They are stored: the next request makes them anew.
func (b *Backend) sweep() {
	for id, s := range b.sessions {
		if s.calls == 0 && time.Since(s.used) > b.opts.Idle {
			delete(b.sessions, id)
			go s.sdk.Close()
		}
	}
}

// Said implements [node.Backend].
func (b *Backend) Said(_ context.Context, kept *node.Session, message []byte) (done bool) {
	b.mu.Lock()
	s := b.sessions[kept.ID]
	b.mu.Unlock()
	mine, ok := b.inward(message)
	if s != nil && ok {
		s.transport.ServeHTTP(httptest.NewRecorder(), inner(context.Background(), mine, http.Header{}))
	}
	return ok && isAnswer(message)
}

// Closed implements [node.Backend].
func (b *Backend) Closed(id string) {
	b.mu.Lock()
	s := b.sessions[id]
	delete(b.sessions, id)
	b.mu.Unlock()
	if s != nil {
		s.sdk.Close()
	}
}

// Close ends all sessions in memory.
func (b *Backend) Close() {
	b.mu.Lock()
	all := b.sessions
	b.sessions = map[string]*session{}
	b.mu.Unlock()
	for _, s := range all {
		s.sdk.Close()
	}
}
