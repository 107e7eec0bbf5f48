//go:build !js

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// openlySaid are the canaries of handshakes, lists, results and tasks that may show in
// a place, and why; as openly.
var openlySaid = map[string]map[string]string{
	"database, only secrets sealed": {
		"mcp.InitializeResult ": "what the server says of itself, with the handshake",
		"mcp.DiscoverResult ":   "as above",
		"mcp.ListToolsResult ": "the names of its tools, beside the handshake: a later page calls them " +
			"without a list",
		"mcp.CallToolResult ":              "the result of a call is the app's content",
		"mcp.LoggingMessageNotification ":  "what a server says during a call, as above",
		"mcp.ProgressNotification ":        "as above",
		"mcp.ResourceUpdatedNotification ": "as above",
		"mcp.ElicitRequest ":               "what is asked in a call",
		"mcp.CreateMessageRequest ":        "as above, where it is refused",
		"mcp.ListRootsRequest ":            "as above, where it is refused",
		"mcp.Error ":                       "the error of a call is the app's content",
		"acp.InitializeResponse ":          "what the agent says of itself, with the handshake",
		"acp.NewSessionResponse ":          "which commands and settings a session has: its content",
		"acp.SessionUpdate ":               "what an agent says in a session is the app's content",
		"acp.RequestPermissionRequest ":    "as above: what is asked",
	},
	"channel": { // other pages of the same origin and principal, which show the same calls and sessions
		"mcp.": "what they show of the call",
		"acp.": "what they show of the session",
	},
	"errors": {
		"mcp.Error ": "what the server says of its error is for the app",
	},
}

// toured are the revisions and versions of which all messages are sent.
var toured = []string{peer.Revision20241105, peer.Revision20250326, peer.Revision20250618,
	peer.Revision20251125, peer.Revision20260728, "v1", "v2"}

