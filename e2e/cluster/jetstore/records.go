package jetstore

import (
	"context"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// records is the Store as store.Records. Each record is the last message of its subject. JetStream's own
// key-value buckets let any replica answer a Get: a session that one node has just made would be unknown
// to the next.
type records Store

func (r *records) subject(key store.Key) string {
	return r.cfg.Prefix + "." + kindRecords + "." + key.Kind + "." + key.Group + "." + token(key.ID)
}

// Put implements [store.Records].
func (r *records) Put(ctx context.Context, key store.Key, value []byte, revision uint64) (uint64, error) {
	if err := store.CheckKey("put", key); err != nil {
		return 0, err
	}
	var ack *jetstream.PubAck
	err := (*Store)(r).retry(ctx, "put", func(ctx context.Context) (err error) {
		ack, err = r.js.PublishMsg(ctx, &nats.Msg{Subject: r.subject(key), Data: value},
			jetstream.WithExpectLastSequencePerSubject(revision), jetstream.WithRetryAttempts(0))
		return err
	})
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// Get implements [store.Records].
func (r *records) Get(ctx context.Context, key store.Key) (record store.Record, err error) {
	if err := store.CheckKey("get", key); err != nil {
		return store.Record{}, err
	}
	err = (*Store)(r).sure(ctx, "get", r.records, kindRecords, func() error {
		record, err = r.get(ctx, "get", r.subject(key))
		return err
	})
	return record, err
}

// get looks once. Who has purged before has had a majority.
func (r *records) get(ctx context.Context, op, subject string) (record store.Record, err error) {
	err = (*Store)(r).retry(ctx, op, func(ctx context.Context) error {
		message, err := r.records.GetLastMsgForSubject(ctx, subject)
		if err == nil {
			record = store.Record{Value: message.Data, Revision: message.Sequence}
		}
		return err
	})
	return record, err
}

// Delete implements [store.Records].
func (r *records) Delete(ctx context.Context, key store.Key, revision uint64) error {
	if err := store.CheckKey("delete", key); err != nil {
		return err
	}
	record, err := r.get(ctx, "delete", r.subject(key))
	if err != nil {
		return err
	}
	if record.Revision != revision {
		return &store.Error{Code: store.Conflict, Op: "delete"}
	}
	// Only this revision is purged: one that is put meanwhile has a higher sequence, and stays.
	err = (*Store)(r).retry(ctx, "delete", func(ctx context.Context) error {
		return r.records.Purge(ctx, jetstream.WithPurgeSubject(r.subject(key)),
			jetstream.WithPurgeSequence(revision+1))
	})
	if err != nil {
		return err
	}
	if _, err := r.get(ctx, "delete", r.subject(key)); err == nil {
		return &store.Error{Code: store.Conflict, Op: "delete"}
	} else if store.CodeOf(err) != store.Unknown {
		return err
	}
	return nil
}

// List implements [store.Records].
func (r *records) List(ctx context.Context, kind, group string) ([]store.Record, error) {
	if err := store.CheckKey("list", store.Key{Kind: kind, Group: group, ID: "all"}); err != nil {
		return nil, err
	}
	var info *jetstream.StreamInfo
	err := (*Store)(r).retry(ctx, "list", func(ctx context.Context) (err error) {
		info, err = r.records.Info(ctx, jetstream.WithSubjectFilter(
			r.cfg.Prefix+"."+kindRecords+"."+kind+"."+group+".*"))
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []store.Record
	for subject := range info.State.Subjects {
		record, err := r.get(ctx, "list", subject)
		if store.CodeOf(err) == store.Unknown {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		all = append(all, record)
	}
	return all, nil
}
