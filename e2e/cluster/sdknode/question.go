package sdknode

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Questions of a server to its client are numbered by each process for itself. A client sees them all in one session,
// so each id gets the name of its backend: an answer finds the way back by it.

type numbered struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

func numberOf(message []byte) (n numbered) {
	_ = json.Unmarshal(message, &n)
	return n
}

// isAnswer reports whether a message answers a question.
func isAnswer(message []byte) bool {
	n := numberOf(message)
	return n.Method == "" && len(n.ID) > 0
}

// outward gives a question of the server's an id that no other backend gives. Other messages stay as they are.
func outward(name string, message []byte) []byte {
	n := numberOf(message)
	if n.Method == "" || len(n.ID) == 0 {
		return message
	}
	return renumber(message, fmt.Appendf(nil, `"%s.%s"`, name, strings.Trim(string(n.ID), `"`)))
}

// inward takes the name out of the id of an answer; ok is false where it is another backend's.
func inward(name string, message []byte) (mine []byte, ok bool) {
	if !isAnswer(message) {
		return message, true
	}
	var id string
	if json.Unmarshal(numberOf(message).ID, &id) != nil {
		return message, false
	}
	number, ok := strings.CutPrefix(id, name+".")
	if !ok {
		return nil, false
	}
	return renumber(message, []byte(number)), true
}

func renumber(message, id []byte) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(message, &members) != nil {
		return message
	}
	members["id"] = id
	changed, err := json.Marshal(members)
	if err != nil {
		return message
	}
	return changed
}
