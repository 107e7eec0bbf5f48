//go:build !js

package e2e

import (
	"io"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault380_LargeOutcomeOverAReload: the page reloads itself in the task in which a large
// result arrives that nobody has asked the call for, or once that is stored. The next page has all of it.
func TestFault380_LargeOutcomeOverAReload(t *testing.T) {
	t.Parallel()
	const size = 8 << 20
	answer := func(begin, end string) peer.Response {
		write := func(w io.Writer) error {
			if err := peer.Fill("sixteen letters.", size)(w); err != nil {
				return err
			}
			_, err := io.WriteString(w, `"}]}}`+end)
			return err
		}
		return peer.Response{
			Body:  begin + `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"`,
			Write: write}
	}
	stream := answer("id: 1\ndata: ", "\n\n")
	stream.Header = map[string]string{"Content-Type": "text/event-stream"}
	for name, answer := range map[string]peer.Response{"event": stream, "body": answer("", "")} {
		for when, then := range map[string]string{
			"at once": `call.ended.addEventListener("abort", () => location.reload());`,
			"stored": `const stored = async () => ((await mcp.stored()).bytes > ` + chrome.JS(size) +
				` ? location.reload() : void setTimeout(stored, 10)); stored();`,
		} {
			t.Run(name+" "+when, func(t *testing.T) {
				row(t)
				p := peer.New(t, peer.Options{})
				p.Answer("tools/call", answer)
				page := chrome.Open(t, chrome.NewSite(t).Page("/app", appScript+`
					window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`);
					const [again] = await mcp.calls();
					if (again) {
						const { content } = await again.result;
						window.came = content[0].text.length + content[0].text.replaceAll("sixteen letters.", "");
					} else {
						window.call = mcp.callTool("echo");
						`+then+`
					}`))
				page.WaitFor(`window.came`)
				if came, want := chrome.Eval[string](page, `came`), chrome.JS(size); came != want {
					t.Errorf("%.40q came, want %s characters", came, want)
				}
				if n := len(p.Of("tools/call")); n != 1 {
					t.Errorf("the tool was called %d times", n)
				}
			})
		}
	}
}
