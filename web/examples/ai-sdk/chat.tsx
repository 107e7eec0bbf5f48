import { useEffect, useState, type FormEvent } from "react";
import { createRoot } from "react-dom/client";
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls, type UIMessage } from "ai";
import { connect, type HoldfastError } from "holdfast";
import { acknowledgeToolCalls, execute, isProgress, unfinishedToolCalls, type ToolOutput } from "holdfast/ai";

// The tools run in the page, which has the user's connection to the server; the route tells the model of them.
const mcp = await connect(new URLSearchParams(location.search).get("server") ?? "/mcp");
const { tools } = await mcp.listTools();
const transport = new DefaultChatTransport({ api: "/api/chat", body: { tools } });
const stored = JSON.parse(localStorage.getItem("chat") ?? "[]") as UIMessage[];
const unfinished = await unfinishedToolCalls(mcp, stored); // of the page before this one

function Chat() {
  const [progress, show] = useState("");
  const { messages, sendMessage, addToolOutput, status, error } = useChat({
    messages: stored,
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall: ({ toolCall }) => void finish(toolCall.toolName, toolCall.toolCallId, execute(mcp, toolCall, { ack: "manual" })),
  });
  async function finish(tool: string, toolCallId: string, outputs: AsyncIterable<ToolOutput>) {
    try {
      for await (const output of outputs) {
        if (isProgress(output)) show(`${tool}: ${output.progress?.progress ?? 0} of ${output.progress?.total ?? "?"}`);
        else void addToolOutput({ tool, toolCallId, output });
      }
    } catch (error) {
      void addToolOutput({ tool, toolCallId, state: "output-error", errorText: (error as HoldfastError).message });
    }
    show("");
  }
  // The id that the model has given a tool call finds it again. Where nothing is kept the model hears of that, and decides.
  useEffect(() => {
    for (const { tool, toolCallId, input, call } of unfinished.splice(0)) {
      if (call) void finish(tool, toolCallId, execute(mcp, { toolName: tool, toolCallId, input }));
      else void addToolOutput({ tool, toolCallId, state: "output-error", errorText: "It was interrupted, and may have run." });
    }
  }, []);
  useEffect(() => {
    localStorage.setItem("chat", JSON.stringify(messages));
    void acknowledgeToolCalls(mcp, messages);
  }, [messages]);
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
