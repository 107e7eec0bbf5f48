// Type tests: this file is checked by tsc and never run. It holds what an
// app's editor must accept, and with @ts-expect-error what it must refuse.
import {
  connect,
  HoldfastError,
  ElicitationRequest,
  type Call,
  type CallEvent,
  type CallStatus,
  type CallToolResult,
  type ContentBlock,
  type ErrorCode,
  type InvalidOutput,
  type ListTasksResult,
  type McpClient,
  type RerunPolicy,
  type ValidatePolicy,
} from "holdfast";
import {
  connectAgent,
  isA,
  PermissionRequest,
  type Agent,
  type AgentContentBlock,
  type AgentSession,
  type SessionEvent,
  type ToolCallContent,
  type TranscriptItem,
} from "holdfast/agent";

export async function accepted(show: (text: string) => void): Promise<void> {
  const mcp: McpClient = await connect("https://example.com/mcp", {
    client: { name: "my-app", version: "1.0.0" },
    headers: { "x-tenant": "7" },
    credentials: "include",
    token: async () => "secret",
    timeouts: { answer: 1000, idle: Infinity },
    limits: { depth: 64 },
    signal: new AbortController().signal,
  });
  const { tools, nextCursor } = await mcp.listTools();
  show(tools[0]?.inputSchema["type"] as string);
  show(nextCursor ?? "");
  const call: Call<CallToolResult> = mcp.callTool("render", { scene: 7 }, { signal: AbortSignal.timeout(5) });
  for await (const event of call) one(event);
  mcp.callTool({ name: "render", arguments: { scene: 7 } }, {
    onprogress: ({ progress, total, message }) => show(`${progress} of ${total}: ${message}`),
  });
  const { structuredContent } = await mcp.callTool<{ structuredContent: { sum: number } }>("add", {
    a: 1, b: 2,
  }).result;
  show(structuredContent.sum.toFixed());
  const result = await call.result;
  for (const block of result.content) show(contentOf(block));
  if (result.content[0]?.type === "text") show(result.content[0].text);
  const typed = await mcp.request<{ prompts: { name: string }[] }>("prompts/list").result;
  show(typed.prompts[0]?.name ?? "");
  const off: () => void = mcp.on("state", ({ state, error }) => show(`${state} ${error?.code}`));
  off();
  mcp.on("integrity", ({ what }) => show(what));
  await mcp.rootsChanged();
  const { status, ttl }: CallStatus = await call.status();
  if (status === "working") show(ttl === null ? "for ever" : `${ttl} ms`);
  const { tasks }: ListTasksResult = await mcp.listTasks({ cursor: "2" });
  show(tasks[0]?.taskId ?? "");
  await connect("/mcp", {
    handlers: {
      elicitation: async (request, { draft, saveDraft }) => {
        saveDraft({ typed: request.message });
        return draft === undefined
          ? { action: "cancel" }
          : { action: "accept", content: draft as Record<string, string> };
      },
      roots: ({ saveDraft }) => (saveDraft([]), []),
    },
  });
  const lenient: ValidatePolicy = "report";
  await connect("/mcp", {
    validate: lenient, validator: new URL("https://cdn.example.com/holdfast-validate.mjs"),
  });
  const careful: RerunPolicy = "never";
  await connect("/mcp", { validate: false, rerun: careful });
  mcp.callTool("pay", {}, { rerun: "always" });
  // @ts-expect-error it is a policy
  mcp.callTool("pay", {}, { rerun: true });
  show(String(mcp.counters.duplicateEvents));
  await mcp.close();
}

function one(event: CallEvent): string {
  switch (event.type) {
    case "progress":
      return `${event.progress} of ${event.total ?? "?"}`;
    case "log":
      return event.level;
    case "notification":
      return event.method;
    case "status":
      return event.state === "cut" ? `${event.delay} ms` : event.state;
    case "resumed":
      return event.outcome;
    case "guarantee":
      return event.guarantee;
    case "gap":
      return `${event.events} of ${event.from} to ${event.to}`;
    case "segment":
      return event.content.type;
    case "task":
      return event.status;
    case "input":
      for (const { draft, saveDraft } of event.requests.values()) if (draft === undefined) saveDraft({});
      return [...event.requests.keys()].join();
  }
}

export function errors(error: unknown): ErrorCode | undefined {
  if (!(error instanceof HoldfastError)) return undefined;
  if (error.code === "rpc_error") error.rpc?.code.toFixed();
  if (error.code === "invalid_structured_content") {
    const invalid: InvalidOutput | undefined = error.invalid;
    const kept: CallToolResult | undefined = invalid?.result;
    kept?.content.at(0);
    invalid?.at?.split("/");
    invalid?.keyword?.length.toFixed();
  }
  return error.code;
}

