//go:build !js

package e2e

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// messages are one of each kind that a server or an agent may send, with all their
// members: e2e/cmd/messages makes them from the schemas.
//
//go:embed testdata/messages.json
var messagesJSON string

// canaries are texts that are unlike any other, each with a name. All begin alike, so
// that one search finds them all.
type canaries struct {
	prefix string
	names  []string
}

func newCanaries() *canaries { return &canaries{prefix: secret()} }

// of returns the canary of that name.
func (c *canaries) of(name string) string {
	i := slices.Index(c.names, name)
	if i < 0 {
		i, c.names = len(c.names), append(c.names, name)
	}
	return fmt.Sprintf("%s%04d", c.prefix, i)
}

// message returns the messages of a kind as JSON, each free string a canary.
func (c *canaries) messages(t *testing.T, kind string) []string {
	t.Helper()
	var all map[string][]json.RawMessage
	if err := json.Unmarshal([]byte(messagesJSON), &all); err != nil || len(all[kind]) == 0 {
		t.Fatalf("no messages of %s: %v", kind, err)
	}
	var made []string
	for _, raw := range all[kind] {
		var line bytes.Buffer // as an event carries it
		if err := json.Compact(&line, raw); err != nil {
			t.Fatal(err)
		}
		made = append(made, regexp.MustCompile("⟪[^⟫]*⟫").ReplaceAllStringFunc(line.String(), func(mark string) string {
			return c.of(strings.Trim(mark, "⟪⟫"))
		}))
	}
	return made
}

