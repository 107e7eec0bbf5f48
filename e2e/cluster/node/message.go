package node

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// envelope are the members of a JSON-RPC message that decide who gets it.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

type kind int

const (
	notMessage kind = iota
	request
	notification
	response
)

// sort says what a message is.
func sort(message []byte) (envelope, kind) {
	var e envelope
	if json.Unmarshal(message, &e) != nil { // a batch is none either; 2025-06-18 has taken them out
		return e, notMessage
	}
	switch hasID := len(e.ID) > 0 && !bytes.Equal(e.ID, []byte("null")); {
	case e.Method != "" && hasID:
		return e, request
	case e.Method != "":
		return e, notification
	case hasID && (e.Result != nil || e.Error != nil):
		return e, response
	}
	return e, notMessage
}

// refusal is an answer that says what went wrong.
func refusal(id json.RawMessage, code int, text string) []byte {
	said, _ := json.Marshal(text)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, said)
}
