//go:build !js

package simulate

import "runtime"

// IdleBytes returns the bytes of heap that one client takes while its calls are
// in flight and their streams quiet: with the app, the journal's part in the
// client, and what the model keeps of it.
func IdleBytes(cfg Config) int64 {
	q := newQueue(cfg.Clients) // of clients that are together, however many
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	w := newWorld(cfg, q, Scenario{Name: "quiet", Retry: -1, Patient: shed, Every: minute})
	for {
		e, ok := w.pop()
		if !ok || e.at >= w.incident {
			break
		}
		w.now = e.at
		w.happen(e)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	clients := int64(len(w.pages))
	runtime.KeepAlive(w)
	return (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / clients
}
