package sdknode

import (
	"context"
	"errors"
	"iter"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/node"
)

// events is the Backend as the SDK's EventStore: what a session writes goes to the call that it is for.
type events Backend

// Open implements [mcp.EventStore]. A stream is opened with the context of its request.
func (e *events) Open(ctx context.Context, _, stream string) error {
	if c, ok := ctx.Value(callKey{}).(*node.Call); ok && stream != "" {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.streams[stream] = c
	}
	return nil
}

// Append implements [mcp.EventStore].
func (e *events) Append(_ context.Context, session, stream string, data []byte) error {
	e.mu.Lock()
	c := e.streams[stream]
	e.mu.Unlock()
	if c == nil || len(data) == 0 {
		return nil // outside of calls, or the priming event, which the node has written
	}
	if !isQuestion(data) {
		return c.Append(data)
	}
	if e.again(c, session, data) {
		return nil
	}
	return c.Append(outward(e.name, data))
}

// After implements [mcp.EventStore]. The node serves all that is resumed.
func (e *events) After(context.Context, string, string, int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) { yield(nil, errors.New("the node replays")) }
}

// SessionClosed implements [mcp.EventStore]. A session that this process lets go of is not over.
func (e *events) SessionClosed(context.Context, string) error { return nil }
