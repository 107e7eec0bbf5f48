package memory

import (
	"bytes"
	"context"
	"sync"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// Records is a [store.Records] in memory.
type Records struct {
	mu       sync.Mutex
	records  map[store.Key]store.Record
	revision uint64
}

// NewRecords returns Records without any.
func NewRecords() *Records { return &Records{records: map[store.Key]store.Record{}} }

func (r *Records) begin(ctx context.Context, op string, key store.Key) error {
	if err := store.CheckKey(op, key); err != nil {
		return err
	}
	return ctx.Err()
}

// Put implements [store.Records].
func (r *Records) Put(ctx context.Context, key store.Key, value []byte, revision uint64) (uint64, error) {
	if err := r.begin(ctx, "put", key); err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.records[key].Revision != revision {
		return 0, &store.Error{Code: store.Conflict, Op: "put"}
	}
	r.revision++
	r.records[key] = store.Record{Value: bytes.Clone(value), Revision: r.revision}
	return r.revision, nil
}

// Get implements [store.Records].
func (r *Records) Get(ctx context.Context, key store.Key) (store.Record, error) {
	if err := r.begin(ctx, "get", key); err != nil {
		return store.Record{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	record, ok := r.records[key]
	if !ok {
		return store.Record{}, &store.Error{Code: store.Unknown, Op: "get"}
	}
	return record, nil
}

// Delete implements [store.Records].
func (r *Records) Delete(ctx context.Context, key store.Key, revision uint64) error {
	if err := r.begin(ctx, "delete", key); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	record, ok := r.records[key]
	switch {
	case !ok:
		return &store.Error{Code: store.Unknown, Op: "delete"}
	case record.Revision != revision:
		return &store.Error{Code: store.Conflict, Op: "delete"}
	}
	delete(r.records, key)
	return nil
}

// List implements [store.Records].
func (r *Records) List(ctx context.Context, kind, group string) ([]store.Record, error) {
	if err := r.begin(ctx, "list", store.Key{Kind: kind, Group: group, ID: "all"}); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []store.Record
	for key, record := range r.records {
		if key.Kind == kind && key.Group == group {
			all = append(all, record)
		}
	}
	return all, nil
}
