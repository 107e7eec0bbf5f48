// What an app gives and nothing takes: it is refused by its name, with what there is in its place.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "../src/agent/agent.js";
import { CoreRig } from "./agentrig.js";
import type { ClientBackend } from "../src/client/backend.js";
import { Call, type CallControl } from "../src/client/call.js";
import { McpClient } from "../src/client/client.js";
import { agentWorker, connectAgent } from "../src/host/choose/agenthosts.js";
import { connect, workerClient } from "../src/host/choose/hosts.js";
import { Backlog } from "../src/base/backlog.js";
import { EVENT } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import { Listeners } from "../src/base/listeners.js";
import { oauth } from "../src/auth/oauthoption.js";

/** What is given, and what the message has to say of it. */
type Row = [given: unknown, says: string];

/** Of connect and connectAgent. */
const BOTH: Row[] = [
  [{ clint: { name: "app", version: "1" } }, "clint is no option: there are client, headers, "],
  [{ client: "x" }, "client has to be an object with a name and a version"],
  [{ client: { name: "app" } }, "client has to be an object with a name and a version"],
  [{ headers: "x-a: b" }, "headers has to be header fields"],
  [{ token: "secret" }, "token has to be a function that gives a token"],
  [{ auth: {} }, "auth has to be what oauth() gives"],
  [{ auth: oauth(), token: () => "t" }, "auth and `token` exclude each other"],
  [{ fetch: {} }, "fetch has to be a function"],
  [{ onprogress: () => {} }, "onprogress is no option: there are "],
  [{ principal: "" }, "principal has to be a string that names the user"],
  [{ journal: "yes" }, "journal has to be true, false or an object"],
  [{ journal: { sealed: "all" } }, "journal.sealed is no option: there are seal"],
  [{ journal: { seal: "some" } }, 'journal.seal has to be "secrets" or "all"'],
  [{ timeouts: 5000 }, "timeouts has to be an object"],
  [{ timeouts: { idel: 5000 } }, "timeouts.idel is no option: there are answer, idle"],
  [{ limits: [] }, "limits has to be an object"],
  [{ limits: { depht: 9 } }, "limits.depht is no option: there are line, event, "],
  [{ handlers: { elicitation: "ask" } }, "handlers.elicitation has to be a function"],
  [{ handlers: { elicit: () => {} } }, "handlers.elicit is no option: there are elicitation, "],
  [{ host: "moon" }, 'host has to be "auto", "page", "worker" or "shared"'],
  [{ credentials: "yes" }, 'credentials has to be "omit", "same-origin" or "include"'],
  [{ worker: 7 }, "worker has to be a URL"],
  [{ wasm: 7 }, "wasm has to be a URL, or the wasm itself"],
  [{ wasm: "http://" }, "wasm has to be a URL, or the wasm itself"],
  [{ signal: new AbortController() }, "signal has to be an AbortSignal"],
  [{ toString: 1 }, "toString is no option"],
  [null, "options has to be an object"],
  ["x", "options has to be an object"],
  [[], "options has to be an object"],
];

const OF_CONNECT: Row[] = [
  ...BOTH,
  [{ capabilities: [] }, "capabilities has to be an object"],
  [{ capabilities: { sampling: true } }, "capabilities.sampling has to be an object"],
  [{ capabilities: { tasks: {} } }, "capabilities.tasks is declared by the client itself"],
  [{ listen: "no" }, "listen has to be true or false"],
  [{ streamedBodies: "no" }, "streamedBodies has to be true or false"],
  [{ revision: 7 }, "revision has to be a string"],
  [{ validator: "http://" }, "validator has to be a URL, or the text of one"],
  [{ record: true, recorder: "https://[" }, "recorder has to be a URL, or the text of one"],
  [{ sendWithin: "5" }, "sendWithin has to be a number of ms above 0"],
  [{ retention: { end: 5 } }, "retention.end is no option: there are ended, running"],
  [{ validate: true }, 'validate has to be "reject", "report" or false'],
  [{ validator: 7 }, "validator has to be a URL"],
  [{ ack: "later" }, 'ack has to be "auto" or "manual"'],
  [{ rerun: true }, 'rerun has to be "never", "hinted" or "always"'],
  [
    { handlers: { permission: () => null } },
    "handlers.permission is no option: there are elicitation, sampling, roots",
  ],
];

