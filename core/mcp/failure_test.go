package mcp

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

func TestHTTPErrorCodes(t *testing.T) {
	for status, want := range map[int]struct {
		code      engine.Code
		retryable bool
	}{
		401: {engine.CodeUnauthorized, false}, 403: {engine.CodeHTTP, false}, 404: {engine.CodeHTTP, false},
		405: {engine.CodeHTTP, false},
		400: {engine.CodeHTTP, false}, 500: {engine.CodeHTTP, false}, // it may have run
		502: {engine.CodeHTTP, false}, 504: {engine.CodeHTTP, false}, // the same, of a proxy's server
		429: {engine.CodeHTTP, true}, 503: {engine.CodeHTTP, true},
	} {
		e := httpError("tools/call", status)
		if e.Code != want.code || e.Retryable != want.retryable || e.Status != status ||
			e.Op != "tools/call" || e.Message == "" {
			t.Errorf("%d: %+v", status, e)
		}
	}
}
