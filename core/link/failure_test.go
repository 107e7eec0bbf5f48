package link

import (
	"reflect"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// TestFailureCrosses: what a tab writes of an error is JSON, and another one has the same error of it, as far as it goes
// by it.
func TestFailureCrosses(t *testing.T) {
	for _, e := range []*engine.Error{
		{Code: engine.CodeNetwork, Op: "POST", Retryable: true, Message: "no \"answer\"", Cause: &engine.Error{Message: "Failed"}},
		{Code: engine.CodeUnauthorized, Op: "token", Status: 401, Message: "no"},
	} {
		text := AppendFailure(nil, e)
		if err := jsonrpc.Valid(text, 8); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got := ReadFailure(text); !reflect.DeepEqual(got, e) {
			t.Errorf("%s became %+v", text, got)
		}
	}
}

// TestTokenAnswers: a token is used, a provider without a network is asked again, one that has thrown is not.
func TestTokenAnswers(t *testing.T) {
	for answer, want := range map[TokenAnswer]struct {
		token string
		code  engine.Code
	}{TokenGiven: {"t", ""}, TokenOffline: {"", engine.CodeNetwork}, TokenFailed: {"", engine.CodeUnauthorized}} {
		token, failure := answer.Read("t")
		if token != want.token || (failure == nil) != (want.code == "") || failure != nil && failure.Code != want.code {
			t.Errorf("%d: %q, %v", answer, token, failure)
		}
	}
}
