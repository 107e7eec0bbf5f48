package jetstore

import (
	"context"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// After implements [store.Log].
func (l *eventLog) After(ctx context.Context, s store.Stream, after store.Position) iter.Seq2[store.Event,
	error] {
	return func(yield func(store.Event, error) bool) {
		l.replay(ctx, "after", s, &after, yield)
	}
}

// Follow implements [store.Log].
func (l *eventLog) Follow(ctx context.Context, s store.Stream, after store.Position) iter.Seq2[store.Event,
	error] {
	return func(yield func(store.Event, error) bool) {
		// Before the first look, so that nothing is added between the look and the listening.
		told, cancel := l.notices.of(path(s))
		defer cancel()
		poll := time.NewTicker(l.cfg.Poll)
		defer poll.Stop()
		for l.replay(ctx, "follow", s, &after, yield) {
			select {
			case <-told:
			case <-poll.C:
			case <-ctx.Done():
				yield(store.Event{}, ctx.Err())
				return
			}
		}
	}
}

// replay yields what is there behind at, which goes on with it, and reports whether that was all: false where
// the reader has enough, or was given an error.
func (l *eventLog) replay(ctx context.Context, op string, s store.Stream, at *store.Position,
	yield func(store.Event, error) bool) bool {
	enough := false
	err := (*Store)(l).sure(ctx, op, l.events, kindEvents, func() (err error) {
		enough, err = l.look(ctx, op, s, at, yield)
		return err
	})
	if err != nil {
		yield(store.Event{}, err)
	}
	return err == nil && !enough
}

// look yields what is there behind at, which goes on with it, until the reader has enough.
func (l *eventLog) look(ctx context.Context, op string, s store.Stream, at *store.Position,
	yield func(store.Event, error) bool) (enough bool, err error) {
	// Where it ends comes first: a client that has missed nothing costs one question.
	var last store.Event
	err = (*Store)(l).retry(ctx, op, func(ctx context.Context) (err error) {
		last, err = l.last(ctx, op, s)
		return err
	})
	more := store.CodeOf(err) == store.Corrupt
	if more {
		last = store.Event{} // the events before it are sound, and are read until its place is reached
	}
	if err == nil {
		more, err = store.JudgeEnd(op, *at, last)
	}
	if err != nil && !more {
		return false, err
	}
	for more {
		event, err := l.next(ctx, op, s, *at)
		switch {
		case err != nil:
			return false, err
		case event == nil:
			return false, nil
		}
		*at = event.Position
		if !yield(*event, nil) {
			return true, nil
		}
		more = !event.Same(last.Position)
	}
	return false, nil
}

// next returns the event behind a position, nil where there is none yet.
func (l *eventLog) next(ctx context.Context, op string, s store.Stream, at store.Position) (
	found *store.Event, err error) {
	err = (*Store)(l).retry(ctx, op, func(ctx context.Context) error {
		for {
			message, err := l.events.GetMsg(ctx, at.Place+1, jetstream.WithGetMsgSubject(l.subject(s)))
			if err = failed(op, err); store.CodeOf(err) == store.Unknown {
				last, err := l.last(ctx, op, s)
				if err != nil {
					return err
				}
				if more, err := store.JudgeEnd(op, at, last); err != nil || !more {
					return err
				}
				continue
			}
			if err != nil {
				return err
			}
			event, previous, err := read(op, message)
			if err == nil {
				err = store.CheckPosition(op, s, at)
			}
			if err != nil {
				return err
			}
			found = &event
			err = store.Judge(op, at, previous, event)
			if store.CodeOf(err) == store.Dropped && at.Number > 0 {
				// and it is no event of this stream
				if _, there := l.events.GetMsg(ctx, at.Place); there == nil {
					return &store.Error{Code: store.Foreign, Op: op}
				}
			}
			return err
		}
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}
