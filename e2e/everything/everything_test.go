//go:build !js

package everything_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/everything"
)

func TestItAnswers(t *testing.T) {
	url := everything.Start(t)
	r, _ := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
			`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Origin", "http://127.0.0.1:1")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil || !strings.Contains(string(body), `"protocolVersion":"2025-11-25"`) {
		t.Errorf("initialize: %v\n%s", err, body)
	}
	if a.Header.Get("Mcp-Session-Id") == "" || a.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("headers: %v", a.Header)
	}
	r, _ = http.NewRequestWithContext(t.Context(), "GET", url, nil)
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Mcp-Session-Id", "nobody")
	if a, err = http.DefaultClient.Do(r); err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	// The specification says 404; a client has to live with this.
	if a.StatusCode != http.StatusBadRequest {
		t.Errorf("unknown session: %s", a.Status)
	}
}
