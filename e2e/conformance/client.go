//go:build !js

package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

// deskVariable names the environment variable with the address at which the
// runner waits for a client's call.
const deskVariable = "HOLDFAST_CONFORMANCE_DESK"

// task is what the suite tells its client, and the page hears of it.
type task struct {
	Scenario string          `json:"scenario"`
	Revision string          `json:"revision"`
	URL      string          `json:"url"`
	Context  json.RawMessage `json:"context,omitempty"`
	// Interaction is how a person gets to sign in: the desk's word, not the suite's.
	Interaction string `json:"interaction,omitempty"`
}

// result is what the page says when it has ended.
type result struct {
	OK     bool   `json:"ok"`
	Reason string `json:"reason"`
	Spoke  string `json:"spoke"` // the revision in use; empty if it did not come to one
}

// Client is the program that the suite starts as the client under test. It hands
// the server's URL to the runner, waits until a page has driven the scenario,
// and returns an error if the page did not get through.
func Client(url string) error {
	body, err := json.Marshal(task{
		Scenario: os.Getenv("MCP_CONFORMANCE_SCENARIO"),
		Revision: os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION"),
		URL:      url,
		Context:  json.RawMessage(os.Getenv("MCP_CONFORMANCE_CONTEXT")),
	})
	if err != nil {
		return fmt.Errorf("the suite's context: %w", err)
	}
	answer, err := http.Post(os.Getenv(deskVariable), "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var got result
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
		return fmt.Errorf("the runner answered %s: %w", answer.Status, err)
	}
	if !got.OK {
		return fmt.Errorf("%s", got.Reason)
	}
	return nil
}
