// What a page's stores show where a client's user changes under the components that are mounted.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Agent } from "../src/agent/agent.js";
import type { AgentEvents } from "../src/agent/agentevents.js";
import { connect } from "../src/host/choose/hosts.js";
import { EVENT, OUTCOME } from "../src/base/border.js";
import type { StateEvent } from "../src/base/clientstate.js";
import { Listeners } from "../src/base/listeners.js";
import { observeAgentSession } from "../packages/observe/agentstores.js";
import { findCall, observeCall, observeCalls, observeTools } from "../packages/observe/stores.js";
import { type CoreCall, Origin } from "./bothhosts.js";
import { settled, until } from "./ready.js";

const tokenOf = (sub: string): string => `h.${btoa(JSON.stringify({ iss: "i", sub }))}.s`;

test("Fault 551: what the calls of one user have come to is not shown to the next user of the page", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    for (const pages of [1, 2]) {
      const origin = new Origin(host);
      let user = "ada";
      const connected = (token: () => Promise<string>): ReturnType<typeof connect> =>
        connect("https://mcp.example/mcp", { ...origin.options, token });
      // a user of the same client, who stays
      const other = pages === 2 ? await connected(async () => tokenOf("ada")) : undefined;
      const mcp = await connected(async () => tokenOf(user));
      origin.core.port.token();
      await settled();
      const [list, found] = [observeCalls(mcp), findCall(mcp, "report")];
      const stops = [list.onChange(() => {}), found.subscribe(() => {})];
      const call = mcp.callTool("report", {}, { key: "report" });
      await until(() => origin.core.calls.length > 0);
      origin.core.port.settle(
        origin.core.last("tools/call").id, OUTCOME.result, `{"content":[{"type":"text","text":"of ada"}]}`,
      );
      await call.result;
      await until(() => found.snapshot().state === "completed");
      assert.equal(list.snapshot().calls.length, 1, "what has ended stays to be seen");
      let changes = 0;
      mcp.on("state", ({ anotherUser }) => (changes += anotherUser ? 1 : 0));
      user = "bob"; // has signed in, and the provider is asked again
      origin.core.port.token();
      await until(() => changes > 0);
      await settled();
      assert.deepEqual(
        [list.snapshot().calls.length, found.snapshot().state, found.snapshot().result],
        [0, "missing", undefined],
        `${host}, ${pages}`,
      );
      for (const stop of stops) stop();
      await Promise.all([mcp.close(), other?.close()]);
    }
  }
});

test("Fault 551: the tools that one user had are not shown to the next user of the page, who has a list of their own", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    for (const isThere of [false, true]) {
      const origin = new Origin(host);
      let user = "ada";
      const connected = (token: () => Promise<string>): ReturnType<typeof connect> =>
        connect("https://mcp.example/mcp", { ...origin.options, token });
      // of the next user, and one who stays
      const others = isThere
        ? [await connected(async () => tokenOf("bob")), await connected(async () => tokenOf("ada"))]
        : [];
      const mcp = await connected(async () => tokenOf(user));
      origin.core.port.token();
      await settled();
      const answered = new Set<CoreCall>();
      /** Answers each list that is asked for; whether there was one. */
      const answers = (tool: string): boolean => {
        const asked = origin.clients.flatMap(
          (core) => core.calls.filter((call) => call.method === "tools/list" && !answered.has(call)).map(
            (call) => ({ core, call }),
          ),
        );
        for (const { core, call } of asked)
          core.port.settle(
            (answered.add(call), call.id),
            OUTCOME.result,
            JSON.stringify({ tools: [{ name: tool, inputSchema: { type: "object" } }] }),
          );
        return asked.length > 0;
      };
      const tools = observeTools(mcp);
      const names = (): string[] => tools.snapshot().tools.map(({ name }) => name);
      const stop = tools.onChange(() => {});
      await until(() => answers("of-ada"));
      await until(() => names().length > 0);
      let changes = 0;
      mcp.on("state", ({ anotherUser }) => (changes += anotherUser ? 1 : 0));
      user = "bob"; // has signed in, and the provider is asked again
      origin.clients.at(-1)!.port.token();
      await until(() => changes > 0);
      await settled();
      assert.deepEqual(names(), [], `${host}, ${isThere}`);
      if (isThere) {
        assert.equal(tools.snapshot().state, "loading");
        await until(() => (answers("of-bob"), names().includes("of-bob")));
      }
      stop();
      await Promise.all([mcp, ...others].map((client) => client.close()));
    }
  }
});

test("Fault 551: the calls that the next user has already are shown, where that user has a client open", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const origin = new Origin(host);
    let user = "ada";
    const connected = (token: () => Promise<string>): ReturnType<typeof connect> =>
      connect("https://mcp.example/mcp", { ...origin.options, token });
    const bobs = await connected(async () => tokenOf("bob"));
    const call = bobs.callTool("report", {}, { key: "report" });
    await until(() => origin.core.calls.length > 0);
    // whoever leaves a client alone takes it along
    const staying = await connected(async () => tokenOf("ada"));
    const mcp = await connected(async () => tokenOf(user));
    origin.core.port.token();
    await settled();
    const list = observeCalls(mcp);
    const stop = list.onChange(() => {});
    await until(() => list.snapshot().state === "ready");
    assert.equal(list.snapshot().calls.length, 0, host);
    user = "bob";
    origin.core.port.token();
    await until(() => list.snapshot().calls.length > 0);
    assert.deepEqual(list.snapshot().calls.map(({ key, id }) => [key, id]), [["report", call.id]], host);
    stop();
    await Promise.all([mcp.close(), staying.close(), bobs.close()]);
  }
});

