package cluster_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/rig"
)

// BenchmarkTakeover measures from the kill of the node that runs a call until the client has the next event
// of it, by way of another node; and the same of a node that leaves in order. The lease is a second: what is
// above it is the takeover.
func BenchmarkTakeover(b *testing.B) {
	for _, how := range []struct {
		name string
		end  func(*rig.Process)
	}{{"killed", (*rig.Process).Kill}, {"left", (*rig.Process).Leave}} {
		b.Run(how.name, func(b *testing.B) {
			c := rig.Start(b, rig.Options{Lease: time.Second})
			client := rig.Connect(b, c.URL)
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				label := fmt.Sprint("call-", i)
				c.World.Hold(label, 3)
				id := client.Count(label, 4)
				client.AwaitProgress(id, 2)
				c.World.Await(label)
				p := c.Running(label)
				began := time.Now()
				how.end(p)
				c.World.Release(label)
				client.AwaitProgress(id, 3)
				took = append(took, time.Since(began))
				client.Whole(id, 4)
				p.Start()
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Milliseconds()), "p95-ms")
		})
	}
}
