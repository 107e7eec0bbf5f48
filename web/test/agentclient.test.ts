import assert from "node:assert/strict";
import { test } from "node:test";
import { agentAddress } from "../src/agent/agentaddress.js";
import { coreOptions, type AgentOptions } from "../src/agent/agentoptions.js";
import { CONNECT_AGENT } from "../src/agent/agentoptionkinds.js";
import { diagnoseAgent } from "../src/agent/openagent.js";
import type { TokenSource } from "../src/connect/userstores.js";
import { errorFromGo, HoldfastError } from "../src/base/errors.js";
import { check } from "../src/base/kinds.js";
import type { Open } from "../src/base/mcp.js";
import { AgentRig, isSettled } from "./agentrig.js";

const coded =
  (code: string, named = "") =>
  (error: unknown): boolean =>
    error instanceof HoldfastError && error.code === code && error.message.includes(named);

const HTTP = { url: "https://example.com/acp", transport: "http" } as const;
const SOCKET = { url: "wss://example.com/acp", transport: "websocket" } as const;

test("the address says the transport, or the transport the address", () => {
  assert.deepEqual(agentAddress("https://example.com/acp#x", {}), HTTP);
  assert.deepEqual(agentAddress("wss://example.com/acp", {}), SOCKET);
  assert.deepEqual(agentAddress("https://example.com/acp", { transport: "websocket" }), SOCKET);
  assert.deepEqual(agentAddress("wss://example.com/acp", { transport: "http" }), HTTP);
  assert.equal(agentAddress("ws://localhost:1/acp", { transport: "http" }).url, "http://localhost:1/acp");
});

test("a bad argument is named", () => {
  const bad = [
    [{ version: 3 }, "version"],
    [{ transport: "pigeon" }, "transport"],
    [{ token: "secret" }, "token"],
    [{ principal: 7 }, "principal"],
    [{ input: "maybe" }, "input"],
    [{ signal: {} }, "signal"],
    [{ headers: { "Acp-Session-Id": "x" } }, `headers["Acp-Session-Id"]`],
    [{ timeouts: { answer: -1 } }, "timeouts.answer"],
    [{ limits: { item: 0 } }, "limits.item"],
    [{ handlers: { permission: "allow" } }, "handlers.permission"],
  ] as const;
  for (const [options, name] of bad) {
    const given = options as unknown as AgentOptions;
    const made = (): unknown => {
      check("connectAgent", "options", given, CONNECT_AGENT);
      return coreOptions(agentAddress("https://example.com/acp", given), given);
    };
    assert.throws(made, coded("bad_argument", `connectAgent: ${name} `));
  }
  for (const name of ["headers", "token", "credentials"] as const) {
    assert.throws(
      () => coreOptions(SOCKET, { [name]: () => "" } as AgentOptions),
      coded("bad_argument", `connectAgent: ${name} `),
    );
  }
  for (const url of ["ftp://example.com/", "no url", "https://a:b@example.com/"]) {
    assert.throws(() => agentAddress(url, {}), coded("bad_argument", "connectAgent: url "));
  }
});

test("elicitations are offered where somebody answers them", () => {
  const offered = (options: AgentOptions): unknown =>
    JSON.parse((coreOptions(HTTP, options) as { capabilities: string }).capabilities);
  assert.deepEqual(offered({}), {});
  assert.deepEqual(offered({ handlers: { permission: () => null } }), {});
  assert.deepEqual(offered({ input: "manual" }), { elicitation: { form: {}, url: {} } });
  assert.deepEqual(
    offered({ handlers: { elicitation: () => ({ action: "cancel" }) } }),
    { elicitation: { form: {}, url: {} } },
  );
});

test("an agent says what it is, in the words of version 2", async () => {
  const two: Open = {
    info: { name: "a", version: "1" },
    capabilities: { session: { prompt: { image: {} }, delete: {} }, other: 1 },
    authMethods: [{ methodId: "m", type: "agent", name: "Log in" }],
  };
  const one: Open = {
    agentInfo: { name: "a", version: "1" },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false },
      mcpCapabilities: { http: true },
      sessionCapabilities: { delete: {} },
      other: 1,
    },
    authMethods: [{ id: "m", name: "Log in" }],
  };
  const { agent } = await new AgentRig().open(2, two);
  const old = (await new AgentRig().open(1, one)).agent;
  for (const it of [agent, old]) {
    assert.deepEqual([it.info, it.capabilities["other"]], [{ name: "a", version: "1" }, 1]);
    assert.deepEqual(it.authMethods, [{ methodId: "m", type: "agent", name: "Log in" }]);
    assert.deepEqual([it.capabilities.session?.prompt, it.capabilities.session?.delete], [{ image: {} }, {}]);
  }
  assert.deepEqual([agent.version, old.version], [2, 1]);
  assert.ok(agent.capabilities.session?.close && agent.capabilities.session.list);
  assert.deepEqual(
    old.capabilities.session, { load: {}, delete: {}, prompt: { image: {} }, mcp: { stdio: {}, http: {} } },
  );
});

