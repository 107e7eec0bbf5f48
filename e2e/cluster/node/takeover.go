package node

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

func cutSpace(text string) (before, after string, found bool) { return strings.Cut(text, " ") }

// takeOver goes on with the calls of a node that has ended. Several nodes may try at once: the log decides.
func (n *Node) takeOver(ctx context.Context, gone string) {
	records, err := n.cfg.Records.List(ctx, "calls", gone)
	if err != nil {
		return // the next beat tries again
	}
	whole := true
	for _, record := range records {
		whole = n.takeOne(ctx, gone, record) && whole
	}
	if !whole {
		return
	}
	node, err := n.cfg.Records.Get(ctx, nodeKey(gone))
	if err == nil {
		_ = n.cfg.Records.Delete(ctx, nodeKey(gone), node.Revision)
	}
}

// takeOne goes on with a call, and reports whether its old record needs no more looking at.
func (n *Node) takeOne(ctx context.Context, gone string, record store.Record) bool {
	var k kept
	if json.Unmarshal(record.Value, &k) != nil {
		n.cfg.Logger.Error("a record of a call cannot be read, and is left")
		return true
	}
	stream := store.Stream{Session: k.Session, Name: k.Stream}
	old := callKey(gone, stream)
	last, err := n.cfg.Log.Last(ctx, stream)
	switch {
	case store.CodeOf(err) == store.Unknown || store.CodeOf(err) == store.Corrupt,
		err == nil && word(last.Label) == labelFinal:
		// Nothing was said of it to anybody, or its session is over; or it was answered; or nobody can
		// write to it any more, and its readers are told that.
		n.forgetAnswers(ctx, stream)
		_ = n.cfg.Records.Delete(ctx, old, record.Revision)
		return true
	case err != nil:
		return false
	}
	switch name := writer(last.Label); {
	case name == gone:
	case name == n.Name():
		if _, runs := n.runs.Load(stream); runs {
			return false
		}
	default:
		if alive, err := n.there(ctx, name); alive || err != nil {
			return false // it runs the call, or is about to
		}
	}
	session, err := n.session(ctx, k.Session, k.User)
	if err == errNoSession {
		_ = n.cfg.Records.Delete(ctx, old, record.Revision)
		return true
	}
	if err != nil {
		return false
	}
	c, err := n.call(session, k.Stream, k.Body, http.Header{headerRevision: {k.Revision}})
	if err != nil {
		return false // it has lost its lease while it looked
	}
	c.Taken, c.at = true, last.Position
	if c.append(labelOwner, nil) != nil {
		return false // somebody else was first, the dead one perhaps, or the store is away
	}
	if n.keep(ctx, c) != nil {
		return false // it is taken from the old record once more, by whoever sees that this node is gone
	}
	_ = n.cfg.Records.Delete(ctx, old, record.Revision)
	n.runs.Store(stream, c)
	n.work.Go(func() { n.goOn(c) })
	return true
}

// goOn runs a call behind what it has said.
func (n *Node) goOn(c *Call) {
	defer n.runs.CompareAndDelete(c.stream, c)
	done, ok := n.member.during(c.owner, func() { c.stop(errLease) })
	if !ok {
		c.stop(errLease)
		n.abandon(c.owner)
		return
	}
	defer done()
	for {
		err := c.readPast()
		var told *store.Error
		switch {
		case err == nil:
			n.cfg.Logger.Info("took over a call", "epoch", c.Epoch)
			n.run(c)
			return
		case c.running.Err() != nil:
			return // the record stays, for whoever goes on
		case errors.As(err, &told) && !told.Retryable():
			n.cfg.Logger.Warn("what a call has said so far cannot be read", "error", err)
			asked, _ := sort(c.Body)
			if c.append(labelFinal, refusal(asked.ID, -32603, ErrInterrupted.Error())) == nil {
				n.drop(c.running, callKey(c.owner, c.stream))
			}
			return
		}
		select { // the store is away, which says nothing of the call
		case <-time.After(100 * time.Millisecond):
		case <-c.running.Done():
		}
	}
}

// readPast reads what was said to the client so far, and by how many nodes it was run: the log alone has them
// all, and in order. A record may be an old one, which nobody could delete.
func (c *Call) readPast() error {
	c.Past, c.asked, c.Epoch = nil, false, 1
	for event, err := range c.node.cfg.Log.After(c.running, c.stream, c.stream.Start()) {
		if err != nil {
			return err
		}
		if word(event.Label) == labelOwner && event.Number <= c.at.Number {
			c.Epoch++
		}
		if forClient(event.Label) {
			c.Past = append(c.Past, asItWas(event.Data))
			_, what := sort(event.Data)
			c.asked = c.asked || what == request
		}
	}
	return nil
}
