// Type tests: this file is checked by tsc and never run. It holds what an
// app's editor must accept, and with @ts-expect-error what it must refuse.
import {
  connect,
  HoldfastError,
  type Call,
  type CallEvent,
  type CallToolResult,
  type ErrorCode,
  type InvalidOutput,
  type McpClient,
  type ValidatePolicy,
} from "holdfast";

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
  const result = await call.result;
  for (const block of result.content) if (block.type === "text") show(String(block["text"]));
  const typed = await mcp.request<{ prompts: { name: string }[] }>("prompts/list").result;
  show(typed.prompts[0]?.name ?? "");
  const off: () => void = mcp.on("state", ({ state, error }) => show(`${state} ${error?.code}`));
  off();
  mcp.on("integrity", ({ what }) => show(what));
  await mcp.rootsChanged();
  const lenient: ValidatePolicy = "report";
  await connect("/mcp", { validate: lenient, validator: new URL("https://cdn.example.com/holdfast-validate.mjs") });
  await connect("/mcp", { validate: false });
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
    case "segment":
      return event.content.type;
    case "task":
      return event.status;
    case "input":
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

export async function refused(mcp: McpClient): Promise<void> {
  // @ts-expect-error a URL is needed
  await connect();
  // @ts-expect-error no such option
  await connect("/mcp", { retries: 3 });
  // @ts-expect-error a policy, or false
  await connect("/mcp", { validate: true });
  // @ts-expect-error arguments are an object
  mcp.callTool("x", "y");
  // @ts-expect-error no such event
  mcp.on("statee", () => {});
  // @ts-expect-error the revision is the server's to choose
  mcp.revision = "2025-11-25";
}
