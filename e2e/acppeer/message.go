//go:build !js

package acppeer

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A message is a JSON-RPC message as it came.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
	bad    bool // not a JSON-RPC object
}

func parse(body []byte) message {
	var m message
	var version struct{ JSONRPC string }
	m.bad = json.Unmarshal(body, &m) != nil || json.Unmarshal(body, &version) != nil ||
		version.JSONRPC != "2.0"
	return m
}

// session is the sessionId in the params; "" if there is none.
func (m message) session() string {
	var named struct{ SessionID string }
	json.Unmarshal(m.Params, &named)
	return named.SessionID
}

type promptParams struct {
	SessionID string
	Prompt    json.RawMessage
}

// text is the first text of a prompt.
func (p promptParams) text() string {
	var blocks []struct{ Type, Text string }
	json.Unmarshal(p.Prompt, &blocks)
	for _, b := range blocks {
		if b.Type == "text" {
			return b.Text
		}
	}
	return ""
}

func success(id json.RawMessage, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func failure(id json.RawMessage, code int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quote(text))
}

func notification(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}

func quote(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// with adds members, written as JSON without braces, to an object.
func with(object, members string) string {
	object = strings.TrimSpace(object)
	if members == "" {
		return object
	}
	if strings.TrimSpace(object[1:len(object)-1]) == "" {
		return "{" + members + "}"
	}
	return object[:len(object)-1] + "," + members + "}"
}
