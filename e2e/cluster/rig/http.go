package rig

import (
	"bytes"
	"io"
	"log"
	"net/http"
)

var quietLog = log.New(io.Discard, "", 0)

func readAll(body io.ReadCloser) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	defer body.Close()
	return io.ReadAll(body)
}

func replay(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }

// cors lets pages of other origins in, and answers their preflights.
func cors(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, Retry-After")
	if r.Method != http.MethodOptions {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers",
		"Content-Type, Mcp-Protocol-Version, Mcp-Session-Id, Last-Event-ID, Mcp-Method, Mcp-Name")
	w.WriteHeader(http.StatusNoContent)
	return true
}
