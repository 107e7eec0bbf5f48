//go:build !js

package e2e

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// openly are the canaries that may show in a place, by how their names begin, and
// why. A place that is not here shows none. An entry that nothing needs fails too.
// The content of messages is the app's own: with the default sealing it rests in the
// open, so that there the canaries in messages are for the other places.
var openly = map[string]map[string]string{
	"database, only secrets sealed": {
		"mcp.LoggingMessageNotification ": "what a server says during a call is the app's content",
		"mcp.ProgressNotification ":       "as above",
		"mcp.ElicitRequest ":              "as above: what is asked; the answer is not",
		"mcp.CallToolResult ":             "as above",
		"mcp.Error ":                      "as above",
		"acp.SessionUpdate ":              "what an agent says in a session is the app's content",
		"acp.RequestPermissionRequest ":   "as above: what is asked",
		"call.":                           "what the app asks for, and its own name for it",
		"session.cwd":                     "a folder, which a later page needs to name the session",
		"session.additional":              "as above",
		"session.prompt":                  "what was said is the session's content",
		"client.":                         "what the app says of itself, with the handshake that it belongs to",
		"server.":                         "what the server says of itself, with the handshake",
	},
	"channel": { // other pages of the same origin and principal, which show the same calls and sessions
		"mcp.":               "what they show of the call",
		"acp.":               "what they show of the session",
		"call.":              "what they show of the call",
		"session.cwd":        "what they show of the session",
		"session.additional": "as above",
		"session.prompt":     "as above",
	},
	"errors": {
		"mcp.Error ": "what the server says of its error is for the app",
	},
}

// canaryScript is an app that says, hears, answers and fails once of each. Its
// options come later: the browser caches this file.
const canaryScript = candidScript + `
window.soon = async (holds) => { while (!await holds()) await new Promise((resolve) => setTimeout(resolve, 5)); return true; };
window.begin = async (o) => {
	const made = { journal: { seal: o.seal }, principal: o.principal, client: { name: o.name, version: o.version } };
	const sent = (token, header) => ({ token: () => token, headers: { "x-canary": header } });
	let asked = 0;
	window.mcp = await holdfast.connect(o.mcp, { ...made, ...sent(o.token, o.header), ack: "manual",
		handlers: { elicitation: () => ({ action: "accept", content: { said: o.answer } }) } });
	window.agent = await holdfast.connectAgent(o.acp, { ...made, ...sent(o.agentToken, o.agentHeader),
		handlers: { permission: ({ options }) => asked++ === 0 ? options[0].optionId : new Promise(() => {}) } });
	return true;
};
// A second page, in a frame: what is said to other pages has somebody to hear it.
window.beside = async (o) => {
	const frame = document.createElement("iframe");
	frame.src = location.href;
	document.body.append(frame);
	await soon(() => frame.contentWindow?.ready);
	await frame.contentWindow.begin(o);
	eavesdrop([...new Set(channels)]);
	return frame.contentWindow;
};
window.work = async (o) => {
	const other = await beside(o);
	const held = mcp.callTool("tells", { note: o.argument }, { key: o.key, meta: { "x/y": o.meta } });
	const told = mcp.callTool("ends", { note: o.argument });
	await told.result;
	await fails(() => mcp.callTool("fails", { note: o.argument }).result);
	await fails(() => mcp.callTool("none", {}).result);
	await fails(() => mcp.callTool("tells", { note: 1 }, { key: o.key }).result);
	const session = await agent.newSession({ cwd: "/" + o.cwd, additionalDirectories: ["/" + o.folder], mcpServers: [
		{ name: o.server, url: "https://m.test/" + o.serverPath, headers: [{ name: "Authorization", value: o.serverHeader }] },
		{ name: o.server, command: o.command, args: [o.argv], env: [{ name: "KEY", value: o.env }] },
	] });
	let ends = 0;
	session.on("turn", ({ ended }) => { if (ended) ends++; });
	await session.prompt(o.prompt);
	await soon(() => ends === 1);
	await session.prompt(o.prompt); // and this one stays
	await soon(() => session.requests.length === 1);
	await fails(() => session.prompt([{ type: "image", data: o.prompt, mimeType: "image/png" }]));
	await soon(() => held.guarantee === "resumable");
	await soon(async () => (await other.mcp.calls()).length > 0);
	await soon(() => agent.stored().then(({ bytes }) => bytes > 4_000));
	return true;
};
window.names = async () => [...channels, ...(await navigator.locks.query()).held.map(({ name }) => name)].join("\n");
window.ready = true;`