const OF_CONNECT_AGENT: Row[] = [
  ...BOTH,
  [{ version: "2" }, "version has to be 1 or 2"],
  [{ promptLifecycle: "yes" }, "promptLifecycle has to be true or false"],
  [{ transport: "pigeon" }, 'transport has to be "http" or "websocket"'],
  [{ input: "maybe" }, 'input has to be "handlers" or "manual"'],
  [{ rerun: "never" }, "rerun is no option"],
];

const OF_CALLS: Row[] = [
  [{ sendWithn: 5 }, "sendWithn is no option: there are signal, timeouts, sendWithin, meta, onprogress, "],
  [{ timeout: 5 }, "timeout is no option: there are signal, timeouts, "],
  [{ timeouts: { total: "5" } }, "timeouts.total has to be a number of ms above 0"],
  [{ signal: new AbortController() }, "signal has to be an AbortSignal"],
  [{ meta: "x" }, "meta has to be an object"],
  [{ journal: "yes" }, "journal has to be true or false"],
  [{ key: "" }, "key has to be a string of 1 to 1024 characters"],
  [{ key: 7 }, "key has to be a string of 1 to 1024 characters"],
  [{ task: { tll: 5 } }, "task.tll is no option: there are ttl, responseModes"],
  [
    { task: { responseModes: ["sometimes"] } },
    'task.responseModes has to be an array of "immediate", "streaming", "task"',
  ],
  [{ task: { responseModes: [] } }, "task.responseModes has to be an array of "],
  [{ task: "yes" }, "task has to be true, false or an object"],
  [{ input: "mine" }, 'input has to be "handlers" or "manual"'],
  [{ onprogress: {} }, "onprogress has to be a function"],
  [5, "options has to be an object"],
];

const OF_OAUTH: Row[] = [
  [{ client_id: "x" }, "client_id is no option: there are redirectUrl, clientId, "],
  [{ redirectUrl: 7 }, "redirectUrl is not a URL"],
  [{ dpop: "yes" }, "dpop has to be a boolean"],
  [null, "options has to be an object"],
];

/** The error of what has to be refused. */
async function refusal(work: () => unknown): Promise<HoldfastError> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof HoldfastError, String(error));
    return error as HoldfastError;
  }
  throw new Error("it passes");
}

/** What must not be called. */
const never = (): never => {
  throw new Error("it is called");
};

const refused =
  (op: string, says: string) =>
  (error: unknown): boolean =>
    error instanceof HoldfastError && error.code === "bad_argument" &&
      error.message.startsWith(`${op}: ${says}`);

async function refuses(rows: readonly Row[], ask: (given: never) => unknown): Promise<void> {
  for (const [given, says] of rows) {
    const { code, message } = await refusal(() => ask(given as never));
    assert.equal(code, "bad_argument", message);
    assert.ok(message.includes(`: ${says}`), `${message}, and not ${says}`);
  }
}

/** A client of which nothing may arrive at its backend but what is `made`. */
function clientOf(make: (...all: unknown[]) => unknown = never): McpClient {
  const backend = { facts: { url: "" }, listeners: new Listeners(), make, ask: never };
  return new McpClient(backend as unknown as ClientBackend);
}

