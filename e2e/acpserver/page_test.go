//go:build !js

package acpserver_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

func TestMain(m *testing.M) { chrome.Main(m) }

// turnOverHTTP is a whole turn with nothing but fetch.
const turnOverHTTP = `
	const post = (id, session, method, params) => fetch(url, {
		method: "POST", credentials: "omit", body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
		headers: { "Content-Type": "application/json", ...(connection && { "Acp-Connection-Id": connection }), ...(session && { "Acp-Session-Id": session }) },
	});
	const open = async (session) => {
		const answer = await fetch(url, { credentials: "omit", headers: { Accept: "text/event-stream", "Acp-Connection-Id": connection, ...(session && { "Acp-Session-Id": session }) } });
		return answer.body.pipeThrough(new TextDecoderStream()).getReader();
	};
	const until = async (reader, part) => {
		let text = "";
		while (!text.includes(part)) text += (await reader.read()).value;
		return text;
	};
	let connection = "";
	connection = (await post(1, "", "initialize", { protocolVersion: 2, info: { name: "page", version: "1" } })).headers.get("Acp-Connection-Id");
	const main = await open("");
	await post(2, "", "session/new", { cwd: "/w" });
	await until(main, "sessionId");
	const session = await open("s1");
	await post(3, "s1", "session/prompt", { sessionId: "s1", prompt: [{ type: "text", text: "count 3" }] });
	const text = await until(session, "end_turn");
	await fetch(url, { method: "DELETE", credentials: "omit", headers: { "Acp-Connection-Id": connection } });
	return [...text.matchAll(/⟨\d⟩/g)].join("");`

const turnOverWebSocket = `
	const socket = new WebSocket(url.replace("http", "ws"));
	await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = reject; });
	const send = (id, method, params) => socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
	return new Promise((resolve) => {
		let text = "";
		socket.onmessage = ({ data }) => {
			const { id, result } = JSON.parse(data);
			text += data;
			if (id === 1) send(2, "session/new", { cwd: "/w" });
			if (id === 2) send(3, "session/prompt", { sessionId: result.sessionId, prompt: [{ type: "text", text: "count 3" }] });
			if (data.includes("end_turn")) resolve([...text.matchAll(/⟨\d⟩/g)].join(""));
		};
		send(1, "initialize", { protocolVersion: 2, info: { name: "page", version: "1" } });
	});`

// A page of another origin gets through, on both transports.
func TestPageOfAnotherOrigin(t *testing.T) {
	s := acpserver.Start(t, acpserver.Options{})
	page := chrome.Open(t, chrome.NewSite(t).URL)
	for name, script := range map[string]string{"HTTP": turnOverHTTP, "WebSocket": turnOverWebSocket} {
		if got := chrome.Script[string](page, "const url = "+chrome.JS(s.URL())+";"+script); got != counted(
			3) {
			t.Errorf("over %s came %q", name, got)
		}
	}
	if deletes := acpserver.Requests(s.Log(), "DELETE"); len(deletes) != 1 || deletes[0].Status != 202 {
		t.Errorf("DELETE: %+v", deletes)
	}
}
