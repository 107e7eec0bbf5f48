package node

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// A Session is what is kept of one: enough for any node to go on with it.
type Session struct {
	ID   string `json:"id"`
	User string `json:"user"`
	// Initialize is the request that has begun it, as it came.
	Initialize json.RawMessage `json:"initialize"`
	// Upstream is the session that a gateway has with the server behind it.
	Upstream string `json:"upstream,omitempty"`

	revision uint64
}

func sessionKey(id string) store.Key { return store.Key{Kind: "sessions", Group: "all", ID: id} }

// errNoSession: there is none of that id, or it is another user's, who must not be told apart.
var errNoSession = errors.New("session not found")

// session finds the session of a user's request.
func (n *Node) session(ctx context.Context, id, user string) (*Session, error) {
	record, err := n.cfg.Records.Get(ctx, sessionKey(id))
	if store.CodeOf(err) == store.Unknown {
		return nil, errNoSession
	}
	if err != nil {
		return nil, err
	}
	s := &Session{revision: record.Revision}
	if json.Unmarshal(record.Value, s) != nil || s.User != user || s.ID != id {
		return nil, errNoSession
	}
	return s, nil
}

// Keep stores what has changed of a session.
func (n *Node) Keep(ctx context.Context, s *Session) error {
	value, err := json.Marshal(s)
	if err != nil {
		return err
	}
	s.revision, err = n.cfg.Records.Put(ctx, sessionKey(s.ID), value, s.revision)
	return err
}

// endSession forgets a session with all of its streams.
func (n *Node) endSession(ctx context.Context, s *Session) error {
	if err := n.cfg.Records.Delete(ctx, sessionKey(s.ID), s.revision); err != nil &&
		store.CodeOf(err) != store.Unknown {
		return err
	}
	n.cfg.Backend.Closed(s.ID)
	return n.cfg.Log.Forget(ctx, s.ID)
}