// tellingAll is an MCP server that says all that c has of a revision.
func tellingAll(t *testing.T, c *canaries, revision string) *peer.Peer {
	t.Helper()
	p := peer.New(t, peer.Options{Revision: revision})
	has := func(name string) bool { return c.has(t, "mcp."+name+" "+revision) }
	// say returns a message with some of its members set, by their paths.
	say := func(name string, set map[string]any) string { return c.set(t, "mcp."+name+" "+revision, set) }
	answer := func(method, name string, set map[string]any) {
		if !has(name) {
			return
		}
		if revision == peer.Revision20260728 {
			set = maps.Clone(set)
			if set == nil {
				set = map[string]any{}
			}
			set["resultType"] = "complete"
		}
		result, last := say(name, set), map[string]any{"nextCursor": nil}
		maps.Copy(last, set)
		end := say(name, last)
		p.MethodFunc(method, func(call peer.Call) peer.Script {
			if strings.Contains(string(call.Arguments), c.prefix) { // the cursor of the second page
				return peer.Script{peer.Verbatim(end)}
			}
			return peer.Script{peer.Verbatim(result)}
		})
	}
	answer("initialize", "InitializeResult", map[string]any{"protocolVersion": revision})
	answer("server/discover", "DiscoverResult", map[string]any{
		"supportedVersions":       []string{revision},
		"capabilities.extensions": map[string]any{"io.modelcontextprotocol/tasks": map[string]any{}},
	})
	answer("tools/list", "ListToolsResult", nil)
	answer("resources/list", "ListResourcesResult", nil)
	answer("resources/templates/list", "ListResourceTemplatesResult", nil)
	answer("prompts/list", "ListPromptsResult", nil)
	answer("tasks/list", "ListTasksResult",
		map[string]any{"tasks": []any{map[string]any{"taskId": c.of("secret.task id"), "status": "working"}}})
	answer("resources/read", "ReadResourceResult", nil)
	answer("prompts/get", "GetPromptResult", nil)
	answer("completion/complete", "CompleteResult", nil)
	// Answers of HTTP, with fields and a body of their own.
	header := map[string]string{"X-Canary": c.of("secret.header of an answer"),
		"Access-Control-Expose-Headers": "*"}
	p.Answer("x/told", peer.Response{Header: header, Body: `{"jsonrpc":"2.0","id":$ID,"result":{}}`})
	p.Answer("x/failed", peer.Response{Status: 500, Header: header, Body: c.of("secret.body of an error")})

	during := peer.Script{peer.ID(c.of("secret.event id")),
		peer.Notify("notifications/message", paramsOf(t, say("LoggingMessageNotification", nil)))}
	token := `"` + c.of("mcp.ProgressNotification "+revision+".params.progressToken") + `"`
	during = append(during,
		peer.Message(`{"jsonrpc":"2.0","method":"notifications/progress","params":`+
			strings.Replace(paramsOf(t, say("ProgressNotification", nil)), token, "$TOKEN", 1)+`}`),
		peer.Notify("notifications/resources/updated", paramsOf(t, say("ResourceUpdatedNotification", nil))))
	result := peer.Result(say("CallToolResult", nil))
	form := ""
	if has("ElicitRequest") {
		form = say("ElicitRequest", map[string]any{"params.mode": "form",
			"params.requestedSchema": map[string]any{"type": "object", "properties": map[string]any{}}})
	}
	// What a server asks a client that has declared neither: it is refused.
	var refused peer.Script
	inputs := map[string]any{}
	for i, request := range []struct{ method, name string }{
		{"sampling/createMessage", "CreateMessageRequest"}, {"roots/list", "ListRootsRequest"}} {
		if !has(request.name) {
			continue
		}
		id := fmt.Sprintf("s%d", i)
		inputs[id] = json.RawMessage(say(request.name, nil))
		refused = append(refused, peer.Ask(`"`+id+`"`, request.method, paramsOf(t, say(request.name, nil))),
			peer.Reply(`"`+id+`"`))
	}
	if has("InputRequiredResult") {
		refused = peer.Script{
			peer.Verbatim(
				say("InputRequiredResult", map[string]any{"inputRequests": inputs, "requestState": nil,
					"resultType": "input_required"}))}
	}
	var failure struct {
		Message string
		Data    json.RawMessage
	}
	if has("Error") {
		if err := json.Unmarshal([]byte(say("Error", nil)), &failure); err != nil {
			t.Fatal(err)
		}
	}
	working := map[string]any{"task.taskId": c.of("secret.task id"), "task.status": "working",
		"task.pollInterval": 60000, "task.ttl": 3600000}
	polled := map[string]any{"taskId": c.of("secret.task id"), "status": "working", "pollInterval": 60000,
		"ttl": 3600000}
	create, get := "CreateTaskResult "+revision, "GetTaskResult "+revision
	if revision == peer.Revision20260728 {
		create, get = "CreateTaskResult ext-tasks", "GetTaskResult ext-tasks"
		working = map[string]any{"taskId": c.of("secret.task id"), "status": "working", "resultType": "task",
			"pollIntervalMs": 60000, "ttlMs": 3600000}
		polled = map[string]any{"taskId": c.of("secret.task id"), "status": "working",
			"pollIntervalMs": 60000, "ttlMs": 3600000}
	}
	if c.has(t, "mcp."+create) {
		p.Method("tasks/get", peer.Script{peer.Verbatim(c.set(t, "mcp."+get, polled))})
		p.Method("tasks/result", peer.Script{peer.Gate("never")})
	}
	p.MethodFunc("tools/call", func(call peer.Call) peer.Script {
		var params struct{ Name string }
		json.Unmarshal(call.Arguments, &params)
		name := call.Name
		if name == "" {
			name = params.Name
		}
		switch {
		case name == "tells":
			return append(slices.Clone(during), peer.Gate("never"))
		case name == "works" && c.has(t, "mcp."+create):
			return peer.Script{peer.Verbatim(c.set(t, "mcp."+create, working))}
		case name == "asks" && has("InputRequiredResult") && len(call.InputResponses) == 0:
			var asked any
			json.Unmarshal([]byte(form), &asked)
			return peer.Script{peer.Verbatim(say("InputRequiredResult", map[string]any{
				"inputRequests": map[string]any{"who": asked}, "requestState": c.of("secret.request state"),
				"resultType": "input_required",
			}))}
		case name == "asks" && form != "" && !has("InputRequiredResult"):
			return peer.Script{peer.Ask(`"q"`, "elicitation/create", paramsOf(t, form)), peer.Reply(`"q"`),
				result}
		case name == "samples" && len(call.InputResponses) == 0:
			return append(slices.Clone(refused), result)
		case name == "fails":
			return peer.Script{peer.ErrorData(-32000, failure.Message, string(failure.Data))}
		}
		return append(slices.Clone(during), result)
	})
	return p
}

// sayingAll is an agent that says all that c has of a version.
func sayingAll(t *testing.T, c *canaries, version string) *acppeer.Peer {
	t.Helper()
	number := int(version[1] - '0')
	first := func(kind string) string { return "acp." + kind + " " + version }
	a := acppeer.New(t, acppeer.Options{Version: number, Answer: func(method, result string) string {
		var own map[string]any
		if err := json.Unmarshal([]byte(result), &own); err != nil {
			panic(err)
		}
		switch method {
		case "initialize":
			return c.set(t, first("InitializeResponse"), map[string]any{"protocolVersion": number})
		case "session/new":
			return c.set(t, first("NewSessionResponse"), map[string]any{"sessionId": own["sessionId"]})
		default:
			return c.set(t, first("ListSessionsResponse"), nil)
		}
	}})
	updates := c.messages(t, first("SessionUpdate"))
	permission := c.set(t, first("RequestPermissionRequest"), map[string]any{"sessionId": "s1"})
	a.OnPrompt(func(turn *acppeer.Turn) {
		turn.Accept()
		turn.Running()
		for _, update := range updates {
			turn.Update(update)
		}
		turn.Wait(turn.Ask("session/request_permission", permission))
	})
	return a
}

