//go:build !js

package requestbody_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/internal/requestbody"
)

// TestWhole: what comes next can read the body after it has begun to answer.
func TestWhole(t *testing.T) {
	const sent = "what net/http throws away where it was not read yet: less than 256 KiB"
	body := strings.Repeat(sent, 2_000)
	answers := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		_, _ = io.Copy(w, r.Body)
	})
	for _, test := range []struct {
		name    string
		handler http.Handler
		whole   bool
	}{
		{"whole", requestbody.Whole(answers), true},
		{"as net/http has it", answers, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(test.handler)
			defer server.Close()
			response, err := http.Post(server.URL, "text/plain", strings.NewReader(body))
			if err != nil {
				if test.whole {
					t.Fatal(err)
				}
				return
			}
			defer response.Body.Close()
			got, err := io.ReadAll(response.Body)
			if whole := err == nil && string(got) == body; whole != test.whole {
				t.Errorf("%d bytes of %d came back (%v)", len(got), len(body), err)
			}
		})
	}
}
