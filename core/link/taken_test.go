package link

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// Fault 735: who has a request of that id already says so by 400 or 409, with -32600 and words that speak of
// the id.
func TestFault735_WhatSaysThatAnIDIsTaken(t *testing.T) {
	const words = "duplicate in-flight request ID 2"
	for _, c := range []struct {
		status int
		body   string
		want   bool
	}{
		{400, refusal(-32600, words), true},
		{409, refusal(-32600, words), true},
		{409, refusal(-32600, "Request ID has already been used"), true},
		{422, refusal(-32600, words), false},
		{200, refusal(-32600, words), false},
		{400, refusal(-32602, words), false},
		{400, refusal(-32600, "Invalid Request"), false},
		{400, refusal(-32600, "the name is already in use"), false},
		{400, refusal(-32600, "request id is missing"), false},
		{400, `{"jsonrpc":"2.0","id":2,"result":{"message":"` + words + `"}}`, false},
		{400, `{"jsonrpc":"2.0","id":2,"error":{"code":-32600}}`, false},
	} {
		m, err := jsonrpc.Parse([]byte(c.body), jsonrpc.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := Taken(c.status, &m); got != c.want {
			t.Errorf("%d %s: %t", c.status, c.body, got)
		}
	}
	if Taken(400, nil) {
		t.Error("without a body")
	}
}

func refusal(code int, words string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"error":{"code":%d,"message":%q}}`, code, words)
}
