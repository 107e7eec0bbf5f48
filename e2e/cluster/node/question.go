package node

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// A question is a request of the server's to the client, on the stream of a call. Its id gets the name of
// that stream, so that whatever node hears the answer knows which call it is for. The answer is kept until
// the call ends: a node that goes on with the call asks again what was asked before, and gets the answer that
// the person has given.

// question names a stream in the id of a message of the server's.
func (c *Call) question(e envelope, message []byte) []byte {
	id, _ := json.Marshal(c.stream.Name + "." + string(e.ID))
	return Renumber(message, id)
}

// ofQuestion takes the stream out of the id of a question, or of an answer, and returns the id that the
// backend gave.
func ofQuestion(id json.RawMessage) (stream string, own json.RawMessage, ok bool) {
	var text string
	if json.Unmarshal(id, &text) != nil {
		return "", nil, false
	}
	stream, rest, ok := strings.Cut(text, ".")
	return stream, json.RawMessage(rest), ok && stream != "" && json.Valid([]byte(rest))
}

// asItWas gives a message of the server's the id that the backend gave it.
func asItWas(message []byte) []byte {
	if e, what := sort(message); what == request {
		if _, own, ok := ofQuestion(e.ID); ok {
			return Renumber(message, own)
		}
	}
	return message
}

// Renumber returns a JSON-RPC message under another id, which is JSON. What is no object stays as it is.
func Renumber(message, id []byte) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(message, &members) != nil {
		return message
	}
	members["id"] = id
	changed, err := json.Marshal(members)
	if err != nil {
		return message
	}
	return changed
}

// Asked reports whether an earlier node has asked the same, and under what id: the client has that question,
// and is not to get it again. What it asked twice is found twice.
func (c *Call) Asked(message []byte) (id json.RawMessage, ok bool) {
	asks := func(message []byte) (e struct {
		Method string
		Params json.RawMessage
	}) {
		_ = json.Unmarshal(message, &e)
		return e
	}
	this := asks(message)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := c.pastAsked; i < len(c.Past); i++ {
		e, what := sort(c.Past[i])
		if past := asks(c.Past[i]); what == request && past.Method == this.Method &&
			string(past.Params) == string(this.Params) {
			c.pastAsked = i + 1
			return e.ID, true
		}
	}
	return nil, false
}

// Answer returns the answer to a question that an earlier node has asked, under the id that it gave it; nil
// where there is none yet: then the backend is told of it (Said).
func (c *Call) Answer(ctx context.Context, id json.RawMessage) ([]byte, error) {
	record, err := c.node.cfg.Records.Get(ctx, answerKey(c.stream, id))
	if store.CodeOf(err) == store.Unknown {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return Renumber(record.Value, id), nil
}

func answerKey(s store.Stream, id json.RawMessage) store.Key {
	return store.Key{Kind: "answers", Group: s.Name, ID: s.Session + "/" + string(id)}
}

// errNoQuestion: an answer to nothing that a call waits for: of a session or a call that is over, or made up.
var errNoQuestion = errors.New("nobody waits for this answer")

// keepAnswer stores an answer, and returns it as the backend knows it.
func (n *Node) keepAnswer(ctx context.Context, s *Session, message []byte) ([]byte, error) {
	e, _ := sort(message)
	name, id, ok := ofQuestion(e.ID)
	stream := store.Stream{Session: s.ID, Name: name}
	key := answerKey(stream, id)
	if !ok || store.CheckKey("said", key) != nil {
		return nil, errNoQuestion
	}
	// The first answer counts. It is stored before it is looked whether the call is over, and a call that
	// ends looks for answers after that: one of the two removes it.
	if _, err := n.cfg.Records.Put(ctx, key, message, 0); err != nil && store.CodeOf(err) != store.Conflict {
		return nil, err
	}
	last, err := n.cfg.Log.Last(ctx, stream)
	if store.CodeOf(err) == store.Unknown || err == nil && word(last.Label) == labelFinal {
		n.drop(ctx, key)
		return nil, errNoQuestion
	}
	return Renumber(message, id), err
}

// forgetAnswers removes the answers that a call got. It has ended.
func (n *Node) forgetAnswers(ctx context.Context, s store.Stream) {
	answers, err := n.cfg.Records.List(ctx, "answers", s.Name)
	if err != nil {
		n.cfg.Logger.Warn("answers to a call that is over stay", "error", err)
		return
	}
	for _, answer := range answers {
		e, _ := sort(answer.Value)
		if _, id, ok := ofQuestion(e.ID); ok {
			n.drop(ctx, answerKey(s, id))
		}
	}
}
