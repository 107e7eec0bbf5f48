package node

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// Labels of what is in a call's stream: one of these words, and the name of the node that has written it.
const (
	labelBegin   = "begin"   // no message: gives a stream its first id
	labelMessage = "message" // for the client
	labelFinal   = "final"   // the answer, for the client
	labelOwner   = "owner"   // no message: the node runs the call from here on
)

// word is a label without its node.
func word(label string) string {
	before, _, _ := strings.Cut(label, " ")
	return before
}

// writer is a label's node.
func writer(label string) string {
	_, after, _ := strings.Cut(label, " ")
	return after
}

// forClient reports whether an event is for the client.
func forClient(label string) bool { return word(label) == labelMessage || word(label) == labelFinal }

// A Call is a request of a client's that this node runs.
type Call struct {
	Session *Session
	// Body is the request, as it came; Header what came with it.
	Body   []byte
	Header http.Header
	// Taken: another node has begun it, and has ended before the answer.
	Taken bool
	// Past is what was said to the client so far, where it was Taken, as the backend has said it.
	Past []json.RawMessage
	// Epoch is larger than that of any node that ran it before; the first one has 1.
	Epoch int

	node    *Node
	owner   string // the node's name when the call began to run here
	stream  store.Stream
	running context.Context // ends when the call is not this node's any more
	stop    context.CancelCauseFunc

	mu        sync.Mutex
	at        store.Position
	final     bool
	over      error // why nothing more is appended here
	asked     bool  // it has asked the client something
	pastAsked int   // where in Past the next question that was asked before may be
}

// kept is what is stored of a call while it runs, among the records of its node.
type kept struct {
	Session  string          `json:"session"`
	User     string          `json:"user"`
	Stream   string          `json:"stream"`
	Body     json.RawMessage `json:"body"`
	Revision string          `json:"revision"` // of the protocol
}

func callKey(node string, s store.Stream) store.Key {
	return store.Key{Kind: "calls", Group: node, ID: s.Session + "/" + s.Name}
}

// errTaken: another node runs the call by now.
var errTaken = errors.New("another node runs this call")

// ErrInterrupted is what a Backend returns for a call that it cannot go on with.
var ErrInterrupted = errors.New("the node that ran this call has ended before the answer, and nobody knows " +
	"how far it got; it was not run again")

// Context ends when the call is not this node's any more.
func (c *Call) Context() context.Context { return c.running }

// Append says something to the client: a message of the server's, as JSON. It returns once that is stored,
// and the client will get it. While the store is full or away it waits. An error means that the call is not
// this node's any more.
func (c *Call) Append(message []byte) error {
	e, what := sort(message)
	label := labelMessage
	switch asked, _ := sort(c.Body); {
	case what == response && string(e.ID) == string(asked.ID):
		label = labelFinal
	case what == request:
		c.mu.Lock()
		c.asked = true
		c.mu.Unlock()
		message = c.question(e, message)
	}
	return c.append(label, message)
}

func (c *Call) append(label string, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if c.over == nil && c.running.Err() != nil {
			c.over = context.Cause(c.running)
		}
		if c.over != nil {
			return c.over
		}
		if c.final {
			return nil // a message behind the answer has no stream to be on
		}
		at, err := c.node.cfg.Log.Append(c.running, c.stream, c.at, label+" "+c.owner, data)
		var told *store.Error
		switch {
		case err == nil:
			c.at, c.final = at, label == labelFinal
			return nil
		case errors.As(err, &told) && told.Retryable():
			c.node.cfg.Logger.Warn("an event waits for the store", "error", err)
			select {
			case <-time.After(100 * time.Millisecond):
			case <-c.running.Done():
			}
		default:
			if told != nil && told.Code == store.Conflict {
				err = errTaken
			}
			if label != labelBegin && label != labelOwner {
				c.node.cfg.Logger.Warn("a call is given up", "error", err)
			}
			c.over = err
			c.stop(err)
			return err
		}
	}
}

