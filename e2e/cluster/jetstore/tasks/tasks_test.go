package tasks_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/embedded"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/memory"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/tasks"
)

// asked is what all tasks are for.
var asked = tasks.Request{Tool: "report", Arguments: json.RawMessage(`{"n":1}`)}

// each runs a test over memory, and over JetStream seen from two nodes.
func each(t *testing.T, run func(t *testing.T, a, b *tasks.Store)) {
	t.Run("memory", func(t *testing.T) {
		r := memory.NewRecords()
		run(t, tasks.New(r), tasks.New(r))
	})
	t.Run("JetStream", func(t *testing.T) {
		s := embedded.Start(t, embedded.Options{})
		var nodes [2]*tasks.Store
		for i := range nodes {
			kept, err := jetstore.Open(t.Context(), embedded.Connect(t, s.ClientURL()), jetstore.Config{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(kept.Close)
			nodes[i] = tasks.New(kept.Records())
		}
		run(t, nodes[0], nodes[1])
	})
}

// TestLife: made on one node, ended on another; and what comes later changes nothing.
func TestLife(t *testing.T) {
	each(t, func(t *testing.T, a, b *tasks.Store) {
		made, err := a.Create(t.Context(), "ada", time.Hour, asked)
		if err != nil || made.Status != tasks.Working || made.ID == "" {
			t.Fatalf("%+v, %v", made, err)
		}
		end := func(s tasks.Status) func(*tasks.Task) {
			return func(t *tasks.Task) { t.Status, t.Result = s, json.RawMessage(fmt.Sprintf("%q", s)) }
		}
		if _, err := b.Change(t.Context(), "ada", made.ID, end(tasks.InputRequired)); err != nil {
			t.Error(err)
		}
		if _, err := b.Change(t.Context(), "ada", made.ID, end(tasks.Completed)); err != nil {
			t.Error(err)
		}
		for _, late := range []tasks.Status{tasks.Completed, tasks.Failed, tasks.Cancelled, tasks.Working,
			"nonsense"} {
			if _, err := a.Change(t.Context(), "ada", made.ID, end(late)); store.CodeOf(
				err) != store.Conflict {
				t.Errorf("%s behind the end: %v", late, err)
			}
		}
		if got, err := a.Get(t.Context(), "ada", made.ID); err != nil || got.Status != tasks.Completed ||
			string(got.Result) != `"completed"` ||
			got.Request.Tool != asked.Tool || string(got.Request.Arguments) != string(asked.Arguments) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// TestOfAnotherUser: a task is its user's.
func TestOfAnotherUser(t *testing.T) {
	each(t, func(t *testing.T, a, b *tasks.Store) {
		made, err := a.Create(t.Context(), "ada", 0, asked)
		if err != nil {
			t.Fatal(err)
		}
		for _, user := range []string{"bob", "", `ada","`} {
			if _, err := b.Get(t.Context(), user, made.ID); store.CodeOf(err) != store.Unknown {
				t.Errorf("%q: %v", user, err)
			}
			if _, err := b.Change(t.Context(), user, made.ID,
				func(*tasks.Task) { t.Error("changed") }); store.CodeOf(err) != store.Unknown {
				t.Errorf("%q: %v", user, err)
			}
		}
		if _, err := b.Get(t.Context(), "ada", made.ID+"x"); store.CodeOf(err) != store.Unknown {
			t.Error(err)
		}
	})
}

// TestOneEnd: nodes that end a task at once: one has.
func TestOneEnd(t *testing.T) {
	each(t, func(t *testing.T, a, b *tasks.Store) {
		made, err := a.Create(t.Context(), "ada", 0, asked)
		if err != nil {
			t.Fatal(err)
		}
		won := make(chan int, 6)
		var all sync.WaitGroup
		for i := range cap(won) {
			all.Go(func() {
				_, err := []*tasks.Store{a, b}[i%2].Change(t.Context(), "ada", made.ID, func(t *tasks.Task) {
					t.Status, t.Message = tasks.Completed, fmt.Sprint(i)
				})
				if err == nil {
					won <- i
				} else if store.CodeOf(err) != store.Conflict {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if len(won) != 1 {
			t.Fatalf("%d have ended it", len(won))
		}
		if got, err := a.Get(t.Context(), "ada", made.ID); err != nil || got.Message != fmt.Sprint(<-won) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// TestTTL: what has ended is gone after its time, what works is not.
func TestTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tasks.New(memory.NewRecords())
		works, _ := s.Create(t.Context(), "ada", time.Hour, asked)
		ended, _ := s.Create(t.Context(), "ada", time.Hour, asked)
		if _, err := s.Change(t.Context(), "ada", ended.ID,
			func(t *tasks.Task) { t.Status = tasks.Failed }); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour) // in the bubble's own time
		if _, err := s.Get(t.Context(), "ada", ended.ID); store.CodeOf(err) != store.Unknown {
			t.Error(err)
		}
		if _, err := s.Get(t.Context(), "ada", works.ID); err != nil {
			t.Error(err)
		}
		if _, err := s.Create(t.Context(), "ada", -1, asked); store.CodeOf(err) != store.Invalid {
			t.Error(err)
		}
	})
}
