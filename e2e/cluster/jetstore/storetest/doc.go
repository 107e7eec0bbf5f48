// Package storetest is the contract of package store as tests, for every implementation:
//
//	func TestLog(t *testing.T) {
//		storetest.Log(t, func(t *testing.T, o storetest.Options) []store.Log { return []store.Log{mine, another} })
//	}
//
// Where the implementation reaches over nodes, the function gives two of them over the same data: what one
// has written the other reads.
package storetest

// Options say what kind of store a test asks for.
type Options struct {
	PerStream int // events that a stream keeps, 0 for all
	Bytes     int // what it has room for, 0 for no limit
}

// at is the i-th of the nodes, or the last where there are fewer.
func at[T any](nodes []T, i int) T { return nodes[min(i, len(nodes)-1)] }