// in names the canaries that content shows, in whatever disguise: "?" for one that
// is not spelled out.
func (c *canaries) in(content []byte) []string {
	found := map[string]bool{}
	for _, form := range disguises(c.prefix) {
		for rest := content; ; {
			i := bytes.Index(rest, form)
			if i < 0 {
				break
			}
			rest = rest[i+len(form):]
			name := "?"
			if n, err := strconv.Atoi(string(rest[:min(4, len(rest))])); err == nil && n < len(c.names) {
				name = c.names[n]
			}
			found[name] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// classified says of every option where its strings are tried, or why they are not.
var classified = map[string]map[string]string{
	"ConnectOptions": {
		"client": "canary", "headers": "canary", "token": "canary", "principal": "canary", "handlers": "canary: what they answer",
		"revision": "one of the protocol's names", "credentials": "one of fetch's words", "rerun": "one of our words", "ack": "one of our words",
		"validate": "one of our words", "journal": "no free string", "timeouts": "numbers", "limits": "numbers",
		"validator": "an address of the app's own", "wasm": "an address of the app's own",
	},
	"CallOptions": {
		"key": "canary", "meta": "canary", "timeouts": "numbers", "ack": "one of our words", "rerun": "one of our words", "task": "a number",
	},
	"AgentOptions": {
		"client": "canary", "principal": "canary", "handlers": "canary: what is answered", "headers": "as for connect", "token": "as for connect",
		"credentials": "one of fetch's words", "journal": "no free string", "timeouts": "numbers", "limits": "numbers", "wasm": "an address of the app's own",
	},
	"SessionOptions": {"cwd": "canary", "mcpServers": "canary", "additionalDirectories": "needs a capability; kept with cwd"},
}

// stringless are types without a free string: numbers, flags, words of ours.
var stringless = regexp.MustCompile(`^(("[^"]*"|number|boolean|true|false|\d+|AbortSignal|undefined)( \| )?)+$`)

// TestFault122_EveryOptionIsClassified: an option that nobody has thought of as a
// secret fails here.
func TestFault122_EveryOptionIsClassified(t *testing.T) {
	for name, path := range map[string]string{
		"ConnectOptions": "../web/src/options.ts", "CallOptions": "../web/src/options.ts",
		"AgentOptions": "../web/src/agent/agentoptions.ts", "SessionOptions": "../web/src/agent/agent.ts",
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		body := regexp.MustCompile(`(?s)export interface ` + name + `\b[^{]*\{\n(.*?)\n\}`).FindSubmatch(text)
		if body == nil {
			t.Fatalf("%s has no %s", path, name)
		}
		members := regexp.MustCompile(`(?m)^  (?:readonly )?(\w+)\??: (.*);$`).FindAllSubmatch(body[1], -1)
		if len(members) < 3 {
			t.Errorf("%s has only %d members", name, len(members))
		}
		for _, m := range members {
			if classified[name][string(m[1])] == "" && !stringless.Match(m[2]) {
				t.Errorf("%s.%s: are its strings secret? Put it into classified", name, m[1])
			}
		}
	}
}

// openly are the canaries that rest in plain unless everything is sealed, by how
// their names begin, and why.
var openly = map[string]string{
	"mcp.":               "what a server says of a call is the app's content",
	"acp.":               "what an agent says in a session is the app's content",
	"call.arguments":     "the app's content",
	"call.meta":          "the app's content",
	"call.key":           "the app's own name for the call",
	"session.cwd":        "a folder, which a later page needs to name the session",
	"session.additional": "as above",
	"session.prompt":     "what was said is the session's content",
	"client.":            "what the app says of itself, with the handshake that it belongs to",
}

// TestFault122_Canaries: every string of every option, message and header is a
// canary. None is in the files of the profile, the database, storage, addresses, the
// DOM, errors or the console where everything is sealed; else those of content alone.
func TestFault122_Canaries(t *testing.T) {
	t.Parallel()
	for _, seal := range []string{"all", "secrets"} {
		t.Run(seal, func(t *testing.T) {
			t.Parallel()
			c := newCanaries()
			cors := peer.CORSResuming()
			cors.Allow = append(cors.Allow, "x-canary")
			p := peer.New(t, peer.Options{CORS: cors})
			elicit := c.messages(t, "mcp.ElicitRequest")[0]
			p.Tool("tells", peer.Script{
				peer.ID(c.of("secret.event id")),
				peer.Notify("notifications/message", paramsOf(t, c.messages(t, "mcp.LoggingMessageNotification")[0])),
				peer.Ask("q1", "elicitation/create", strings.Replace(paramsOf(t, elicit), `"mode"`, `"was"`, 1)),
				peer.Reply("q1"), peer.Gate("go"), peer.Result(c.messages(t, "mcp.CallToolResult")[0]),
			})
			a := acppeer.New(t, acppeer.Options{})
			a.OnPrompt(func(turn *acppeer.Turn) {
				turn.Accept()
				turn.Running()
				for _, update := range c.messages(t, "acp.SessionUpdate") {
					if !strings.Contains(update, `"state_update"`) {
						turn.Update(update)
					}
				}
				turn.Gate("go")
			})
			site, profile := chrome.NewSite(t), t.TempDir()
			address := site.Page("/app", candidScript+`
				window.soon = async (holds) => { while (!await holds()) await new Promise((resolve) => setTimeout(resolve, 5)); return true; };
				window.begin = async (o) => { // not in this file, which the browser caches
					const journal = { seal: o.seal };
					const made = { journal, principal: o.principal, client: { name: o.name, version: o.version } };
					window.mcp = await holdfast.connect(o.mcp, { ...made, ack: "manual", token: () => o.token, headers: { "x-canary": o.header },
						handlers: { elicitation: () => ({ action: "accept", content: { said: o.answer } }) } });
					window.agent = await holdfast.connectAgent(o.acp, made);
				};
				window.work = async (o) => {
					const call = mcp.callTool("tells", { note: o.argument }, { key: o.key, meta: { "x/y": o.meta } });
					const session = await agent.newSession({ cwd: "/" + o.cwd, mcpServers: [
						{ name: o.server, url: "https://m.test/" + o.serverPath, headers: [{ name: "Authorization", value: o.serverHeader }] },
						{ name: o.server, command: o.command, args: [o.argv], env: [{ name: "KEY", value: o.env }] },
					] });
					let updates = 0;
					session.on("update", () => updates++);
					await session.prompt(o.prompt);
					await soon(() => updates > 0 && agent.stored().then(({ bytes }) => bytes > 4_000));
					await soon(() => call.guarantee === "resumable" && mcp.stored().then(({ rows }) => rows > 1));
					await fails(() => mcp.callTool("none", {}).result);
					await fails(() => mcp.callTool("tells", { note: 1 }, { key: o.key }).result);
					return true;
				};
				window.ready = true;`)
			options := map[string]string{"seal": seal, "mcp": p.URL(), "acp": a.URL()}
			for name, as := range map[string]string{
				"principal": "secret.principal", "token": "secret.token", "header": "secret.header", "answer": "secret.answer", "server": "secret.server",
				"serverPath": "secret.server path", "serverHeader": "secret.server header", "command": "secret.command", "argv": "secret.args", "env": "secret.env",
				"name": "client.name", "version": "client.version", "argument": "call.arguments", "key": "call.key", "meta": "call.meta",
				"cwd": "session.cwd", "prompt": "session.prompt",
			} {
				options[name] = c.of(as)
			}
			browser := startBrowser(t, profile, address)
			ask[bool](browser, `begin(`+chrome.JS(options)+`).then(() => work(`+chrome.JS(options)+`))`)
			allowed := func(name string) bool {
				return seal == "secrets" && slices.ContainsFunc(slices.Collect(maps.Keys(openly)), func(prefix string) bool { return strings.HasPrefix(name, prefix) })
			}
			report := func(where string, content []byte) (seen int) {
				for _, name := range c.in(content) {
					if seen++; !allowed(name) {
						t.Errorf("%s shows %s", where, name)
					}
				}
				return seen
			}
			surfaces := ask[map[string]string](browser, `surfaces()`)
			seen := 0
			for _, where := range []string{"DOM", "addresses", "cookies", "storage", "errors", "database"} {
				n := report(where, []byte(surfaces[where]))
				if seen += n; n > 0 && where != "database" {
					t.Errorf("%s shows canaries", where)
				}
			}
			browser.kill()
			for path, content := range files(t, profile) {
				report(path, content)
			}
			if seal == "secrets" && seen < 50 {
				t.Errorf("only %d canaries are seen where they are in the open: the search proves nothing", seen)
			}
			if surfaces["errors"] == "" {
				t.Error("no error was looked at")
			}
			t.Logf("%d canaries, %d of them in the open", len(c.names), seen)
		})
	}
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
