//go:build !js

package e2e

import (
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/gosdk"
)

// officialMajors are the official clients.
var officialMajors = map[string]string{"client 2.x": "2", "sdk 1.x": "1"}

// countedServer is the official Go SDK's server, with sessions and an event store, and a count of its calls.
func countedServer(t *testing.T) (*gosdk.Server, *executions, string) {
	t.Helper()
	server := gosdk.New(gosdk.Options{})
	counted := &executions{server: server}
	site := chrome.NewSite(t)
	t.Cleanup(server.Close)
	site.Handle("/mcp", counted)
	return server, counted, site.URL + "/mcp"
}

// TestStoryTransport: the official client over Holdfast's transport, against the official server: what it
// does with its own transport it does here.
func TestStoryTransport(t *testing.T) {
	t.Parallel()
	for name, major := range officialMajors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, _, url := countedServer(t)
			page := transportPage(t)
			got := chrome.Script[struct {
				Server, Instructions, Text, Booked, Failed string
				Tools                                      []string
				Progress                                   []int
				Unknown                                    struct {
					Code  int
					Below string
				}
				Ping bool
			}](page, `
				await open2(`+major+`, `+chrome.JS(url)+`, { host: "page" }, { capabilities: { elicitation: { form: {} } } }, (client, { answer, on }) => {
					answer(client, "elicitation/create", (request) => {
						asked.push(request.params.message);
						return { action: "accept", content: { name: "Ada", day: "Friday", guests: 2 } };
					});
					on(client, "notifications/tools/list_changed", () => { told.push("tools"); });
				});
				const { tools } = await client.listTools();
				const progress = [];
				const counted = await major.call(client, { name: "count", arguments: { n: 5, delayMs: 1 } }, { onprogress: (p) => progress.push(p.progress) });
				const booked = await major.call(client, { name: "book_table", arguments: { place: "The Anchor" } });
				const failed = await major.call(client, { name: "fail", arguments: {} });
				const unknown = await client.getPrompt({ name: "no such prompt" }).catch((error) => ({ code: error.code, below: holdfastError(error)?.code ?? "" }));
				await client.ping();
				return { server: client.getServerVersion().name, instructions: client.getInstructions(), tools: tools.map((t) => t.name), progress,
					text: counted.content[0].text, booked: booked.content[0].text, failed: String(failed.isError), unknown, ping: true };`)
			if got.Server != "holdfast-go-sdk-demo" || got.Instructions == "" ||
				!slices.Contains(got.Tools, "count") || got.Text != "Counted to 5." {
				t.Errorf("got %+v", got)
			}
			if !slices.Equal(got.Progress, []int{1, 2, 3, 4, 5}) {
				t.Errorf("progress %v", got.Progress)
			}
			if got.Booked != "Booked at The Anchor: Ada, Friday, 2 guests, at the window." ||
				got.Failed != "true" {
				t.Errorf("booked %q, failed %q", got.Booked, got.Failed)
			}
			if got.Unknown.Code != -32602 || got.Unknown.Below != "" {
				t.Errorf("the server's error is %+v", got.Unknown)
			}
			server.Announce()
			page.WaitFor(`told.includes("tools")`)
			if errors := chrome.Eval[[]string](page, `errors`); len(errors) > 0 {
				t.Errorf("onerror heard %q", errors)
			}
			chrome.Script[chrome.Void](page, `await client.close();`)
			page.WaitFor(`told.includes("closed")`)
		})
	}
}

// TestFault340_OfficialClientCutAndReloaded: a stream that is cut twice loses nothing and is no news to the
// official client; a page that is reloaded makes its request again with the key, and gets the call that is
// there.
func TestFault340_OfficialClientCutAndReloaded(t *testing.T) {
	t.Parallel()
	for name, major := range officialMajors {
		for _, host := range []string{"page", "shared"} {
			t.Run(name+" "+host, func(t *testing.T) {
				row(t)
				t.Parallel()
				server, counted, url := countedServer(t)
				server.Gate().Hold()
				page := transportPage(t)
				opening := `await open2(` + major + `, ` + chrome.JS(url) + `, { host: "` + host + `" });`
				begin := `begin({ name: "count", arguments: { n: 30, delayMs: 1 },` +
					` _meta: { [CALL_KEY]: "count-30" } });`
				chrome.Script[chrome.Void](page, opening+begin)
				for cut := range 2 {
					server.Gate().Pass(5 - min(cut, 1))
					page.WaitFor(`seen.progress.length === ` + chrome.JS(5*cut+5))
					if server.CutStreams() == 0 {
						t.Fatal("there was no stream to cut")
					}
					server.Gate().Pass(1) // the SDK answers who resumes with the next event
					page.WaitFor(`seen.progress.length === ` + chrome.JS(5*cut+6))
				}
				page.Reload()
				page.WaitFor(`window.opened`)
				if n := chrome.Script[int](page, opening+`return (await transport.calls()).length;`); n != 1 {
					t.Fatalf("%d calls came back", n)
				}
				chrome.Script[chrome.Void](page, begin)
				server.Gate().Release()
				page.WaitFor(`seen.done`)
				if text := chrome.Eval[string](page,
					`seen.result?.content[0].text ?? JSON.stringify(seen.error)`); text != "Counted to 30." {
					t.Errorf("got %q", text)
				}
				counting := chrome.Eval[[]int](page, `seen.progress`)
				for i, n := range counting {
					if n != i+1 {
						t.Fatalf("progress %v", counting)
					}
				}
				if len(counting) != 30 {
					t.Errorf("progress %v", counting)
				}
				if errors := chrome.Eval[[]string](page, `errors`); len(errors) > 0 {
					t.Errorf("onerror heard %q", errors)
				}
				counted.once(t)
			})
		}
	}
}

// TestFault341_OfficialClientAskedOverAReload: a page goes while the official client's form is open. The next
// page's client is asked the same, and the call ends with its answer; the tool ran once.
func TestFault341_OfficialClientAskedOverAReload(t *testing.T) {
	t.Parallel()
	for name, major := range officialMajors {
		for _, host := range []string{"page", "shared"} {
			t.Run(name+" "+host, func(t *testing.T) {
				row(t)
				t.Parallel()
				_, counted, url := countedServer(t)
				page := transportPage(t)
				opening := func(answer string) string {
					return `await open2(` + major + `, ` + chrome.JS(url) + `, { host: "` + host + `" }, { capabilities: { elicitation: {} } }, (client, { answer }) => {
						answer(client, "elicitation/create", (request) => { asked.push(request.params.message); return ` + answer + `; });
					});
					begin({ name: "book_table", arguments: { place: "The Anchor" }, _meta: { [CALL_KEY]: "table" } });`
				}
				chrome.Script[chrome.Void](page, opening(`new Promise(() => {})`))
				page.WaitFor(`asked.length === 1`)
				page.Reload()
				page.WaitFor(`window.opened`)
				chrome.Script[chrome.Void](page,
					opening(`({ action: "accept", content: { name: "Ada", day: "Friday", guests: 2 } })`))
				page.WaitFor(`seen.done`)
				if text := chrome.Eval[string](page,
					`seen.result?.content[0].text ?? JSON.stringify(seen.error)`); text !=
					"Booked at The Anchor: Ada, Friday, 2 guests, at the window." {
					t.Errorf("got %q", text)
				}
				if n := chrome.Eval[int](page, `asked.length`); n != 1 {
					t.Errorf("the second page was asked %d times", n)
				}
				counted.once(t)
			})
		}
	}
}
