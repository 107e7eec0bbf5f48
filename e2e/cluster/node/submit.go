package node

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// Submit begins a call for which no client waits, in a session of its own, which it keeps: the work of a
// task. It goes on like any call, on another node too.
func (n *Node) Submit(ctx context.Context, s *Session, request []byte, revision string) error {
	if err := n.Keep(ctx, s); err != nil {
		return err
	}
	c, err := n.keepNew(ctx, s, request, http.Header{headerRevision: {revision}})
	if err == nil {
		err = n.begin(c)
	}
	if err == nil {
		n.work.Go(func() { n.run(c) })
	}
	return err
}

// Outcome returns the answer to a request that was submitted; nil where there is none yet. Where the answer
// is lost the error is one of the store's that says so.
func (n *Node) Outcome(ctx context.Context, s *Session, request []byte) (json.RawMessage, error) {
	last, err := n.cfg.Log.Last(ctx, store.Stream{Session: s.ID, Name: nameOf(s, request)})
	if err != nil || word(last.Label) != labelFinal {
		return nil, err
	}
	return last.Data, nil
}

// Withdraw cancels a request that was submitted, wherever it runs, and forgets it with its session.
func (n *Node) Withdraw(ctx context.Context, s *Session, request []byte) error {
	e, _ := sort(request)
	cancelled := fmt.Appendf(nil,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, e.ID)
	if err := n.said(ctx, s, cancelled); err != nil {
		return err
	}
	return n.Forget(ctx, s)
}

// Forget removes a session with all that was said in it.
func (n *Node) Forget(ctx context.Context, s *Session) error {
	kept, err := n.session(ctx, s.ID, s.User)
	if err == errNoSession {
		return nil
	}
	if err != nil {
		return err
	}
	return n.endSession(ctx, kept)
}
