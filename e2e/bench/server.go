//go:build !js

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// server is an MCP server that speaks both wires on one endpoint and checks
// nothing: a request's `_meta` says which one it means. It has no session, as
// many servers have none, so that a connection is as good as the next.
type server struct {
	bursts   bursts
	texts    texts
	cuttings cuttings
}

// message is what the server reads of a request.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
		Meta      struct {
			Token   json.RawMessage `json:"progressToken"`
			Version string          `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
}

// arguments are those of all tools.
type arguments struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
	Size  int    `json:"size"` // of one event, or of a result, in bytes
	SSE   bool   `json:"sse"`  // a result as an event
	Wide  bool   `json:"wide"` // events whose text is not ASCII

	Retry int `json:"retry"` // what the stream says of reconnecting, in ms; 0 for nothing
	Pause int `json:"pause"` // from the last event to the cut, in ms
	Cuts  int `json:"cuts"`  // how often it breaks; but the first time before a new event
}

func (m *message) modern() bool { return m.Params.Meta.Version != "" }

// result writes the response that carries the given members of a result.
func (m *message) result(members string) []byte {
	if m.modern() {
		members = `"resultType":"complete",` + members
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{%s}}`, m.ID, members)
}

const (
	toolList = `"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"look",` +
		`"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]`
	serverInfo = `{"name":"bench","version":"1"}`
)

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if cursor := r.Header.Get("Last-Event-ID"); r.Method == http.MethodGet && cursor != "" {
		s.resume(w, cursor)
		return
	}
	if r.Method != http.MethodPost {
		// Nothing to say unasked, and no session to end.
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var m message
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch m.Method {
	case "server/discover":
		answer(w, m.result(`"supportedVersions":["`+modern+`","`+legacy+`"],"capabilities":{"tools":{}},`+
			`"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":`+serverInfo+`}`))
	case "initialize":
		answer(w, m.result(`"protocolVersion":"`+legacy+`","capabilities":{"tools":{}},"serverInfo":`+
			serverInfo))
	case "tools/list":
		members := toolList
		if m.modern() {
			members += `,"ttlMs":0,"cacheScope":"private"`
		}
		answer(w, m.result(members))
	case "tools/call":
		s.call(w, &m)
	case "subscriptions/listen":
		answerError(w, &m, http.StatusNotFound)
	default:
		if len(m.ID) == 0 {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answerError(w, &m, http.StatusOK)
	}
}

func (s *server) call(w http.ResponseWriter, m *message) {
	switch m.Params.Name {
	case "echo", "look":
		answer(w, m.result(`"content":[{"type":"text","text":"`+m.Params.Arguments.Text+`"}]`))
	case "burst":
		s.burst(w, m)
	case "large":
		s.large(w, m)
	case "cut":
		s.cut(w, m)
	case "drop":
		s.drop(w, m)
	default:
		answerError(w, m, http.StatusOK)
	}
}

func answer(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(body)
}

func answerError(w http.ResponseWriter, m *message, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method or tool"}}`,
		m.ID)
}
