import assert from "node:assert/strict";
import { test } from "node:test";
import { HoldfastError } from "../src/base/errors.js";
import { testServer, type TestServer } from "../packages/testing/testserver.js";

const post = (server: TestServer, message: object, headers: Record<string, string> = {}): Promise<Response> =>
  server.fetch(server.url, {
    method: "POST", headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });

/** A session; the header fields that name it. */
async function session(server: TestServer): Promise<Record<string, string>> {
  const response = await post(server, { id: 1, method: "initialize", params: {} });
  return { "mcp-session-id": response.headers.get("mcp-session-id")! };
}

const slow = (): {
  tool: {
    run: (args: object, context: { progress(n: number): void; signal: AbortSignal }) => Promise<string>,
  };
  go: () => void;
  signals: AbortSignal[]
} => {
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => (go = resolve));
  const signals: AbortSignal[] = [];
  return {
    go: () => go(),
    signals,
    tool: {
      run: async (_, { progress, signal }) => {
        signals.push(signal);
        progress(1);
        await gate;
        progress(2);
        return "done";
      },
    },
  };
};

test("a call's stream has its progress and result, each event with an id; a client that was cut gets the rest, and the tool runs once", async () => {
  const { tool, go } = slow();
  const server = testServer({ tools: { slow: tool } });
  const headers = await session(server);
  const call = await post(
    server,
    {
      id: 2, method: "tools/call", params: { name: "slow", arguments: { a: 1 }, _meta: { progressToken: 2 } },
    },
    headers,
  );
  const reader = call.body!.pipeThrough(new TextDecoderStream() as never).getReader();
  let had = "";
  while (!had.includes('"progress":1')) had += String((await reader.read()).value);
  server.cut();
  await assert.rejects(reader.read(), (error) => error instanceof TypeError);
  go();
  const last = /id: (s\d+-\d+)\n(?![^]*id: )/.exec(had)![1]!;
  const rest = await (
    await server.fetch(server.url, { headers: { ...headers, "last-event-id": last } })
  ).text();
  assert.ok(
    !rest.includes('"progress":1') && rest.includes('"progress":2') && rest.includes('"text":"done"'), rest,
  );
  assert.deepEqual(server.calls, [{ tool: "slow", arguments: { a: 1 }, meta: { progressToken: 2 } }]);
});

test("a server that is down, or has lost its sessions, says so as one does", async () => {
  const server = testServer();
  const headers = await session(server);
  server.down();
  await assert.rejects(
    post(server, { id: 2, method: "ping" }, headers), (error) => error instanceof TypeError,
  );
  server.up();
  assert.equal((await post(server, { id: 2, method: "ping" }, headers)).status, 200);
  server.loseSession();
  assert.equal((await post(server, { id: 3, method: "ping" }, headers)).status, 404);
  assert.equal((await post(server, { id: 4, method: "ping" })).status, 400);
  assert.equal((await server.fetch("https://elsewhere.test/", {})).status, 404);
});

test("two clients with one request id: a cancel ends the call of its session alone", async () => {
  const { tool, go, signals } = slow();
  const server = testServer({ tools: { slow: tool } });
  const [one, two] = [await session(server), await session(server)];
  for (const headers of [one, two])
    void post(server, { id: 2, method: "tools/call", params: { name: "slow" } }, headers);
  while (signals.length < 2) await new Promise((resolve) => setTimeout(resolve, 0));
  await post(server, { method: "notifications/cancelled", params: { requestId: 2 } }, two);
  assert.deepEqual(signals.map(({ aborted }) => aborted), [false, true]);
  go();
});

test("a tool that throws has failed; one that is not there is an error; a list says what there is now", async () => {
  const server = testServer({
    tools: { broken: { run: () => Promise.reject(new Error("out of paper")), description: "Prints." } },
  });
  const headers = await session(server);
  const failed = await (
    await post(server, { id: 2, method: "tools/call", params: { name: "broken" } }, headers)
  ).text();
  assert.ok(failed.includes('"isError":true') && failed.includes("out of paper"));
  assert.ok(
    (
      await (await post(server, { id: 3, method: "tools/call", params: { name: "none" } }, headers)).text()
    ).includes("-32602"),
  );
  server.setTool("more", { run: () => "more", annotations: { readOnlyHint: true } });
  server.setTool("broken", undefined);
  const { result } = (
    await (await post(server, { id: 4, method: "tools/list" }, headers)).json()
  ) as { result: { tools: unknown } };
  assert.deepEqual(
    result.tools, [{ name: "more", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
  );
});

test("each client hears of a change once, and one that comes later of none before", async () => {
  const server = testServer();
  const listen = async (): Promise<() => Promise<string>> => {
    const response = await server.fetch(server.url, {
      headers: { ...(await session(server)), accept: "text/event-stream" },
    });
    const reader = response.body!.getReader();
    await reader.read(); // what it can come back by
    return async () => new TextDecoder().decode((await reader.read()).value);
  };
  const first = await listen();
  server.setTool("a", { run: () => "a" });
  const second = await listen();
  server.setTool("b", { run: () => "b" });
  for (const next of [first, first, second])
    assert.ok((await next()).includes("notifications/tools/list_changed"));
  const rest = await Promise.race(
    [second(), new Promise<string>((resolve) => setTimeout(() => resolve("nothing"), 20))],
  );
  assert.equal(rest, "nothing");
});

test("what a test gets wrong is named", async () => {
  const bad = (word: string) => (error: unknown): boolean => error instanceof HoldfastError &&
    error.code === "bad_argument" && error.message.includes(word);
  assert.throws(() => testServer({ tool: {} } as never), bad("tool is no option"));
  assert.throws(() => testServer({ tools: { x: {} as never } }), bad("tools.x.run"));
  assert.throws(() => testServer().setTool("x", 7 as never), bad("tools.x.run"));
  await assert.rejects(testServer().reload({} as never), bad("client"));
});
