package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// Records tests [store.Records]. open returns empty ones, seen from one node or several.
func Records(t *testing.T, open func(t *testing.T) []store.Records) {
	t.Run("CompareAndSet", func(t *testing.T) { compareAndSet(t, open(t)) })
	t.Run("Counter", func(t *testing.T) { counter(t, open(t)) })
	t.Run("List", func(t *testing.T) { list(t, open(t)) })
	t.Run("BadKeys", func(t *testing.T) { badKeys(t, open(t)) })
}

var key = store.Key{Kind: "sessions", Group: "all", ID: "a secret.with *odd> signs"}

func compareAndSet(t *testing.T, nodes []store.Records) {
	a, b := at(nodes, 0), at(nodes, 1)
	_, err := a.Get(t.Context(), key)
	refused(t, "Get of nothing", err, store.Unknown)
	refused(t, "Delete of nothing", a.Delete(t.Context(), key, 1), store.Unknown)
	_, err = a.Put(t.Context(), key, []byte("x"), 7)
	refused(t, "Put over nothing", err, store.Conflict)
	first, err := a.Put(t.Context(), key, []byte("one"), 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Put(t.Context(), key, []byte("x"), 0)
	refused(t, "Put of a new one", err, store.Conflict)
	second, err := b.Put(t.Context(), key, []byte("two"), first)
	if err != nil || second <= first {
		t.Fatalf("Put: %d, %v", second, err)
	}
	_, err = a.Put(t.Context(), key, []byte("x"), first)
	refused(t, "Put over an older one", err, store.Conflict)
	refused(t, "Delete of an older one", a.Delete(t.Context(), key, first), store.Conflict)
	if got, err := a.Get(t.Context(), key); err != nil || string(got.Value) != "two" ||
		got.Revision != second {
		t.Errorf("Get: %+v, %v", got, err)
	}
	if err := a.Delete(t.Context(), key, second); err != nil {
		t.Fatal(err)
	}
	_, err = b.Get(t.Context(), key)
	refused(t, "Get of a deleted one", err, store.Unknown)
	_, err = b.Put(t.Context(), key, []byte("x"), second)
	refused(t, "Put over a deleted one", err, store.Conflict)
	if _, err := b.Put(t.Context(), key, []byte("three"), 0); err != nil {
		t.Errorf("Put anew: %v", err)
	}
}

// counter has many add one each, as whoever reads, changes and writes has to.
func counter(t *testing.T, nodes []store.Records) {
	const workers, each = 6, 5
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() {
			for done := 0; done < each; {
				n, revision := 0, uint64(0)
				record, err := at(nodes, i%2).Get(t.Context(), key)
				if err == nil {
					revision = record.Revision
					fmt.Sscan(string(record.Value), &n)
				} else if store.CodeOf(err) != store.Unknown {
					t.Error(err)
					return
				}
				switch _, err := at(nodes, i%2).Put(t.Context(), key, fmt.Append(nil, n+1),
					revision); store.CodeOf(err) {
				case "":
					done++
				case store.Conflict:
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	record, err := at(nodes, 0).Get(t.Context(), key)
	if want := fmt.Sprint(workers * each); err != nil || string(record.Value) != want {
		t.Errorf("counted to %s, %v; want %s", record.Value, err, want)
	}
}

func list(t *testing.T, nodes []store.Records) {
	for i := range 5 {
		for _, group := range []string{"a", "b"} {
			k := store.Key{Kind: "calls", Group: group, ID: fmt.Sprint("call ", i)}
			if _, err := at(nodes, i).Put(t.Context(), k, fmt.Append(nil, group, i), 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	records, err := at(nodes, 1).List(t.Context(), "calls", "b")
	var values []string
	for _, record := range records {
		values = append(values, string(record.Value))
	}
	slices.Sort(values)
	if got := strings.Join(values, " "); err != nil || got != "b0 b1 b2 b3 b4" {
		t.Errorf("List: %s, %v", got, err)
	}
	if none, err := at(nodes, 0).List(t.Context(), "calls", "c"); err != nil || len(none) > 0 {
		t.Errorf("List of nothing: %v, %v", none, err)
	}
}

func badKeys(t *testing.T, nodes []store.Records) {
	r := at(nodes, 0)
	for _, k := range []store.Key{{}, {Kind: "a"}, {Kind: "a", Group: "b"},
		{Kind: "a.b", Group: "c", ID: "d"}, {Kind: "a", Group: "*", ID: "d"}} {
		_, err := r.Put(t.Context(), k, nil, 0)
		refused(t, "Put", err, store.Invalid)
		_, err = r.Get(t.Context(), k)
		refused(t, "Get", err, store.Invalid)
		refused(t, "Delete", r.Delete(t.Context(), k, 1), store.Invalid)
	}
}
