package memory_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/memory"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/storetest"
)

func TestLog(t *testing.T) {
	storetest.Log(t, func(_ *testing.T, o storetest.Options) []store.Log {
		return []store.Log{memory.NewLog(memory.Options{PerStream: o.PerStream, Bytes: o.Bytes})}
	})
}

func TestRecords(t *testing.T) {
	storetest.Records(t, func(*testing.T) []store.Records { return []store.Records{memory.NewRecords()} })
}
