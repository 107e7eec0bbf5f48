//go:build !js

package main

import (
	"net/http"
	"strconv"
	"sync"
)

// texts remembers the texts of large results, by their size.
type texts struct {
	mu    sync.Mutex
	built map[int][]byte
}

func (texts *texts) get(size int) []byte {
	texts.mu.Lock()
	defer texts.mu.Unlock()
	if texts.built == nil {
		texts.built = make(map[int][]byte)
	}
	if texts.built[size] == nil {
		texts.built[size] = []byte(text(size))
	}
	return texts.built[size]
}

// large answers with one text of the size asked for, as a JSON body or as the
// one event of a stream.
func (s *server) large(w http.ResponseWriter, m *message) {
	a := m.Params.Arguments
	head, tail := `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{`, `"}]}}`
	if m.modern() {
		head += `"resultType":"complete",`
	}
	head += `"content":[{"type":"text","text":"`
	if a.SSE {
		w.Header().Set("Content-Type", "text/event-stream")
		head, tail = "event: message\ndata: "+head, tail+"\n\n"
	} else {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(head)+a.Size+len(tail)))
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Write([]byte(head))
	w.Write(s.texts.get(a.Size))
	w.Write([]byte(tail))
}
