//go:build !js

package e2e

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// nodeLimit bounds how long Node may take: what keeps it from its end would do so for ever.
const nodeLimit = time.Minute

// TestFault304_ImportedWhereNoBrowserIs: Node imports every entry of the package, as a server that renders a
// page does. Whoever connects there hears where to do that instead, and nothing keeps the process from its
// end.
func TestFault304_ImportedWhereNoBrowserIs(t *testing.T) {
	long(t)
	t.Parallel()
	p := newProject(t, map[string]string{"main.js": `
		import { connect, wipe, version } from "holdfast";
		import { connectAgent } from "holdfast/agent";
		import "holdfast/global";
		if (holdfast.version !== version) throw new Error("the global is another one");
		for (const [name, attempt] of Object.entries({
			connect: () => connect("http://127.0.0.1:9/mcp"),
			shared: () => connect("http://127.0.0.1:9/mcp", { host: "shared" }),
			worker: () => connect("http://127.0.0.1:9/mcp", { host: "worker" }),
			connectAgent: () => connectAgent("http://127.0.0.1:9/acp"),
		})) {
			await attempt().then(() => console.log(name, "connected"), ({ code, hint }) => console.log(name, code, name === "shared" || name === "worker" || /useEffect/.test(hint)));
		}
		await wipe().then(() => {}, ({ code }) => console.log("wipe", code));
	`}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), nodeLimit)
	defer cancel()
	command := exec.CommandContext(ctx, "node", "main.js")
	command.Dir = p.folder
	said, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, said)
	}
	want := "connect host_unavailable true\nshared host_unavailable true\nworker host_unavailable " +
		"true\nconnectAgent host_unavailable true\n"
	if got := string(said); !strings.HasPrefix(got, want) {
		t.Errorf("node says\n%swant\n%s", got, want)
	}
}

// TestStoryTypes: a program of an app is checked as people check theirs, with nothing skipped.
func TestStoryTypes(t *testing.T) {
	t.Parallel()
	program := `
		import { connect, HoldfastError, type Call, type CallToolResult, type ConnectOptions, type McpClient } from "holdfast";
		import { connectAgent, PermissionRequest, type AgentSession } from "holdfast/agent";
		import { observeAgentSession, type AgentSessionSnapshot } from "holdfast/agent/store";
		import type { Store } from "holdfast/store";
		const options: ConnectOptions = { client: { name: "app", version: "1" }, host: "shared" };
		const mcp: McpClient = await connect("/mcp", options);
		const call: Call<CallToolResult> = mcp.callTool("count", { n: 5 });
		for await (const event of call) if (event.type === "progress") console.log(event.progress);
		try { await call.result; } catch (error) { if (error instanceof HoldfastError) console.log(error.code, error.hint); }
		const [session]: AgentSession[] = await (await connectAgent("/acp")).sessions();
		for (const request of session?.requests ?? []) if (request instanceof PermissionRequest) request.cancel();
		const chat: Store<AgentSessionSnapshot> = observeAgentSession(await connectAgent("/acp"), session?.id);
		console.log(chat.snapshot().transcript.length);
		// @ts-expect-error it is of holdfast/agent
		import type { Agent } from "holdfast";
		// @ts-expect-error no such option
		void connect("/mcp", { hosts: "shared" });
	`
	global := `
		import "holdfast/global";
		export const mcp = await holdfast.connect("/mcp");
		export const agent = await holdfast.connectAgent("/acp");
	`
	for _, each := range []struct{ module, resolution string }{
		{"esnext", "bundler"}, {"node16", "node16"}, {"nodenext", "nodenext"}} {
		t.Run(each.resolution, func(t *testing.T) {
			row(t)
			t.Parallel()
			p := newProject(t, map[string]string{"main.ts": program, "global.ts": global, "tsconfig.json": `{
				"compilerOptions": {
					"module": "` + each.module + `", "moduleResolution": "` + each.resolution + `",
					"target": "es2022", "lib": ["es2022", "dom", "dom.iterable", "dom.asynciterable"], "types": [], "noEmit": true,
					"strict": true, "exactOptionalPropertyTypes": true, "noUncheckedIndexedAccess": true, "verbatimModuleSyntax": true, "skipLibCheck": false
				},
				"files": ["main.ts", "global.ts"]
			}`}, map[string]string{"typescript": "typescript"})
			run(t, p.folder, "node", p.path("node_modules/typescript/bin/tsc"), "-p", ".")
		})
	}
}
