package sdknode

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/node"
)

// Questions of a server to its client are numbered by each process for itself. A client sees them all in one
// session, so each id gets the name of its backend: an answer finds the way back by it. What a tool asks that
// goes on for another node was asked by that one already, and the client has it under that one's name.

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

// outward gives a question of the server's an id that no other backend gives.
func outward(name string, message []byte) []byte {
	return node.Renumber(message, fmt.Appendf(nil, `"%s.%s"`, name,
		strings.Trim(string(numberOf(message).ID), `"`)))
}

// isQuestion reports whether a message asks the client something.
func isQuestion(message []byte) bool {
	n := numberOf(message)
	return n.Method != "" && len(n.ID) > 0
}

// asked is a question that an earlier node has asked, and that is asked here again: what the SDK calls it
// here.
type asked struct {
	call   *node.Call
	number json.RawMessage
}

// again finds out whether the client has a question already, and gives it the answer if there is one. Else it
// is Said.
func (e *events) again(c *node.Call, session string, message []byte) bool {
	id, ok := c.Asked(message)
	if !ok {
		return false
	}
	b := (*Backend)(e)
	b.mu.Lock()
	b.asked[string(id)] = asked{c, numberOf(message).ID}
	b.mu.Unlock()
	go func() { // the SDK is writing the question
		for {
			answer, err := c.Answer(c.Context(), id)
			switch {
			case err == nil && answer != nil:
				b.Said(c.Context(), &node.Session{ID: session}, answer)
				return
			case err == nil || c.Context().Err() != nil:
				return
			}
			select { // the store is away
			case <-time.After(100 * time.Millisecond):
			case <-c.Context().Done():
			}
		}
	}()
	return true
}

// inward gives the answer to a question the id that the SDK gave that; ok is false where nobody here has
// asked.
func (b *Backend) inward(message []byte) (mine []byte, ok bool) {
	if !isAnswer(message) {
		return message, true
	}
	id := numberOf(message).ID
	b.mu.Lock()
	before, ok := b.asked[string(id)]
	b.mu.Unlock()
	if ok {
		return node.Renumber(message, before.number), true
	}
	var text string
	if json.Unmarshal(id, &text) != nil {
		return nil, false
	}
	number, ok := strings.CutPrefix(text, b.name+".")
	if !ok {
		return nil, false
	}
	return node.Renumber(message, []byte(number)), true
}
