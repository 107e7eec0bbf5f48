// The official TypeScript SDK, version 1, serving tasks (2025-11-25): McpServer
// with the SDK's own task store, message queue and event store, one of each per
// session. Prints its port; the lines of its log come after that. See sdktasks.go.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import { InMemoryEventStore } from "@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { ElicitResultSchema, isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const log = (...words) => process.stdout.write(`${words.join(" ")}\n`);

/** A gate is a promise that a line on the standard input keeps. */
const gates = new Map();
function gate(name) {
  if (!gates.has(name)) {
    let open;
    const passed = new Promise((resolve) => (open = resolve));
    gates.set(name, { passed, open });
  }
  return gates.get(name);
}

const text = (said) => ({ content: [{ type: "text", text: said }] });

const inputSchema = {
  call: z.string(),
  gate: z.string().optional().describe("waited at in the middle"),
  ask: z.string().optional().describe("a question on the way"),
  fail: z.enum(["error", "tool"]).optional(),
};

/** The work that a task does, started by its creation and waited for by nobody. */
async function work(task, { call, gate: waits, ask, fail }, { taskStore, sendRequest }) {
  const over = async () => (await taskStore.getTask(task.taskId))?.status === "cancelled";
  log("ran", call);
  await taskStore.updateTaskStatus(task.taskId, "working", `${call} has begun`);
  if (waits) {
    log("waiting", waits);
    await gate(waits).passed;
  }
  if (await over()) return log("stopped", call);
  let answer = "nothing";
  if (ask) {
    await taskStore.updateTaskStatus(task.taskId, "input_required", `${call} asks`);
    const reply = await sendRequest(
      {
        method: "elicitation/create",
        params: { mode: "form", message: ask, requestedSchema: { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] } },
      },
      ElicitResultSchema,
      { relatedTask: { taskId: task.taskId } },
    );
    answer = reply.content?.answer ?? reply.action;
    log("answered", call, answer);
    await taskStore.updateTaskStatus(task.taskId, "working", `${call} goes on`);
  }
  if (fail === "error") throw new Error(`${call} broke`);
  if (fail === "tool") return taskStore.storeTaskResult(task.taskId, "failed", { ...text(`${call} failed`), isError: true });
  await taskStore.storeTaskResult(task.taskId, "completed", { ...text(`${call} is done`), structuredContent: { call, answer } });
}

const handler = {
  createTask: async (args, extra) => {
    const task = await extra.taskStore.createTask({ ttl: 600_000, pollInterval: 250 });
    // A question that its task's cancellation ends is refused, and the store lets
    // nobody fail a task that is over.
    work(task, args, extra)
      .catch((error) => extra.taskStore.updateTaskStatus(task.taskId, "failed", error.message))
      .catch(() => log("stopped", args.call));
    return { task };
  },
  getTask: (_args, extra) => extra.taskStore.getTask(extra.taskId),
  getTaskResult: (_args, extra) => extra.taskStore.getTaskResult(extra.taskId),
};

function makeServer() {
  const server = new McpServer(
    { name: "sdk-tasks", version: "1.32.2" },
    {
      capabilities: { logging: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore: new InMemoryTaskStore(),
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  );
  server.registerTool("plain", { inputSchema: { call: z.string() } }, ({ call }) => text(`${call} at once`));
  for (const taskSupport of ["optional", "required"]) {
    server.experimental.tasks.registerToolTask(taskSupport, { inputSchema, execution: { taskSupport } }, handler);
  }
  return server;
}

const transports = new Map();

async function serve(request, response, message) {
  let transport = transports.get(request.headers["mcp-session-id"]);
  if (!transport && isInitializeRequest(message)) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      eventStore: new InMemoryEventStore(),
      onsessioninitialized: (id) => transports.set(id, transport),
    });
    await makeServer().connect(transport);
  }
  if (!transport) return response.writeHead(404).end();
  await transport.handleRequest(request, response, message);
}

async function read(request) {
  let all = "";
  for await (const chunk of request.setEncoding("utf8")) all += chunk;
  return all ? JSON.parse(all) : undefined;
}

// The SDK sends no CORS header itself.
const web = createServer(async (request, response) => {
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader("Access-Control-Expose-Headers", "Mcp-Session-Id");
  if (request.method === "OPTIONS") {
    response.setHeader("Access-Control-Allow-Methods", "GET, POST, DELETE");
    response.setHeader("Access-Control-Allow-Headers", request.headers["access-control-request-headers"] ?? "");
    return response.writeHead(204).end();
  }
  const message = request.method === "POST" ? await read(request) : undefined;
  const { method, params } = message ?? {};
  if (method === "tools/call") log(params.task ? "task" : "inline", params.arguments.call);
  else if (method?.startsWith("tasks/") || method === "initialize") log(method);
  else if (request.headers["last-event-id"]?.startsWith("_GET_stream") === false) log("taken up");
  await serve(request, response, message);
  if (method === "notifications/cancelled") log("taken up");
});

web.listen(0, "127.0.0.1", () => log(web.address().port));

createInterface({ input: process.stdin }).on("line", (name) => gate(name).open());
