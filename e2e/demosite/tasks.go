//go:build !js

package demosite

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/internal/gate"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// lookup is how long the server of tasks takes to find what was lost on the way:
// without it nobody would see the hole.
const lookup = 1500 * time.Millisecond

// newTasks is a server of 2025-11-25 whose tools take long: their calls become
// tasks, and results come in numbered segments (SEP-1905).
func newTasks() *peer.Peer {
	p := peer.Mounted(peer.Options{
		Path: "/tasks", Title: "Holdfast long work server",
		Instructions: "Each call of a tool becomes a task that goes on without its client.",
	})
	p.Tasks(peer.TaskServer{Modes: []string{"task", "streaming"}})
	addSurvey(p)
	addBerth(p)
	addTide(p)
	return p
}

// longWork is how the tools make tasks. They are kept for a day, of which an hour
// may pass within seconds.
func longWork(streams *peer.Streaming) peer.Trait {
	return peer.AsTask(peer.TaskPolicy{Support: "required", Poll: 1000,
		TTL: int((24 * time.Hour).Milliseconds()), Streams: streams})
}

// slowLookup lets whoever asks for missing segments wait.
func slowLookup(h http.Handler, lookups *gate.Gate) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		var asked struct {
			Method string
			Params struct {
				LastSeqNr json.RawMessage
			}
		}
		json.Unmarshal(body, &asked)
		if asked.Method == "tasks/result" && asked.Params.LastSeqNr != nil {
			if lookups.Wait(r.Context()) != nil {
				return
			}
			select {
			case <-time.After(lookup):
			case <-r.Context().Done():
				return
			}
		}
		h.ServeHTTP(w, r)
	})
}
