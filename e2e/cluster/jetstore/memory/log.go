package memory

import (
	"bytes"
	"context"
	"iter"
	"sync"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// Options bound what is kept. The zero value keeps everything.
type Options struct {
	// PerStream is how many events of a stream are kept at most: older ones are dropped.
	PerStream int
	// Bytes is how much data is kept at most; what would be more is refused (Full).
	Bytes int
}

// A Log is a [store.Log] in memory.
type Log struct {
	opts Options

	mu      sync.Mutex
	streams map[store.Stream]*stream
	place   uint64
	bytes   int
	changed chan struct{} // closed and replaced with each change
}

type stream struct{ events []entry }

type entry struct {
	store.Event
	previous store.Position
}

// NewLog returns an empty Log.
func NewLog(opts Options) *Log {
	return &Log{opts: opts, streams: map[store.Stream]*stream{}, changed: make(chan struct{})}
}

// Append implements [store.Log].
func (l *Log) Append(ctx context.Context, s store.Stream, after store.Position, label string, data []byte) (
	store.Position, error) {
	if err := store.CheckLabel(label); err != nil {
		return store.Position{}, err
	}
	if err := ctx.Err(); err != nil {
		return store.Position{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	next := after.Next(label, data)
	kept := l.streams[s]
	switch last := kept.last(s); {
	case last.Same(next):
		return last, nil // this very event, once more
	case !last.Same(after):
		return store.Position{}, &store.Error{Code: store.Conflict, Op: "append"}
	case l.opts.Bytes > 0 && l.bytes+len(data) > l.opts.Bytes:
		return store.Position{}, &store.Error{Code: store.Full, Op: "append"}
	}
	if kept == nil {
		kept = &stream{}
		l.streams[s] = kept
	}
	l.place++
	next.Place = l.place
	kept.events = append(kept.events,
		entry{store.Event{Position: next, Label: label, Data: bytes.Clone(data)}, after})
	l.bytes += len(data)
	if l.opts.PerStream > 0 && len(kept.events) > l.opts.PerStream {
		l.bytes -= len(kept.events[0].Data)
		kept.events = kept.events[1:]
	}
	close(l.changed)
	l.changed = make(chan struct{})
	return next, nil
}

func (s *stream) last(named store.Stream) store.Position {
	if s == nil {
		return named.Start()
	}
	return s.events[len(s.events)-1].Position
}

// Last implements [store.Log].
func (l *Log) Last(ctx context.Context, s store.Stream) (store.Event, error) {
	if err := ctx.Err(); err != nil {
		return store.Event{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.streams[s]
	if kept == nil {
		return store.Event{}, &store.Error{Code: store.Unknown, Op: "last"}
	}
	return kept.events[len(kept.events)-1].Event, nil
}

// next returns what comes after a position: nil where nothing does yet, and what tells of a change.
func (l *Log) next(op string, s store.Stream, after store.Position) (*store.Event, <-chan struct{}, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.streams[s]
	if kept == nil {
		return nil, nil, &store.Error{Code: store.Unknown, Op: op}
	}
	if err := store.CheckPosition(op, s, after); err != nil {
		return nil, nil, err
	}
	for _, e := range kept.events {
		if e.Place > after.Place {
			err := store.Judge(op, after, e.previous, e.Event)
			if store.CodeOf(err) == store.Dropped && l.has(after) {
				err = &store.Error{Code: store.Foreign, Op: op} // it is there, and no event of this stream
			}
			return &e.Event, nil, err
		}
	}
	_, err := store.JudgeEnd(op, after, kept.events[len(kept.events)-1].Event)
	return nil, l.changed, err
}

// has reports whether the event of a position is there, in whatever stream.
func (l *Log) has(at store.Position) bool {
	for _, kept := range l.streams {
		for _, e := range kept.events {
			if e.Position == at {
				return true
			}
		}
	}
	return false
}

// After implements [store.Log].
func (l *Log) After(ctx context.Context, s store.Stream, after store.Position) iter.Seq2[store.Event, error] {
	return l.read(ctx, "after", s, after, false)
}

// Follow implements [store.Log].
func (l *Log) Follow(ctx context.Context, s store.Stream, after store.Position) iter.Seq2[store.Event,
	error] {
	return l.read(ctx, "follow", s, after, true)
}

func (l *Log) read(ctx context.Context, op string, s store.Stream, at store.Position,
	follow bool) iter.Seq2[store.Event, error] {
	return func(yield func(store.Event, error) bool) {
		for {
			next, changed, err := l.next(op, s, at)
			if err == nil {
				err = ctx.Err()
			}
			switch {
			case err != nil:
				yield(store.Event{}, err)
				return
			case next != nil:
				at = next.Position
				if !yield(*next, nil) {
					return
				}
				continue
			case !follow:
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	}
}

// Forget implements [store.Log].
func (l *Log) Forget(ctx context.Context, session string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for s, kept := range l.streams {
		if s.Session == session {
			for _, e := range kept.events {
				l.bytes -= len(e.Data)
			}
			delete(l.streams, s)
		}
	}
	close(l.changed)
	l.changed = make(chan struct{})
	return nil
}
