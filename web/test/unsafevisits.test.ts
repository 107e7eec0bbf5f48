// A server, or an agent, asks a person to visit what no page is: a script, a file, an app. Nobody is shown
// it.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ElicitationRequest } from "../src/agent/questions.js";
import { connect } from "../src/host/choose/hosts.js";
import { EVENT, OUTCOME } from "../src/base/border.js";
import type { Open } from "../src/base/mcp.js";
import { unsafeAddress } from "../src/base/safeaddress.js";
import { AgentRig, ready } from "./agentrig.js";
import { Origin } from "./bothhosts.js";
import { settled, until } from "./ready.js";

const UNSAFE: unknown[] = [
  "javascript:alert(1)",
  " javascript:alert(1)",
  "java\nscript:alert(1)",
  "\u0001javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "blob:https://app.test/7c4f",
  "file:///etc/passwd",
  "vscode://extension/install",
  "ms-settings:",
  "not a url",
  "//a.example/",
  "/here",
  "",
  "http://a.example/",
  "http://127.0.0.1:8080/",
  "https://user:word@a.example/",
  "https://a.example@b.example/",
  "https://a.example\\@b.example/",
  "https:// a.example/",
  7,
  null,
  undefined,
  { href: "https://a.example/" },
];

const OPEN = JSON.stringify({
  state: "open", revision: "2025-11-25", session: true,
  initialize: { serverInfo: { name: "core", version: "1" }, capabilities: { tools: {} } },
});

const visit = (url: unknown): Open => ({ mode: "url", elicitationId: "e", message: "Log in", url });
const rounds = (asked: Open): string => JSON.stringify({
  inputRequests: { there: { method: "elicitation/create", params: asked } },
});

test("Fault 734: what a page is, is safe to visit, on this machine in plain where the server is on it", () => {
  for (const url of UNSAFE) assert.ok(unsafeAddress(url, false) !== undefined, String(url));
  for (const url of ["https://a.example/", "https://a.example/path?token=x#there", "HTTPS://A.example"])
    assert.equal(unsafeAddress(url, false), undefined, url);
  for (const url of ["http://localhost:3000/x", "http://127.0.0.1/", "http://[::1]/"]) {
    assert.equal(unsafeAddress(url, true), undefined, url);
    assert.ok(unsafeAddress(url, false) !== undefined, url);
  }
  assert.ok(unsafeAddress("http://a.example/", true) !== undefined);
});

/** A client of a server, whose app is asked `asked`. */
async function asked(host: "page" | "loop" | "shared", options: object = {}) {
  const origin = new Origin(host);
  const asked: Open[] = [];
  const mcp = await connect("https://mcp.example/mcp", {
    ...origin.options,
    ...options,
    handlers: { elicitation: (request) => (asked.push(request), { action: "accept" }) },
  });
  await until(() => mcp.state === "open");
  origin.core.port.state(OPEN, 0);
  const told: { what: string; cause?: string }[] = [];
  mcp.on("integrity", (event) => told.push(event));
  return { mcp, core: origin.core, asked, told };
}

test("Fault 734: a visit to what is no page is answered with cancel, counted and told, however a server asks for it, in both hosts", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const { mcp, core, asked: shown, told } = await asked(host);
    const { port, calls } = core;
    let n = 0;
    for (const url of UNSAFE) {
      port.deliver(
        0, EVENT.request, 100 + n,
        JSON.stringify({ id: `r${n}`, method: "elicitation/create", params: visit(url) }), 0,
      );
      await until(() => core.responses.length === n + 1);
      assert.deepEqual(
        core.responses[n], { request: 100 + n, ok: true, value: { action: "cancel" } }, String(url),
      );
      n++;
      await until(() => told.length === n);
    }
    assert.ok(told.every(({ what }) => what === "unsafe_visit"), JSON.stringify(told));
    assert.ok(!JSON.stringify(told).match(/alert|passwd|word/), JSON.stringify(told));
    // In a result, or a task's state: the other request is answered by the app.
    const call = mcp.callTool("t", {}, { journal: false });
    await until(() => calls.length === 1);
    const both = {
      inputRequests: {
        there: { method: "elicitation/create", params: visit("javascript:alert(1)") },
        form: {
          method: "elicitation/create",
          params: { message: "m", requestedSchema: { type: "object", properties: {} } },
        },
      },
    };
    port.deliver(calls[0]!.id, EVENT.input, 1, JSON.stringify(both), 0);
    await until(() => core.answers.length === 1);
    assert.deepEqual(core.answers[0], {
      call: calls[0]!.id,
      value: [1, { there: { action: "cancel" }, form: { action: "accept", content: {} } }],
    });
    assert.equal(shown.length, 1);
    port.settle(calls[0]!.id, OUTCOME.result, `{"content":[]}`);
    await call.result;
    // In an error that names a page.
    const next = mcp.callTool("t", {}, { journal: false });
    await until(() => calls.length === 2);
    port.settle(
      calls[1]!.id, OUTCOME.visitRequired,
      JSON.stringify({ code: -32042, message: "first", data: { elicitations: [visit("data:text/html,x")] } }),
    );
    await assert.rejects(next.result, (error) => String(error).includes("first"));
    await until(() => told.length === n + 2);
    assert.deepEqual([calls.length, shown.length], [2, 1]);
    await until(() => mcp.counters.unsafeVisits === n + 2);
    // One that is a page is shown.
    port.deliver(
      0, EVENT.request, 99,
      JSON.stringify({ id: "last", method: "elicitation/create", params: visit("https://a.example/#x") }), 0,
    );
    await until(() => shown.length === 2);
    await mcp.close();
  }
});