test("requests have the names of the version", async () => {
  const auth = { authMethods: [{ id: "m", methodId: "m", type: "agent", name: "Log in" }] };
  const cases = [
    [2, { ...auth, capabilities: { session: {} } }, ["auth/login", "auth/logout", "session/resume"]],
    [1, { ...auth, agentCapabilities: { loadSession: true } }, ["authenticate", "logout", "session/load"]],
    [
      1,
      { ...auth, agentCapabilities: { sessionCapabilities: { resume: {} } } },
      ["authenticate", "logout", "session/resume"],
    ],
  ] as const;
  for (const [version, initialize, methods] of cases) {
    const rig = await new AgentRig().open(version, initialize);
    const login = rig.agent.login("m");
    rig.answer({});
    await login;
    const logout = rig.agent.logout();
    rig.answer({});
    await logout;
    const resumed = rig.agent.resumeSession("s1", { cwd: "/w" });
    rig.recall(1, "s1");
    rig.answer({});
    assert.equal((await resumed).id, "s1");
    assert.deepEqual(rig.sent.map(({ method }) => method), methods);
    assert.deepEqual(rig.last.params["replayFrom"], version === 2 ? { type: "start" } : undefined);
    assert.deepEqual([rig.last.params["cwd"], rig.last.params["mcpServers"]], ["/w", []]);
  }
});

test("a list is one page, as the agent gives it", async () => {
  const rig = await new AgentRig().open();
  const page = rig.agent.listSessions({ cwd: "/w", cursor: "c" });
  assert.deepEqual(rig.last.params, { cwd: "/w", cursor: "c" });
  rig.answer({ sessions: [{ sessionId: "s", cwd: "/w" }], nextCursor: "d" });
  assert.deepEqual(await page, { sessions: [{ sessionId: "s", cwd: "/w" }], nextCursor: "d" });
  const broken = rig.agent.listSessions();
  rig.answer({});
  await assert.rejects(broken, coded("protocol_error"));
});

test("closing leaves the agent to its work, unless it is told to end", async () => {
  for (const [options, how] of [
    [{}, "close"],
    [{ terminate: true }, "terminate"],
  ] as const) {
    const rig = await new AgentRig().open();
    rig.recall(1, "s1");
    const [session] = await rig.agent.sessions();
    const waiting = rig.agent.request("x");
    rig.turn(1, "running");
    const end = session!.settled();
    await rig.agent.close(options);
    assert.deepEqual(rig.ended, [how]);
    await assert.rejects(waiting, coded("closed"));
    await assert.rejects(end, coded("closed"));
    assert.equal(session!.closed, true);
    await assert.rejects(rig.agent.request("x"), coded("closed"));
    assert.deepEqual(rig.agent.counters, { cuts: 2 });
  }
});

test("Fault 288: what waits for a token hears that its client has gone", async () => {
  for (const how of ["closed", "failed", "exited"]) {
    let over: AbortSignal | undefined;
    const stores: TokenSource = {
      token: (_opening, signal) => new Promise(() => (over = signal)),
      changed: () => false,
      open: async () => ({ journal: undefined, why: "" }),
    };
    const rig = await new AgentRig({ keeping: { journal: undefined, stores } }).open();
    rig.port.token();
    assert.equal(over?.aborted, false, how);
    if (how === "closed") await rig.agent.close();
    else if (how === "failed") rig.port.state(`{"state":"failed"}`, 0);
    else rig.port.exited(new HoldfastError({ code: "runtime_exited", message: "" }));
    assert.equal(over?.aborted, true, how);
  }
});

test("a failure of the agent's client ends everything with its reason", async () => {
  const rig = await new AgentRig().open();
  rig.recall(1, "s1");
  const [session] = await rig.agent.sessions();
  const loop = (async () => {
    for await (const _ of session!);
  })();
  assert.equal(await isSettled(loop), false);
  rig.port.state(
    JSON.stringify({
      state: "failed", error: { code: "unauthorized", op: "x", status: 401, retryable: false, message: "no" },
    }),
    0,
  );
  await assert.rejects(loop, coded("unauthorized"));
});

test("a connection id that CORS hides is found out, with the header", async () => {
  const failed = errorFromGo({
    code: "protocol_error",
    op: "initialize",
    status: 0,
    retryable: false,
    message: "no id",
    lacks: "Acp-Connection-Id",
  });
  const error = await diagnoseAgent(HTTP, failed, {});
  assert.equal(error.code, "cors_blocked");
  assert.equal(
    error.hint, "https://example.com has to answer with  Access-Control-Expose-Headers: Acp-Connection-Id",
  );
  // What decides is what the core says, and not how it words it.
  const worded = new HoldfastError({
    code: "protocol_error", op: "initialize", message: "the answer has no Acp-Connection-Id",
  });
  assert.equal((await diagnoseAgent(HTTP, worded, {})).code, "protocol_error");
});