/** Runs it in a page that can have shared workers; what starts them says nothing. */
async function withWorkers(run: () => Promise<void>): Promise<void> {
  const fails: (() => void)[] = [];
  class SharedWorker {
    onerror: ((event: object) => void) | undefined;
    readonly port = {
      postMessage: (message: { t: string }) => assert.equal(message.t, "hello"), close: () => {},
    };

    constructor() {
      fails.push(() => this.onerror?.({}));
    }
  }
  const globals = {
    SharedWorker, location: new URL("https://app.test/app"), origin: "https://app.test",
    navigator: { locks: { request: () => new Promise(() => {}) } },
  };
  const before = Object.keys(globals).map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  );
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  try {
    await run();
  } finally {
    for (const fail of fails) fail();
    for (const [name, was] of before)
      was ? Object.defineProperty(globalThis, name, was) : Reflect.deleteProperty(globalThis, name);
  }
}

test("Fault 307: what connect and connectAgent do not take is refused by its name, in the page, whatever host they are for", async () => {
  await refuses(OF_CONNECT, (given) => connect("http://127.0.0.1/mcp", given));
  await refuses(OF_CONNECT_AGENT, (given) => connectAgent("http://127.0.0.1/acp", given));
  await withWorkers(async () => {
    const isPinned = ([given]: Row): boolean => typeof given === "object" && given !== null &&
      !Array.isArray(given) && !("host" in given) && !("auth" in given) && !("worker" in given) &&
      !("wasm" in given);
    const there = (given: object): object => ({ worker: "https://app.test/w.mjs", ...given, host: "shared" });
    await refuses(OF_CONNECT.filter(isPinned), (given) => connect("/mcp", there(given)));
    await refuses(OF_CONNECT_AGENT.filter(isPinned), (given) => connectAgent("/acp", there(given)));
    assert.ok(workerClient.here && agentWorker.here);
  });
});

test("Fault 307: an address that is missing is refused, and not taken for one beside the page", async () => {
  await withWorkers(async () => {
    for (const host of ["page", "shared"] as const) {
      for (const url of [undefined, null, "", 7, {}] as unknown as string[]) {
        await refuses([[url, "url has to be a URL, or the text of one"]], () => connect(url, { host }));
        await refuses([[url, "url has to be a URL, or the text of one"]], () => connectAgent(url, { host }));
      }
    }
  });
});

test("Fault 307: so are options of oauth(), of calls, of lists and of what an agent is asked", async () => {
  await refuses(OF_OAUTH, (given) => oauth(given));
  const mcp = clientOf();
  await refuses(OF_CALLS, (given) => mcp.callTool("add", {}, given));
  await refuses(OF_CALLS, (given) => mcp.callTool({ name: "add" }, given));
  await refuses(OF_CALLS, (given) => mcp.request("tools/list", {}, given));
  await refuses(
    [
      [{ cursr: "2" }, "cursr is no option: there are signal, timeouts, sendWithin, meta, cursor"],
      [{ cursor: 2 }, "cursor has to be a string"], [{ key: "x" }, "key is no option"],
      ["2", "options has to be an object"],
    ],
    (given) => mcp.listTools(given),
  );
  await refuses(
    [["", "uri has to be a string that is not empty"], [undefined, "uri has to be a string"]],
    (given) => mcp.readResource(given),
  );
  await refuses([["x", "args has to be an object"]], (given) => mcp.getPrompt("greet", given));
  await refuses([[7, "method has to be a string that is not empty"]], (given) => mcp.notify(given));
  const { core } = new CoreRig();
  const agent = new Agent(core, { handlers: {}, elicits: false, backlog: new Backlog(10) });
  await refuses(
    [
      [{ cwd: "/", mcpServer: [] }, "mcpServer is no option: there are cwd, mcpServers, "],
      [{ cwd: 7 }, "cwd has to be a string"], [{ cwd: "/", mcpServers: {} }, "mcpServers has to be a list"],
    ],
    (given) => agent.newSession(given),
  );
  await refuses(
    [[{ terminat: true }, "terminat is no option: there are terminate"]], (given) => agent.close(given),
  );
  await refuses(
    [[{ timeouts: {} }, "timeouts is no option: there are signal"]], (given) => agent.request("x", {}, given),
  );
});