test("Fault 734: an app that answers itself is not shown a visit to what is no page either, in both hosts", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const { mcp, core, told } = await asked(host);
    const { port, calls } = core;
    const call = mcp.callTool("t", {}, { journal: false, input: "manual" });
    const seen: string[][] = [];
    void (async () => {
      for await (const event of call) if (event.type === "input") seen.push([...event.requests.keys()]);
    })().catch(() => {});
    await until(() => calls.length === 1);
    const { id } = calls[0]!;
    port.deliver(id, EVENT.input, 1, rounds(visit("javascript:alert(1)")), 0);
    await until(() => core.answers.length === 1);
    assert.deepEqual(core.answers[0], { call: id, value: [1, { there: { action: "cancel" } }] });
    const { inputRequests } = JSON.parse(rounds(visit("file:///x"))) as { inputRequests: Open };
    port.deliver(
      id, EVENT.input, 2,
      JSON.stringify({
        inputRequests: { ...inputRequests, form: { method: "elicitation/create", params: { message: "m" } } },
        drafts: {},
      }),
      0,
    );
    await until(() => seen.length === 1);
    assert.deepEqual(seen, [["form"]]);
    call.answer({ form: { action: "decline" } });
    await until(() => core.answers.length === 2);
    assert.deepEqual(core.answers[1], {
      call: id, value: [2, { form: { action: "decline" }, there: { action: "cancel" } }],
    });
    await until(() => told.length === 2);
    port.settle(id, OUTCOME.result, `{"content":[]}`);
    await call.result;
    await mcp.close();
  }
});

test("Fault 734: a request of an agent to visit what is no page is answered with cancel, counted and told, in a session and outside of all", async () => {
  const shown: unknown[] = [];
  const rig = await new AgentRig(
    {
      handlers: { elicitation: (request) => (shown.push(request), { action: "accept" as const }) },
      elicits: true,
    },
  ).open();
  rig.recall(1, "s1", { owned: true });
  const session = (await rig.agent.sessions())[0]!;
  const requests: unknown[] = [];
  const told: string[] = [];
  rig.agent.on("request", ({ request }) => requests.push(request));
  session.on("request", ({ request }) => requests.push(request));
  rig.agent.on("integrity", ({ what }) => told.push(what));
  session.on("integrity", ({ what }) => told.push(what));
  let n = 0;
  for (const url of UNSAFE) {
    for (const at of [0, 1]) {
      rig.tell(
        at, "question",
        {
          method: "elicitation/create",
          params: { ...visit(url), ...(at ? { sessionId: "s1" } : { requestId: 1 }) },
        },
        ++n,
      );
      await ready();
    }
  }
  await settled();
  assert.deepEqual(
    rig.responses,
    Array.from({ length: n }, (_, i) => ({ request: i + 1, ok: true, value: { action: "cancel" } })),
  );
  assert.deepEqual(
    [shown, requests, session.requests, told.length, new Set(told)],
    [[], [], [], n, new Set(["unsafe_visit"])],
  );
  assert.equal(rig.agent.counters["unsafeVisits"], n);
  rig.tell(
    1, "question",
    { method: "elicitation/create", params: { ...visit("https://a.example/"), sessionId: "s1" } }, 900,
  );
  await ready();
  assert.equal((requests[0] as ElicitationRequest).url, "https://a.example/");
});
