package jetstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// Config says what is kept, and where. Zero fields mean the default.
type Config struct {
	// Prefix begins the names of the streams and their subjects; "MCP" by default. Letters, digits and "-".
	Prefix string
	// Replicas is how many servers have a copy; 1 by default. Three outlive the loss of one.
	Replicas int
	// Memory keeps everything in memory instead of on a disk.
	Memory bool
	// Keep is for how long events are kept; 24 hours by default, negative for ever.
	Keep time.Duration
	// PerStream is how many events of a stream are kept at most; no limit by default.
	PerStream int64
	// Bytes is how much all events may take; no limit by default. What would be more is refused
	// (store.Full), unless Overwrite.
	Bytes int64
	// Overwrite drops the oldest events, of any session, instead of refusing new ones.
	Overwrite bool
	// Patience is how long a method tries again when the store does not answer, a leader is being
	// elected, or the connection is away; 5 seconds by default.
	Patience time.Duration
	// Settle is for how long a server may take itself for the leader that can reach the others again: until
	// it hears the next leader, which speaks once a second; 2 seconds by default. What is lost is said that
	// much later, where there are Replicas.
	Settle time.Duration
	// Poll is how often a reader that waits looks by itself, in case word of an event was lost; 5 seconds
	// by default.
	Poll time.Duration
}

func (c Config) withDefaults() Config {
	if c.Prefix == "" {
		c.Prefix = "MCP"
	}
	c.Replicas = max(c.Replicas, 1)
	switch {
	case c.Keep == 0:
		c.Keep = 24 * time.Hour
	case c.Keep < 0:
		c.Keep = 0
	}
	if c.PerStream == 0 {
		c.PerStream = -1
	}
	if c.Bytes == 0 {
		c.Bytes = -1
	}
	if c.Patience == 0 {
		c.Patience = 5 * time.Second
	}
	if c.Settle == 0 {
		c.Settle = 2 * time.Second
	}
	if c.Poll == 0 {
		c.Poll = 5 * time.Second
	}
	return c
}

// A Store is a [store.Log] and [store.Records] in JetStream.
type Store struct {
	cfg     Config
	js      jetstream.JetStream
	events  jetstream.Stream
	records jetstream.Stream
	notices notices
}

// Open makes the two streams, or changes them to what cfg says, and returns a Store over them. The
// connection stays the caller's.
func Open(ctx context.Context, js jetstream.JetStream, cfg Config) (*Store, error) {
	cfg = cfg.withDefaults()
	if err := store.CheckKey("open", store.Key{Kind: cfg.Prefix, Group: "g", ID: "i"}); err != nil {
		return nil, &store.Error{Code: store.Invalid, Op: "open",
			Hint: "Prefix has to be letters, digits and -"}
	}
	s := &Store{cfg: cfg, js: js}
	storage, discard := jetstream.FileStorage, jetstream.DiscardNew
	if cfg.Memory {
		storage = jetstream.MemoryStorage
	}
	if cfg.Overwrite {
		discard = jetstream.DiscardOld
	}
	var err error
	// A subject's own limit always drops its oldest (DiscardNewPerSubject is not set). Direct reads, which
	// any replica would serve, are off: one may be behind what another node was told to be stored.
	s.events, err = s.stream(ctx, jetstream.StreamConfig{
		Name: cfg.Prefix + "-" + kindEvents, Subjects: []string{cfg.Prefix + "." + kindEvents + ".>"},
		Storage: storage, Replicas: cfg.Replicas,
		MaxAge: cfg.Keep, MaxBytes: cfg.Bytes, MaxMsgsPerSubject: cfg.PerStream, Discard: discard,
	})
	if err != nil {
		return nil, err
	}
	s.records, err = s.stream(ctx, jetstream.StreamConfig{
		Name: cfg.Prefix + "-" + kindRecords, Subjects: []string{cfg.Prefix + "." + kindRecords + ".>"},
		Storage: storage, Replicas: cfg.Replicas,
		MaxMsgsPerSubject: 1,
	})
	if err != nil {
		return nil, err
	}
	s.notices.open(js.Conn(), cfg.Prefix)
	return s, nil
}

