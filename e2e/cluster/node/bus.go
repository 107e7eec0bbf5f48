package node

import (
	"context"
	"encoding/json"

	"github.com/nats-io/nats.go"
)

// subjectSaid is where nodes tell each other what clients have said to their calls.
const subjectSaid = "MCP.said"

// spoken is what a node tells the others.
type spoken struct {
	From    string          `json:"from"`
	Session *Session        `json:"session"`
	Message json.RawMessage `json:"message"`
}

// said passes on what a client has said: to what runs here, and to the other nodes where that knows nothing
// of it. An answer is stored before that: who goes on with the call asks for it.
func (n *Node) said(ctx context.Context, s *Session, message []byte) (err error) {
	if _, what := sort(message); what == response {
		if message, err = n.keepAnswer(ctx, s, message); err == errNoQuestion {
			return nil
		}
		if err != nil {
			return err
		}
	}
	if n.cfg.Backend.Said(ctx, s, message) || n.cfg.Bus == nil {
		return nil
	}
	data, err := json.Marshal(spoken{n.Name(), s, message})
	if err == nil {
		err = n.cfg.Bus.Publish(subjectSaid, data)
	}
	if err != nil {
		n.cfg.Logger.Warn("the other nodes do not hear what a client said", "error", err)
	}
	return nil
}

func (n *Node) listen() error {
	if n.cfg.Bus == nil {
		return nil
	}
	sub, err := n.cfg.Bus.Subscribe(subjectSaid, func(m *nats.Msg) {
		var heard spoken
		if json.Unmarshal(m.Data, &heard) == nil && heard.From != n.Name() && heard.Session != nil {
			n.cfg.Backend.Said(n.ctx, heard.Session, heard.Message)
		}
	})
	if err == nil {
		n.subs = append(n.subs, sub)
	}
	return err
}
