// The same chat with the official client, by hand what it has no words for: a call that a reload interrupted goes on where
// the server keeps its events, and the page was not left in the moment of the request. For comparison; docs/guide/ai-sdk.md.
import { useEffect, useState, type FormEvent } from "react";
import { createRoot } from "react-dom/client";
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, isToolUIPart, lastAssistantMessageIsCompleteWithToolCalls, type UIMessage } from "ai";
import { Client, StreamableHTTPClientTransport, type CallToolResult } from "@modelcontextprotocol/client";

const load = <T,>(name: string, none: T): T => JSON.parse(localStorage.getItem(name) ?? JSON.stringify(none)) as T;
const save = (name: string, value: unknown) => localStorage.setItem(name, JSON.stringify(value));

interface Session { sessionId: string; protocolVersion: string }
const url = new URL(new URLSearchParams(location.search).get("server") ?? "/mcp", location.href);
const before = load<Partial<Session>>("session", {});
const client = new Client({ name: "chat", version: "1.0.0" });
let way = new StreamableHTTPClientTransport(url, before);
await client.connect(way);
try {
  await client.listTools();
} catch {
  // The server knows the session no more: another one, in which nothing can be resumed.
  save("tokens", {});
  await client.close();
  way = new StreamableHTTPClientTransport(url);
  await client.connect(way);
}
if (way.sessionId) save("session", { sessionId: way.sessionId, protocolVersion: way.protocolVersion });
const { tools } = await client.listTools();
const transport = new DefaultChatTransport({ api: "/api/chat", body: { tools } });
const stored = load<UIMessage[]>("chat", []);
const tokens = load<Record<string, string>>("tokens", {});
const unfinished = stored.at(-1)?.parts.filter((part) => isToolUIPart(part) && part.state === "input-available") ?? [];

interface ToolCall { toolName: string; toolCallId: string; input: unknown }

function Chat() {
  const [progress, show] = useState("");
  const { messages, sendMessage, addToolOutput, status, error } = useChat({
    messages: stored,
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall: ({ toolCall }) => void run(toolCall),
  });
  async function run({ toolName, toolCallId, input }: ToolCall, resumptionToken?: string) {
    try {
      const output: CallToolResult = await client.callTool(
        { name: toolName, arguments: input as Record<string, unknown> },
        {
          ...(resumptionToken !== undefined && { resumptionToken }),
          onresumptiontoken: (token) => {
            tokens[toolCallId] = token;
            save("tokens", tokens);
          },
          onprogress: ({ progress, total }) => show(`${toolName}: ${progress} of ${total ?? "?"}`),
          timeout: 3_600_000,
        },
      );
      void addToolOutput({ tool: toolName, toolCallId, output });
    } catch (error) {
      void addToolOutput({ tool: toolName, toolCallId, state: "output-error", errorText: (error as Error).message });
    }
    delete tokens[toolCallId];
    save("tokens", tokens);
    show("");
  }
  useEffect(() => {
    for (const part of unfinished.splice(0)) {
      if (!isToolUIPart(part)) continue;
      const { toolCallId, input } = part;
      const toolName = part.type.replace(/^tool-/, "");
      const token = tokens[toolCallId];
      if (token !== undefined) void run({ toolName, toolCallId, input }, token);
      else void addToolOutput({ tool: toolName, toolCallId, state: "output-error", errorText: "It was interrupted, and may have run." });
    }
  }, []);
  useEffect(() => save("chat", messages), [messages]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void sendMessage({ text: String(new FormData(event.currentTarget).get("text")) });
    event.currentTarget.reset();
  };
  return (
    <main data-status={status}>
      {messages.flatMap(({ id, role, parts }) => parts.map((part, i) => part.type === "text" && <p key={id + i} data-role={role}>{part.text}</p>))}
      <p role="status">{progress || error?.message}</p>
      <form onSubmit={submit}>
        <label>You <input name="text" required /></label>
        <button disabled={status === "submitted" || status === "streaming"}>Say</button>
      </form>
    </main>
  );
}

createRoot(document.getElementById("root")!).render(<Chat />);