test("Fault 551: the session of one user with an agent is not shown to the next user of the page", async () => {
  const listeners = new Listeners<Pick<AgentEvents, "session" | "state">>();
  const session = {
    id: "s",
    closed: false,
    state: "idle",
    title: "of ada",
    transcript: [{}],
    pending: [],
    requests: [],
    stopReason: undefined,
    on: () => () => {},
  };
  const agent = {
    sessions: async () => (session.closed ? [] : [session]),
    on: (event: "state", listener: (event: StateEvent) => void) => listeners.add(event, listener),
  };
  for (const id of [undefined, "s"]) {
    session.closed = false;
    const store = observeAgentSession(agent as unknown as Agent, id);
    const stop = store.onChange(() => {});
    await until(() => store.snapshot().state === "idle");
    session.closed = true; // with its user
    listeners.emit("state", { state: "reconnecting", anotherUser: true });
    await until(() => store.snapshot().state !== "idle");
    assert.deepEqual(
      [store.snapshot().state, store.snapshot().title, store.snapshot().transcript],
      ["missing", undefined, []],
    );
    stop();
  }
});

test("Fault 596: the session of an agent whose client is closed, or whose data were deleted, is not shown any more, nor drawn by the next component", async () => {
  for (const isMounted of [true, false]) {
    const listeners = new Listeners<Pick<AgentEvents, "session" | "state">>();
    const session = {
      id: "s",
      closed: false,
      state: "idle",
      title: "of ada",
      transcript: [{}],
      pending: [],
      requests: [],
      stopReason: undefined,
      on: () => () => {},
    };
    const agent = {
      sessions: async () => (session.closed ? [] : [session]),
      on: (event: "state", listener: (event: StateEvent) => void) => listeners.add(event, listener),
    };
    const store = observeAgentSession(agent as unknown as Agent);
    let stop = store.onChange(() => {});
    await until(() => store.snapshot().state === "idle");
    if (!isMounted) stop();
    session.closed = true;
    listeners.emit("state", { state: "closed" });
    await settled();
    assert.deepEqual([store.snapshot().title, store.snapshot().transcript], [undefined, []]);
    if (!isMounted) stop = store.onChange(() => {});
    await until(() => store.snapshot().state === "missing");
    stop();
  }
});

test("Fault 603: the session of one user with an agent is not drawn for the next, who has come while no component was mounted, nor by a look that was under way", async () => {
  const listeners = new Listeners<Pick<AgentEvents, "session" | "state">>();
  const [ada, bob] = ["ada", "bob"].map(
    (title) => ({
      id: title,
      closed: false,
      state: "idle",
      title,
      transcript: [{}],
      pending: [],
      requests: [],
      stopReason: undefined,
      on: () => () => {},
    }),
  );
  const looks: ((sessions: unknown[]) => void)[] = [];
  const agent = {
    sessions: () => new Promise((resolve) => looks.push(resolve)),
    on: (event: "state", listener: (event: StateEvent) => void) => listeners.add(event, listener),
  };
  const store = observeAgentSession(agent as unknown as Agent);
  let stop = store.onChange(() => {});
  looks[0]!([ada]);
  await until(() => store.snapshot().title === "ada");
  stop();
  assert.equal(
    store.snapshot().title, "ada", "a component that is mounted again is drawn with what is there",
  );
  listeners.emit("state", { state: "reconnecting", anotherUser: true });
  await settled();
  assert.deepEqual([store.snapshot().state, store.snapshot().title], ["looking", undefined]);
  stop = store.onChange(() => {});
  listeners.emit("state", { state: "reconnecting", anotherUser: true }); // while it looks
  await settled();
  looks[1]!([ada]);
  looks[2]!([bob]);
  await until(() => store.snapshot().session !== undefined);
  assert.equal(store.snapshot().title, "bob", "what the next user has already");
  stop();
});

test("Fault 605: a question that is answered in one page, or by one client, is shown by no other", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const origin = new Origin(host);
    const asks = await connect("https://mcp.example/mcp", origin.options);
    const call = asks.callTool("report", {}, { key: "report", input: "manual" });
    await until(() => origin.core.calls.some(({ method }) => method === "tools/call"));
    const looksOn = await connect(
      "https://mcp.example/mcp",
      { ...origin.options, ...(host === "shared" && { worker: "https://app.test/other/worker.mjs" }) },
    );
    const stores = [observeCall(call), findCall(looksOn, "report")];
    const stops = stores.map((store) => store.onChange(() => {}));
    await until(() => stores[1]!.snapshot().call !== undefined);
    const ask = (): void => origin.core.port.deliver(
      origin.core.last("tools/call").id,
      EVENT.input,
      0,
      `{"inputRequests":{"who":{"method":"elicitation/create","params":{}}}}`,
      0,
    );
    for (const [one, other] of [[0, 1], [1, 0]] as const) {
      ask();
      await until(() => stores.every((store) => store.snapshot().state === "input_required"));
      stores[one]!.snapshot().answer({ who: { action: "accept" } });
      await until(() => stores[one]!.snapshot().state === "working");
      await until(() => stores[other]!.snapshot().state === "working");
      assert.equal(stores[other]!.snapshot().input, undefined, host);
    }
    for (const stop of stops) stop();
    await Promise.all([asks.close(), looksOn.close()]);
  }
});