// TestFault122_Canaries: the strings of the options of connect, callTool,
// connectAgent and newSession, of the headers, and of the messages that
// e2e/cmd/messages makes for calls and turns are canaries (the rest of them are sent in
// TestFault122_CanariesOfRevisions). Each is sent: to one call and one turn that
// go on, and to others that end. None shows in the DOM, addresses, cookies, storage,
// the console and the names of channels and locks; none but what openly lists in
// errors, on BroadcastChannel, and in the database and the files of the profile,
// where nothing shows if everything is sealed.
func TestFault122_Canaries(t *testing.T) {
	t.Parallel()
	for _, seal := range []string{"all", "secrets"} {
		t.Run(seal, func(t *testing.T) {
			row(t)
			t.Parallel()
			c := newCanaries()
			p, a := canaryServer(t, c), canaryAgent(t, c)
			options := map[string]string{"seal": seal, "mcp": p.URL(), "acp": a.URL()}
			for name, as := range map[string]string{
				"principal": "secret.principal", "token": "secret.token", "header": "secret.header",
				"answer": "secret.answer", "server": "secret.server",
				"agentToken": "secret.agent token", "agentHeader": "secret.agent header",
				"serverPath": "secret.server path", "serverHeader": "secret.server header",
				"command": "secret.command", "argv": "secret.args", "env": "secret.env",
				"name": "client.name", "version": "client.version", "argument": "call.arguments",
				"key": "call.key", "meta": "call.meta",
				"cwd": "session.cwd", "folder": "session.additional", "prompt": "session.prompt",
			} {
				options[name] = c.of(as)
			}
			site, profile := chrome.NewSite(t), t.TempDir()
			browser := startBrowser(t, profile, site.Page("/app", withAgents(canaryScript)))
			console := browser.console()
			ask[bool](browser, `begin(`+chrome.JS(options)+`).then(() => work(`+chrome.JS(options)+`))`)
			surfaces := ask[map[string]string](browser, `surfaces()`)
			surfaces["names of channels and locks"] = ask[string](browser, `names()`)
			surfaces["console"] = console()
			browser.kill()
			shown := map[string][]string{}
			for _, where := range []string{"DOM", "addresses", "cookies", "storage", "console",
				"names of channels and locks", "errors", "channel"} {
				shown[where] = c.in([]byte(surfaces[where]))
			}
			database := "database, all sealed"
			if seal == "secrets" {
				database = "database, only secrets sealed"
			}
			shown[database] = c.in([]byte(surfaces["database"]))
			for where, names := range shown {
				judge(t, openly, where, names)
			}
			for path, content := range files(t, profile) {
				for _, name := range c.in(content) {
					if !mayShow(openly, database, name) {
						t.Errorf("the file %s shows %s", path, name)
					}
				}
			}
			for _, where := range []string{"errors", "channel", "names of channels and locks", "console"} {
				if surfaces[where] == "" {
					t.Errorf("nothing of %s was looked at", where)
				}
			}
			t.Logf("%d canaries; in the open: %d in the database, %d on channels, %d in errors",
				len(c.names), len(shown[database]), len(shown["channel"]), len(shown["errors"]))
		})
	}
}

// judge fails for each canary that shows in a place and may not, and for each entry
// of openly that nothing of the place needs.
func judge(t *testing.T, openly map[string]map[string]string, place string, names []string) {
	t.Helper()
	for _, name := range names {
		if !mayShow(openly, place, name) {
			t.Errorf("%s shows %s", place, name)
		}
	}
	for prefix := range openly[place] {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, prefix) }) {
			t.Errorf("%s shows nothing of %q: the search proves nothing of it", place, prefix)
		}
	}
}

// mayShow reports whether openly lists a canary for a place.
func mayShow(openly map[string]map[string]string, place, name string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(openly[place])),
		func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// console collects what the page of b writes to its console from now on, and
// what the browser complains of.
func (b *ownBrowser) console() (lines func() string) {
	ctx, stop := context.WithCancel(b.ctx)
	b.t.Cleanup(stop)
	var mu sync.Mutex
	var text strings.Builder
	last := chrome.JS(secret())
	seen := make(chan struct{})
	messages := chromedp.Console(ctx)
	go func() {
		for message, err := range messages {
			if err != nil {
				return
			}
			line := message.String()
			mu.Lock()
			text.WriteString(line + "\n")
			mu.Unlock()
			if strings.Contains(line, strings.Trim(last, `"`)) {
				close(seen)
				return
			}
		}
	}()
	return func() string {
		b.t.Helper()
		ask[bool](b, `(console.log(`+last+`), true)`)
		limited, done := context.WithTimeout(ctx, chrome.Patience)
		defer done()
		select {
		case <-seen:
		case <-limited.Done():
			b.t.Error("the console did not say what it was told last")
		}
		mu.Lock()
		defer mu.Unlock()
		return text.String()
	}
}