test("Fault 307: an option that is undefined is left out, and an object of a class may have members of its own", async () => {
  class Asks {
    dialog = "own";
    elicitation(): { action: "cancel" } {
      return { action: "cancel" };
    }
  }
  for (const options of [{ retries: undefined, timeouts: { total: undefined } }, { handlers: new Asks() }]) {
    const { code } = await refusal(
      () => connect("http://127.0.0.1/mcp", { ...(options as object), signal: AbortSignal.abort() }),
    );
    assert.equal(code, "cancelled");
  }
});

test("Fault 307: nobody listens to an event that there is not", async () => {
  const { core } = new CoreRig();
  const agent = new Agent(core, { handlers: {}, elicits: false, backlog: new Backlog(10) });
  for (const one of [clientOf(), agent] as { on(event: unknown, listener: unknown): unknown }[]) {
    await refuses(
      [
        ["progres", 'event has to be "state", "'], [undefined, "event has to be "],
        ["toString", "event has to be "],
      ],
      (given) => one.on(given, () => {}),
    );
    await refuses([[undefined, "listener has to be a function"]], (given) => one.on("state", given));
    (one.on("state", () => {}) as () => void)();
  }
});

test("Fault 308: a call that can be none throws at once, and not in a call that nobody reads", () => {
  const mcp = clientOf();
  const wrong: [unknown[], string][] = [
    [[], "name has to be the name of a tool, or an object with a name and arguments"],
    [[""], "name has to be the name of a tool"],
    [[7], "name has to be the name of a tool"],
    [[{}], "name has to be a string that is not empty"],
    [[{ nam: "add" }], "name has to be a string that is not empty"],
    [[{ name: "add", args: {} }], "args is no option: there are name, arguments, _meta"],
    [[{ name: "add", arguments: "x" }], "arguments has to be an object"],
    [[{ name: "add" }, undefined, {}], "options come second where the first argument is an object"],
    [["add", null], "args has to be an object"],
    [["add", [1]], "args has to be an object"],
    [["add", {}, null], "options has to be an object"],
  ];
  for (const [args, says] of wrong) {
    assert.throws(
      () => (mcp.callTool as (...all: unknown[]) => unknown)(...args), refused("tools/call", says), says,
    );
  }
  assert.throws(() => mcp.request(undefined as never), refused("request", "method has to be a string"));
  assert.throws(() => mcp.request("x", "y" as never), refused("x", "params has to be an object"));
});

test("a tool is called in the words of the official client as well, and its progress is told", async () => {
  const made: unknown[] = [];
  const call = new Call<unknown>("tools/call", new Backlog(10));
  call.bind(1, {} as CallControl, undefined);
  const mcp = clientOf((...all) => (made.push(all), call));
  const told: unknown[] = [];
  mcp.callTool("add", { a: 1 }, { key: "k" });
  mcp.callTool({ name: "add", arguments: { a: 1 }, _meta: { x: 1, y: 1 } }, {
    meta: { y: 2 }, onprogress: (progress) => told.push(progress),
  });
  assert.deepEqual(made, [
    ["tools/call", "callTool", ["add", { a: 1 }], { key: "k" }],
    ["tools/call", "callTool", ["add", { a: 1 }], { meta: { x: 1, y: 2 } }],
  ]);
  call.deliver(EVENT.progress, 1, `{"progress":1,"total":3,"message":"one"}`);
  call.deliver(EVENT.log, 2, `{"level":"info","data":1}`);
  call.deliver(EVENT.progress, 3, `{"progress":2}`);
  await undefined;
  assert.deepEqual(told, [{ progress: 1, total: 3, message: "one" }, { progress: 2 }]);
  const first = await call[Symbol.asyncIterator]().next();
  assert.equal(first.value.type, "progress", "who iterates has all of it, all the same");
});
