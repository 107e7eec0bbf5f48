//go:build !js

package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// oneMiB is the size of the states below, in bytes of UTF-8.
const oneMiB = 1 << 20

// binaryText is text that looks like anything but text: every control character,
// quotes, backslashes, what HTML and JavaScript take for their own, characters of
// one to four bytes. The same every time.
func binaryText(size int) string {
	dice := rand.New(rand.NewPCG(1, 2026))
	awkward := []string{"\x00", "\x7f", `"`, `\`, `\u0041`, `\\"`, "\r\n", "\n\n", "data: ", "\u2028",
		"\u2029", "\ufeff", "\ufffd", "\U0001f30a", "</script>", "é", "e\u0301", "$ID"}
	var b strings.Builder
	for b.Len() < size {
		switch n := dice.IntN(64); {
		case n < len(awkward):
			b.WriteString(awkward[n])
		case n < 40:
			b.WriteRune(rune(dice.IntN(0x100)))
		default:
			b.WriteRune(rune(0x20 + dice.IntN(0xd7e0)))
		}
	}
	return strings.ToValidUTF8(b.String()[:size], "")
}

// TestRequestStateOfOneMiBIsEchoed: what a server keeps with the client comes
// back as it was, in a request with a new id; with an answer beside it, and alone.
func TestRequestStateOfOneMiBIsEchoed(t *testing.T) {
	t.Parallel()
	state := binaryText(oneMiB)
	for name, inputs := range map[string]string{
		"with a question": `{"who":` + peer.Elicitation("Who?", `{"type":"object","properties":{}}`) + `}`,
		"alone":           "",
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
			p.ToolFunc("keep", func(c peer.Call) peer.Script {
				if c.RequestState == "" {
					return peer.Script{peer.InputRequired(inputs, state)}
				}
				return peer.Script{peer.Text(fmt.Sprint(c.RequestState == state))}
			})
			page := app(t, p.URL(),
				`{ handlers: { elicitation: () => ({ action: "accept", content: {} }) } }`)
			if got := chrome.Script[string](page,
				`return (await mcp.callTool("keep").result).content[0].text;`); got != "true" {
				t.Errorf("the state came back the same: %s", got)
			}
			differentIDs(t, p)
			blameless(t, p)
		})
	}
}

// TestRequestStateIsEchoedAsItWasWritten: half a surrogate pair is no character,
// and yet a JSON string; whatever escapes a state is written with, it means the
// same when it comes back.
func TestRequestStateIsEchoedAsItWasWritten(t *testing.T) {
	t.Parallel()
	const written = `"\ud83c then \udf0a, \/ \u0022 \u005c \u0000 \u00e9 é \u000a and \uD83C\uDF0A"`
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.ToolFunc("keep", func(c peer.Call) peer.Script {
		if c.RequestState == "" {
			return peer.Script{
				peer.Verbatim(`{"resultType":"input_required","requestState":` + written + `}`)}
		}
		return peer.Script{peer.Text("kept")}
	})
	page := app(t, p.URL(), "")
	chrome.Script[chrome.Void](page, `await mcp.callTool("keep").result;`)
	differentIDs(t, p)
	var again struct {
		Params struct{ RequestState json.RawMessage }
	}
	if err := json.Unmarshal(p.Of("tools/call")[1].Body, &again); err != nil {
		t.Fatal(err)
	}
	if !chrome.Eval[bool](page, `JSON.parse(`+chrome.JS(string(again.Params.RequestState))+
		`) === JSON.parse(`+chrome.JS(written)+`)`) {
		t.Errorf("came back as %s", again.Params.RequestState)
	}
}

// differentIDs checks that a call took two requests, each with an id of its own.
func differentIDs(t *testing.T, p *peer.Peer) {
	t.Helper()
	calls := p.Of("tools/call")
	if len(calls) != 2 || calls[0].ID == calls[1].ID {
		t.Errorf("%d requests for the call, the first with id %s, the last with id %s", len(calls),
			calls[0].ID, calls[len(calls)-1].ID)
	}
}
