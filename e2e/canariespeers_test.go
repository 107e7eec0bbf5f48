//go:build !js

package e2e

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// canaryServer is an MCP server whose tools say all that c has of a call: "tells"
// waits after it, "ends" and "fails" end.
func canaryServer(t *testing.T, c *canaries) *peer.Peer {
	t.Helper()
	cors := peer.CORSResuming()
	cors.Allow = append(cors.Allow, "x-canary")
	p := peer.New(t, peer.Options{CORS: cors, Title: c.of("server.title"),
		Instructions: c.of("server.instructions")})
	task := `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"` + c.of("secret.task id") + `"},`
	progress := strings.Replace(paramsOf(t, c.messages(t, "mcp.ProgressNotification 2025-11-25")[0]),
		`"`+c.of("mcp.ProgressNotification 2025-11-25.params.progressToken")+`"`, "$TOKEN", 1)
	said := func(question string) peer.Script {
		return peer.Script{
			peer.ID(c.of("secret.event id")),
			peer.Notify("notifications/message",
				strings.Replace(paramsOf(t, c.messages(t, "mcp.LoggingMessageNotification 2025-11-25")[0]),
					`"_meta":{`, task, 1)),
			peer.Message(`{"jsonrpc":"2.0","method":"notifications/progress","params":` + progress + `}`),
			peer.Ask(`"`+question+`"`, "elicitation/create",
				strings.Replace(paramsOf(t, c.messages(t, "mcp.ElicitRequest 2025-11-25")[0]), `"mode"`,
					`"was"`, 1)),
			peer.Reply(`"` + question + `"`),
		}
	}
	result := peer.Result(strings.Replace(c.messages(t, "mcp.CallToolResult 2025-11-25")[0], `"_meta":{`,
		task, 1))
	p.Tool("tells", append(said("q1"), peer.Gate("never"), result))
	p.Tool("ends", append(said("q2"), result))
	var failure struct {
		Message string
		Data    json.RawMessage
	}
	if err := json.Unmarshal([]byte(c.messages(t, "mcp.Error 2025-11-25")[0]), &failure); err != nil {
		t.Fatal(err)
	}
	p.Tool("fails", peer.Script{peer.Prime(0), peer.ErrorData(-32000, failure.Message, string(failure.Data))})
	return p
}

// canaryAgent is an ACP agent that says all that c has of a session. Its first turn
// ends when its permission is answered; later ones go on.
func canaryAgent(t *testing.T, c *canaries) *acppeer.Peer {
	t.Helper()
	a := acppeer.New(t, acppeer.Options{
		Capabilities: `{"session":{"prompt":{},"delete":{},"additionalDirectories":{}}}`,
		CORS: acppeer.CORS{Allow: []string{"Content-Type", "Accept", "Acp-Connection-Id", "Acp-Session-Id",
			"Last-Event-ID", "Authorization", "X-Canary"}},
	})
	updates := c.messages(t, "acp.SessionUpdate v2")
	var permission map[string]any
	if err := json.Unmarshal([]byte(c.messages(t, "acp.RequestPermissionRequest v2")[0]),
		&permission); err != nil {
		t.Fatal(err)
	}
	delete(permission, "sessionId") // the session's own
	var first sync.Once
	a.OnPrompt(func(turn *acppeer.Turn) {
		turn.Accept()
		turn.Running()
		for _, update := range updates {
			turn.Update(update)
		}
		answered := turn.Ask("session/request_permission", chrome.JS(permission))
		first.Do(func() {
			if _, ok := turn.Wait(answered); ok {
				turn.Idle("end_turn")
			}
		})
	})
	return a
}

// paramsOf returns the params of a message.
func paramsOf(t *testing.T, message string) string {
	t.Helper()
	var m struct{ Params json.RawMessage }
	if err := json.Unmarshal([]byte(message), &m); err != nil {
		t.Fatal(err)
	}
	return string(m.Params)
}
