// The official client of the tasks extension (@modelcontextprotocol/ext-tasks on
// @modelcontextprotocol/client) against one endpoint. Prints one line of JSON for
// each scene: what the package said of it.
//
//   node client.mjs URL

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";

const url = new URL(process.argv[2]);
const clientInfo = { name: "ext-tasks", version: "0.2.2" };
const clientCapabilities = { elicitation: { form: {} } };

const asked = [];
const errors = [];

/** A client of the SDK's with the package on top, as an app starts out with. */
async function enter() {
  const client = new Client(clientInfo, { capabilities: clientCapabilities, versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(url));
  const raw = await rawRoad();
  const session = createTaskSessionFromClient(client, {
    endpointId: "peer",
    rawDispatch: raw.dispatch,
    v2RequestFraming: { protocolVersion: "2026-07-28", clientInfo, clientCapabilities },
    onError: (error) => errors.push(String(error)),
    onInputRequest: async (request, context) => {
      asked.push([context.delivery, context.inputId ?? "", request.params.message]);
      return { action: "accept", content: { answer: "yes", name: "Ada" } };
    },
  });
  const leave = async () => {
    await session.close();
    await raw.close();
    await client.close();
  };
  return { client, session, leave };
}

// The client refuses resultType "task", so the package wants a way past it: the
// official transport alone, with ids of its own.
let roads = 0;
async function rawRoad() {
  const transport = new StreamableHTTPClientTransport(url);
  const waiting = new Map();
  const road = ++roads;
  let last = 0;
  transport.onmessage = (message) => waiting.get(message.id)?.(message);
  await transport.start();
  const dispatch = async (request) => {
    const id = `raw-${road}-${++last}`;
    const answer = new Promise((resolve, reject) => {
      waiting.set(id, resolve);
      transport.send({ jsonrpc: "2.0", id, ...request }).catch(reject);
    });
    const message = await answer.finally(() => waiting.delete(id));
    return message.error ? { kind: "error", error: message.error } : { kind: "result", result: message.result };
  };
  return { dispatch, close: () => transport.close() };
}

const say = (scene, facts) => console.log(JSON.stringify({ scene, ...facts }));

/** Runs a call to its end and says how it went. */
async function settle(scene, execution, extra = {}) {
  const statuses = [];
  const { outcome, lastTask } = await execution.settle({
    onEvent: (event) => {
      const status = event.type === "task" ? event.task.status : "";
      if (status && statuses.at(-1) !== status) statuses.push(status);
    },
  });
  say(scene, {
    kind: execution.kind,
    statuses,
    outcome: outcome.status,
    result: outcome.result,
    error: outcome.error && { code: outcome.error.code, message: outcome.error.message },
    retention: lastTask?.retentionMs,
    interval: lastTask?.suggestedPollIntervalMs,
    asked: asked.splice(0),
    ...extra,
  });
}

const { client, session, leave } = await enter();
say("list", {
  era: client.getProtocolEra(),
  tools: (await client.listTools()).tools.map((tool) => tool.name).sort(),
  capabilities: session.capabilities,
});

await settle("inline", await session.callTool("quick", { call: "inline" }));
await settle("long", await session.callTool("work", { call: "long", steps: 3, every_ms: 30 }));
await settle("input", await session.callTool("work", { call: "input", ask: 2 }));
await settle("rounds", await session.callTool("login", { call: "rounds" }));
await settle("tool", await session.callTool("work", { call: "tool", fail: "tool" }));
await settle("error", await session.callTool("work", { call: "error", fail: "error" }));

const cancelled = await session.callTool("work", { call: "cancel", gate: "never" });
const first = await session.task(cancelled.handle.taskId).snapshot();
await cancelled.cancel();
await settle("cancel", cancelled, { first: first.status, after: (await session.task(cancelled.handle.taskId).snapshot()).status });

// A reference outlives its session, as a stored task id does. (The first session
// stays open: when it closes it cancels what it has handed off, too.)
const parted = await session.callTool("work", { call: "resume", steps: 2, every_ms: 50 });
let reference;
await parted.handoff((given) => void (reference = given));
const second = await enter();
await settle("resume", await second.session.resumeTask(reference));
await second.leave();

const brief = await session.callTool("brief", { call: "expire" });
const late = await brief.settle().then(({ outcome }) => outcome, (error) => ({ status: "thrown", error }));
say("expire", { outcome: late.status, error: { code: late.error?.code, message: late.error?.message } });

await settle("conclude", await session.callTool("concluding", { call: "conclude" }));

const stranger = await session.task("no-such-task").snapshot().then(() => undefined, (error) => error);
say("unknown", { error: { code: stranger?.code, message: stranger?.message } });
say("errors", { errors });

await leave();