// errBegun: the same request was here before.
var errBegun = errors.New("this request has come before")

// nameOf is the name of a request's stream. The same request in the same session has the same one: a browser
// sends a POST again whose connection has died, and the balancer gives it to another node.
func nameOf(session *Session, body []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d:%s", len(session.ID), session.ID)
	h.Write(body)
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)[:20]))
}

// keepNew makes the record of a new call. Nothing runs a record whose stream has not begun.
func (n *Node) keepNew(ctx context.Context, session *Session, body []byte, header http.Header) (
	*Call, error) {
	c, err := n.call(session, nameOf(session, body), body, header)
	if err != nil {
		return nil, err
	}
	c.at = c.stream.Start()
	return c, n.keep(ctx, c)
}

// begin begins the stream of a call. Of all that try it, one succeeds.
func (n *Node) begin(c *Call) error {
	err := c.append(labelBegin, []byte(rand.Text()))
	if err == nil {
		n.runs.Store(c.stream, c)
	}
	if !errors.Is(err, errTaken) {
		return err
	}
	// The record is needed where the same request has come to this node before.
	if last, err := n.cfg.Log.Last(n.ctx, c.stream); err == nil && writer(last.Label) != c.owner {
		n.drop(n.ctx, callKey(c.owner, c.stream))
	}
	return errBegun
}

func (n *Node) call(session *Session, stream string, body []byte, header http.Header) (*Call, error) {
	owner, err := n.owner("call")
	if err != nil {
		return nil, err
	}
	c := &Call{Session: session, Body: body, Header: header, Epoch: 1, node: n, owner: owner,
		stream: store.Stream{Session: session.ID, Name: stream}}
	c.running, c.stop = context.WithCancelCause(n.ctx)
	return c, nil
}

// keep makes the record of a call. One that is there is this node's own: of an attempt whose answer was lost,
// or of the same request. Who runs the call is for the log to decide.
func (n *Node) keep(ctx context.Context, c *Call) error {
	value, err := json.Marshal(kept{c.Session.ID, c.Session.User, c.stream.Name, c.Body,
		c.Header.Get(headerRevision)})
	if err != nil {
		return err
	}
	_, err = n.cfg.Records.Put(ctx, callKey(c.owner, c.stream), value, 0)
	if store.CodeOf(err) == store.Conflict {
		return nil
	}
	return err
}

// run runs a call to its end.
func (n *Node) run(c *Call) {
	defer n.runs.CompareAndDelete(c.stream, c)
	defer c.stop(nil)
	done, ok := n.member.during(c.owner, func() { c.stop(errLease) })
	if !ok {
		c.stop(errLease)
		n.abandon(c.owner)
		return
	}
	defer done()
	err := n.cfg.Backend.Run(c.running, c)
	if c.running.Err() != nil {
		return // the record stays, for whoever goes on
	}
	if err == nil && !c.answered() {
		err = errors.New("the server has ended the call without an answer")
	}
	if err != nil && !c.answered() {
		asked, _ := sort(c.Body)
		if c.append(labelFinal, refusal(asked.ID, -32603, err.Error())) != nil {
			return
		}
	}
	c.mu.Lock()
	asked := c.asked
	c.mu.Unlock()
	if asked {
		n.forgetAnswers(c.running, c.stream)
	}
	n.drop(c.running, callKey(c.owner, c.stream))
}

func (c *Call) answered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.final
}

// Err says why the call is not this node's any more, nil while it is.
func (c *Call) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over
}

// drop deletes a record, whatever it is by now.
func (n *Node) drop(ctx context.Context, key store.Key) {
	record, err := n.cfg.Records.Get(ctx, key)
	if err == nil {
		err = n.cfg.Records.Delete(ctx, key, record.Revision)
	}
	if err != nil && store.CodeOf(err) != store.Unknown {
		n.cfg.Logger.Warn("a record of a call that is over stays", "error", err)
	}
}