export async function disposed(mcp: McpClient): Promise<string> {
  await using client = mcp;
  const call: Call = client.callTool("pay");
  call.pause();
  call.resume();
  return call.id;
}

export async function refused(mcp: McpClient): Promise<void> {
  // @ts-expect-error a URL is needed
  await connect();
  // @ts-expect-error no such option
  await connect("/mcp", { retries: 3 });
  // @ts-expect-error a policy, or false
  await connect("/mcp", { validate: true });
  // @ts-expect-error arguments are an object
  mcp.callTool("x", "y");
  // @ts-expect-error options come second here
  mcp.callTool({ name: "x" }, undefined, {});
  // @ts-expect-error no such option
  mcp.callTool("x", {}, { sendWithn: 5 });
  // @ts-expect-error a list is no call
  await mcp.listTools({ key: "x" });
  // @ts-expect-error all tasks, or one page
  await mcp.listTasks("2");
  // @ts-expect-error no such event
  mcp.on("statee", () => {});
  // @ts-expect-error the revision is the server's to choose
  mcp.revision = "2025-11-25";
}

export async function agents(show: (text: string) => void): Promise<void> {
  const agent: Agent = await connectAgent("wss://example.com/acp", {
    client: { name: "my-app", version: "1.0.0" },
    version: 2,
    handlers: {
      permission: (request) => request.options.find(({ kind }) => kind === "allow_once")?.optionId ?? null,
      elicitation: async ({ message }) => (show(message), { action: "decline" }),
    },
    limits: { item: 1024 },
  });
  show(`${agent.info.name} ${agent.version} ${agent.authMethods[0]?.methodId}`);
  const session: AgentSession = (await agent.sessions())[0] ??
    (await agent.newSession({ cwd: "/w", mcpServers: [{ name: "x", url: "https://example.com/mcp" }] }));
  for (const item of session.transcript) show(shown(item));
  session.on("update", ({ item, index }) => show(`${index} ${shown(item)}`));
  session.on("request", ({ request }) => {
    if (request instanceof PermissionRequest) request.select(request.options[0]!.optionId);
    else if (request instanceof ElicitationRequest) request.accept({ a: "b" });
  });
  const { messageId } = await session.prompt([{ type: "text", text: "hi" }], {
    signal: AbortSignal.timeout(5),
  });
  const { stopReason, error } = await session.settled();
  show(`${messageId} ${stopReason} ${error?.code}`);
  for await (const event of session) show(happened(event));
  const page = await agent.listSessions({ cwd: "/w" });
  await agent.resumeSession(page.sessions[0]!.sessionId, { cwd: "/w" });
  await agent.close({ terminate: true });
}

function shown(item: TranscriptItem): string {
  switch (item.type) {
    case "user_message":
    case "agent_message":
    case "agent_thought":
      return item.content.map(textOf).join("");
    case "tool_call":
      return `${item.title} ${item.status} ${item.content.map(resultOf).join("")}`;
    case "terminal":
      return item.text.slice(item.output.length);
    case "plan":
      return item.entries.map(({ content, status }) => `${status} ${content}`).join();
    case "compaction":
      return item.status ?? "";
    case "notice":
      return item.title;
    case "unknown":
      return item.name;
  }
}

/** Each block narrows by its type, and there is no other. */
function contentOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return block.data + block.mimeType;
    case "resource_link":
      return block.uri + block.name;
    case "resource":
      return block.resource.uri;
  }
}

function textOf(block: AgentContentBlock): string {
  if (isA(block, "text")) return block.text;
  if (isA(block, "resource")) return block.resource.uri;
  return block.type;
}

function resultOf(piece: ToolCallContent): string {
  if (isA(piece, "content")) return textOf(piece.content);
  if (isA(piece, "diff")) return piece.changes?.map(({ path }) => path).join() ?? "";
  return isA(piece, "terminal") ? piece.terminalId : piece.type;
}

function happened(event: SessionEvent): string {
  switch (event.type) {
    case "update":
      return event.item.type;
    case "turn":
      return event.ended ? (event.stopReason ?? "") : event.state;
    case "withdrawn":
      return event.reason;
    default:
      return event.type;
  }
}

export async function refusedByAgents(agent: Agent, session: AgentSession): Promise<void> {
  // @ts-expect-error a folder is needed
  await agent.newSession({});
  // @ts-expect-error versions are numbers
  await connectAgent("/acp", { version: "2" });
  // @ts-expect-error items are not the app's to change
  session.transcript[0]!.type = "notice";
  // @ts-expect-error no such event
  session.on("updates", () => {});
}
