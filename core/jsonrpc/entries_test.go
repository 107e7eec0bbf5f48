package jsonrpc

import (
	"fmt"
	"testing"
)

func TestEntries(t *testing.T) {
	for object, want := range map[string]string{
		`{}`:                           `[] false`,
		`{"a":1}`:                      `[a=1] false`,
		`{ "a" : {"b":[1]} , "c":"" }`: `[a={"b":[1]} c=""] false`,
		`{"\u0061\"":1,"a":2}`:         `[a"=1 a=2] false`,
		`{"a":1,"b":2,"c":3,"d":4}`:    `[a=1 b=2 c=3] true`,
		`[1]`:                          `[] false`,
	} {
		entries, more := Entries([]byte(object), 3)
		list := []string{}
		for _, e := range entries {
			list = append(list, e.Key+"="+string(e.Value))
		}
		if got := fmt.Sprint(list, " ", more); got != want {
			t.Errorf("%s: %s, want %s", object, got, want)
		}
	}
}

// Range gives what Entries gives, and stops where it is told to.
func TestRange(t *testing.T) {
	for _, object := range []string{`{}`, `{ "a" : {"b":[1]} , "c":"" }`, `{"\u0061\"":1,"a":2}`,
		`{"a":1,"b":2,"c":3,"d":4}`, `[1]`} {
		entries, _ := Entries([]byte(object), 3)
		n := 0
		Range([]byte(object), func(key, value []byte) bool {
			if e := entries[n]; string(key) != e.Key || string(value) != string(e.Value) {
				t.Errorf("%s: member %d is %s=%s, want %s=%s", object, n, key, value, e.Key, e.Value)
			}
			n++
			return n < 3
		})
		if n != len(entries) {
			t.Errorf("%s: %d members, want %d", object, n, len(entries))
		}
	}
}
