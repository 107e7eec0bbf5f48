package link

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// Fault 170: what may have run is never called safe to repeat, whichever peer it was.
func TestFault170_StatusesThatMayBeRepeated(t *testing.T) {
	for status, want := range map[int]struct {
		code                  engine.Code
		retryable, whenItSafe bool
	}{
		300: {code: engine.CodeHTTP}, 400: {code: engine.CodeHTTP}, 401: {code: engine.CodeUnauthorized},
		403: {code: engine.CodeHTTP}, 404: {code: engine.CodeHTTP}, 405: {code: engine.CodeHTTP},
		429: {code: engine.CodeHTTP, retryable: true, whenItSafe: true}, 500: {code: engine.CodeHTTP},
		501: {code: engine.CodeHTTP},
		502: {code: engine.CodeHTTP, whenItSafe: true},
		503: {code: engine.CodeHTTP, retryable: true, whenItSafe: true},
		504: {code: engine.CodeHTTP, whenItSafe: true},
	} {
		for safe, retryable := range map[bool]bool{false: want.retryable, true: want.whenItSafe} {
			e := HTTPError("x", "the server", status, safe)
			if e.Code != want.code || e.Retryable != retryable || e.Status != status || e.Op != "x" ||
				e.Message == "" {
				t.Errorf("%d, safe %v: %+v", status, safe, e)
			}
		}
	}
}
