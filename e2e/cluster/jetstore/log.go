package jetstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// eventLog is the Store as a store.Log.
type eventLog Store

// Header fields of an event. Position is its own, and Previous what it was appended after.
const (
	headerPosition = "Mcp-Position"
	headerPrevious = "Mcp-Previous"
	headerLabel    = "Mcp-Label"
)

// token is a name as a part of a subject: a digest, which has no dots, and tells nobody the name.
func token(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// path is a stream's name below the prefix of its subjects.
func path(s store.Stream) string { return token(s.Session) + "." + token(s.Session, s.Name) }

func (l *eventLog) subject(s store.Stream) string {
	return l.cfg.Prefix + "." + kindEvents + "." + path(s)
}

// Append implements [store.Log].
func (l *eventLog) Append(ctx context.Context, s store.Stream, after store.Position, label string,
	data []byte) (store.Position, error) {
	if err := store.CheckLabel(label); err != nil {
		return store.Position{}, err
	}
	next := after.Next(label, data)
	err := (*Store)(l).retry(ctx, "append", func(ctx context.Context) error {
		place, err := l.publish(ctx, s, after, next, label, data)
		next.Place = place
		return err
	})
	if err != nil {
		return store.Position{}, err
	}
	l.notices.tell(path(s))
	return next, nil
}

// publish tries once, and finds out whether an earlier try has succeeded whose answer was lost.
func (l *eventLog) publish(ctx context.Context, s store.Stream, after, next store.Position, label string,
	data []byte) (place uint64, err error) {
	message := &nats.Msg{Subject: l.subject(s), Data: data, Header: nats.Header{
		headerPosition: {next.String()}, headerPrevious: {after.String()}, headerLabel: {label},
	}}
	// No attempts of the client's own: retry has them.
	ack, err := l.js.PublishMsg(ctx, message, jetstream.WithExpectLastSequencePerSubject(after.Place),
		jetstream.WithRetryAttempts(0))
	if err == nil {
		return ack.Sequence, nil
	}
	if err = failed("append", err); store.CodeOf(err) != store.Conflict {
		return 0, err
	}
	last, lastErr := l.last(ctx, "append", s)
	if lastErr == nil && last.Same(next) {
		return last.Place, nil
	}
	if store.CodeOf(lastErr) == store.Unavailable {
		return 0, lastErr
	}
	// Nobody has written since: an earlier try is under way still, at the servers, or a leader is new and has
	// not caught up.
	if lastErr == nil && last.Position == after || store.CodeOf(lastErr) == store.Unknown &&
		after.Number == 0 {
		return 0, &store.Error{Code: store.Unavailable, Op: "append", Err: err}
	}
	return 0, err
}

// Last implements [store.Log].
func (l *eventLog) Last(ctx context.Context, s store.Stream) (last store.Event, err error) {
	err = (*Store)(l).sure(ctx, "last", l.events, kindEvents, func() error {
		return (*Store)(l).retry(ctx, "last", func(ctx context.Context) error {
			last, err = l.last(ctx, "last", s)
			return err
		})
	})
	return last, err
}

func (l *eventLog) last(ctx context.Context, op string, s store.Stream) (store.Event, error) {
	message, err := l.events.GetLastMsgForSubject(ctx, l.subject(s))
	if err != nil {
		return store.Event{}, failed(op, err)
	}
	event, _, err := read(op, message)
	return event, err
}

// read takes an event from a message. One that somebody else has published there is corrupt.
func read(op string, message *jetstream.RawStreamMsg) (
	event store.Event, previous store.Position, err error) {
	event = store.Event{Label: message.Header.Get(headerLabel), Data: message.Data}
	var ok, ok2 bool
	event.Position, ok = store.ParsePosition(message.Header.Get(headerPosition))
	previous, ok2 = store.ParsePosition(message.Header.Get(headerPrevious))
	if !ok || !ok2 || !previous.Next(event.Label, event.Data).Same(event.Position) {
		return event, previous, &store.Error{Code: store.Corrupt, Op: op,
			Hint: "something else than this package has written to the stream"}
	}
	event.Place = message.Sequence
	return event, previous, nil
}

// Forget implements [store.Log].
func (l *eventLog) Forget(ctx context.Context, session string) error {
	return (*Store)(l).retry(ctx, "forget", func(ctx context.Context) error {
		return l.events.Purge(ctx, jetstream.WithPurgeSubject(
			l.cfg.Prefix+"."+kindEvents+"."+token(session)+".*"))
	})
}