// tourScript asks each server for all that it has, while a second page looks on.
const tourScript = canaryScript + `
window.begin = async ({ seal, servers, agents }) => {
	const made = { journal: { seal }, principal: "ada" };
	window.mcps = await Promise.all(servers.map(({ url }) => holdfast.connect(url, { ...made, ack: "manual", handlers: { elicitation: () => ({ action: "decline" }) } })));
	window.agents = await Promise.all(agents.map(({ url, version }) => holdfast.connectAgent(url, { ...made, version })));
	return true;
};
window.visit = async (i, { tool, tasks, posts }) => {
	const mcp = mcps[i];
	const methods = ["listTools", "listResources", "listResourceTemplates", "listPrompts", "listTasks"].map((name) => () => mcp[name]());
	for (const run of [...methods, () => mcp.readResource("file:///a"), () => mcp.getPrompt("a", {}), () => mcp.complete({ type: "ref/prompt", name: "a" }, { name: "b", value: "c" }),
		() => posts && mcp.request("x/told", {}).result, () => mcp.request("x/failed", {}).result,
		...["ends", tool, "asks", "samples", "fails"].map((name) => () => mcp.callTool(name, {}).result)]) {
		await fails(run);
	}
	for await (const event of mcp.callTool("tells", {})) if (event.type === "progress") break;
	const works = mcp.callTool("works", {}, { task: true });
	works.result.catch(() => {});
	await soon(() => !tasks || works.guarantee === "durable");
	if (tasks) await fails(() => works.status());
	await soon(async () => (await other.mcps[i].calls()).length > 2);
	return true;
};
window.talk = async (i) => {
	const agent = agents[i];
	await fails(() => agent.listSessions());
	const session = await agent.newSession({ cwd: "/" });
	session.prompt("go").catch(() => {});
	await soon(() => session.requests.length === 1);
	await soon(() => agent.stored().then(({ bytes }) => bytes > 4_000));
	return true;
};`

// TestFault122_CanariesOfRevisions: every message that a server of any revision, or an
// agent of either version, sends: handshakes, lists, results, tasks, questions, errors,
// header fields and bodies. None of their strings shows in the DOM, addresses, cookies,
// storage, the console and the names of channels and locks; none but what openlySaid
// lists in errors, on BroadcastChannel, and in the database and the profile's files.
func TestFault122_CanariesOfRevisions(t *testing.T) {
	long(t)
	t.Parallel()
	for _, seal := range []string{"all", "secrets"} {
		t.Run(seal, func(t *testing.T) {
			row(t)
			t.Parallel()
			c := newCanaries()
			var servers, agents []map[string]any
			for _, version := range toured {
				if version[0] == 'v' {
					agents = append(agents, map[string]any{"url": sayingAll(t, c, version).URL(),
						"version": int(version[1] - '0')})
					continue
				}
				tool := c.of("mcp.ListToolsResult " + version + ".tools[].name")
				servers = append(servers, map[string]any{"url": tellingAll(t, c, version).URL(), "tool": tool,
					"posts": version != peer.Revision20241105,
					"tasks": c.has(t, "mcp.CreateTaskResult "+version) || version == peer.Revision20260728})
			}
			site, profile := chrome.NewSite(t), t.TempDir()
			browser := startBrowser(t, profile, site.Page("/app", withAgents(tourScript)))
			console := browser.console()
			options := chrome.JS(map[string]any{"seal": seal, "servers": servers, "agents": agents})
			ask[bool](browser, `begin(`+options+`).then(() => beside(`+options+
				`)).then((page) => { window.other = page; return true; })`)
			for i, server := range servers {
				ask[bool](browser, fmt.Sprintf(`visit(%d, %s)`, i, chrome.JS(server)))
			}
			for i := range agents {
				ask[bool](browser, fmt.Sprintf(`talk(%d)`, i))
			}
			surfaces := ask[map[string]string](browser, `surfaces()`)
			surfaces["names of channels and locks"] = ask[string](browser, `names()`)
			surfaces["console"] = console()
			browser.kill()
			if kinds := c.unused(t); len(kinds) > 0 {
				t.Errorf("made and never sent: %q", kinds)
			}
			database := "database, all sealed"
			if seal == "secrets" {
				database = "database, only secrets sealed"
			}
			surfaces[database] = surfaces["database"]
			said := 0
			for _, where := range []string{"DOM", "addresses", "cookies", "storage", "console",
				"names of channels and locks", "errors", "channel", database} {
				names := c.in([]byte(surfaces[where]))
				judge(t, openlySaid, where, names)
				said += len(names)
			}
			for path, content := range files(t, profile) {
				for _, name := range c.in(content) {
					if !mayShow(openlySaid, database, name) {
						t.Errorf("the file %s shows %s", path, name)
					}
				}
			}
			t.Logf("%d canaries; %d times one shows where it may", len(c.names), said)
		})
	}
}