func (s *Store) stream(ctx context.Context, cfg jetstream.StreamConfig) (made jetstream.Stream, err error) {
	err = s.retry(ctx, "open", func(ctx context.Context) error {
		made, err = s.js.CreateOrUpdateStream(ctx, cfg)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", cfg.Name, err)
	}
	return made, nil
}

// Log is the store's log.
func (s *Store) Log() store.Log { return (*eventLog)(s) }

// Records are the store's records.
func (s *Store) Records() store.Records { return (*records)(s) }

// Close ends what listens. The connection stays open.
func (s *Store) Close() { s.notices.close() }

// attempt is how long one question may take before it is asked again, of another leader maybe.
const attempt = 2 * time.Second

// pause is how long the store has before it is asked again.
const pause = 50 * time.Millisecond

// retry does something until it succeeds, fails for good, or has been tried for cfg.Patience.
func (s *Store) retry(ctx context.Context, op string, do func(context.Context) error) error {
	patience, cancel := context.WithTimeout(ctx, s.cfg.Patience)
	defer cancel()
	for {
		once, cancel := context.WithTimeout(patience, attempt)
		err := failed(op, do(once))
		cancel()
		if store.CodeOf(err) != store.Unavailable {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-patience.Done():
			timer.Stop()
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
	}
}

// The parts of the names of streams and subjects that say what is in them.
const (
	kindEvents  = "events"
	kindRecords = "records"
)

// sure looks at a stream of JetStream's, and looks again before it says that something is lost. A leader that
// was cut off from the other servers takes itself for the leader for ten seconds more, and tells whoever
// reaches it what it had: what was appended at the next leader meanwhile would be lost to that reader. So a
// majority has to agree to something first, which a leader that is none any more does not get: then it is
// unavailable. What they agree to is an empty purge. Where the network is just back both leaders answer, and
// the old one may be faster: it has to have heard of the next one, too.
func (s *Store) sure(ctx context.Context, op string, of jetstream.Stream, kind string,
	look func() error) error {
	err := look()
	var told *store.Error
	if s.cfg.Replicas == 1 || !errors.As(err, &told) || !told.Lost() {
		return err
	}
	err = s.retry(ctx, op, func(ctx context.Context) error {
		return of.Purge(ctx, jetstream.WithPurgeSubject(s.cfg.Prefix+"."+kind+".none"))
	})
	if err != nil {
		return err
	}
	settled := time.NewTimer(s.cfg.Settle)
	defer settled.Stop()
	select {
	case <-settled.C:
		return look()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// failed gives an error of the client's, or of a server's, its code.
func failed(op string, err error) error {
	var known *store.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	var told *jetstream.APIError
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return &store.Error{Code: store.Unknown, Op: op}
	case errors.As(err, &told):
		switch told.ErrorCode {
		case jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant:
			return &store.Error{Code: store.Conflict, Op: op}
		case jetstream.JSErrCodeStreamMessageExceedsMaximum:
			return &store.Error{Code: store.Invalid, Op: op, Err: err,
				Hint: "the event is larger than the server allows (max_payload)"}
		case noResources, noStorage, notStored:
			return &store.Error{Code: store.Full, Op: op, Err: err,
				Hint: "the store has no room: raise its limits, or keep less"}
		}
	case errors.Is(err, nats.ErrMaxPayload):
		return &store.Error{Code: store.Invalid, Op: op, Err: err,
			Hint: "the event is larger than the server allows (max_payload)"}
	}
	return &store.Error{Code: store.Unavailable, Op: op, Err: err}
}

// Codes of the server's for which the client has no name. All three say that a disk, or what was set
// aside for JetStream, is full; the last one has the file system's own words as well.
const (
	noResources jetstream.ErrorCode = 10023
	noStorage   jetstream.ErrorCode = 10047
	notStored   jetstream.ErrorCode = 10077
)
