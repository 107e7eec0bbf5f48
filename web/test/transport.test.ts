// The transport for the official clients, spoken to by hand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../src/host/choose/hosts.js";
import { EVENT, OUTCOME } from "../src/base/border.js";
import type { JSONRPCMessage, SendOptions } from "../src/transport/messages.js";
import { answer, type Answering, type TransportCallOptions } from "../src/transport/requests.js";
import { HoldfastTransport } from "../src/transport/transport.js";
import { Origin } from "./bothhosts.js";
import { ready, until } from "./ready.js";

const INITIALIZE = {
  protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "app", version: "1" },
};

/** A signal that knows who listens to it. */
function counted(): { signal: AbortSignal; abort(): void; listeners: Set<unknown> } {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)] as [
    (...all: unknown[]) => void, (...all: unknown[]) => void,
  ];
  signal.addEventListener = (...all: unknown[]) => (listeners.add(all[1]), add(...all));
  signal.removeEventListener = (...all: unknown[]) => (listeners.delete(all[1]), remove(...all));
  return { signal, abort: () => controller.abort(), listeners };
}

test("Fault 549: a signal that lives as long as the app keeps no transport, and no request, that it has served", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const origin = new Origin(host);
    const [life, request] = [counted(), counted()];
    for (let n = 0; n < 3; n++) {
      const transport = new HoldfastTransport("https://mcp.example/mcp", {
        ...origin.options, signal: life.signal,
      });
      const heard: JSONRPCMessage[] = [];
      transport.onmessage = (message: JSONRPCMessage) => void heard.push(message);
      await transport.start();
      const ask = (
        id: number, method: string, params: object, options: SendOptions = { requestSignal: request.signal }
      ): Promise<void> => transport.send({ jsonrpc: "2.0", id, method, params } as JSONRPCMessage, options);
      await ask(1, "initialize", INITIALIZE);
      await until(() => heard.length === 1);
      // One whose signal was aborted before is not sent, and answered by nobody.
      await ask(2, "tools/call", { name: "render", arguments: {} }, { requestSignal: AbortSignal.abort() });
      await ask(3, "tools/call", { name: "other", arguments: {} });
      await until(() => origin.core.calls.length > 0);
      const { id, params } = origin.core.last("tools/call");
      assert.equal(params["name"], "other");
      origin.core.port.settle(id, OUTCOME.result, `{"content":[]}`);
      await until(() => heard.length === 2);
      assert.deepEqual(heard.map(({ id }) => id), [1, 3]);
      await transport.close();
      await ready();
    }
    assert.deepEqual([life.listeners.size, request.listeners.size], [0, 0]);
    life.abort();
  }
});

test("Fault 588: the official Client hears once what the server says of itself on the stream of a call", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const origin = new Origin(host);
    const transport = new HoldfastTransport("https://mcp.example/mcp", origin.options);
    const heard: JSONRPCMessage[] = [];
    transport.onmessage = (message: JSONRPCMessage) => void heard.push(message);
    await transport.start();
    await transport.send(
      { jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE } as JSONRPCMessage,
    );
    await until(() => heard.length === 1);
    await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" } as JSONRPCMessage);
    await transport.send(
      {
        jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "work", arguments: {} },
      } as JSONRPCMessage,
    );
    await until(() => origin.core.calls.length > 0);
    const { id } = origin.core.last("tools/call");
    const methods = [
      "notifications/tools/list_changed", "notifications/resources/updated",
      "notifications/elicitation/complete", "notifications/of/the/call",
    ];
    for (const [at, method] of methods.entries()) {
      const text = JSON.stringify({ jsonrpc: "2.0", method, params: {} });
      if (at < 3) origin.core.port.deliver(0, EVENT.notification, 0, text, 0);
      origin.core.port.deliver(id, EVENT.notification, at + 1, text, 0);
    }
    origin.core.port.settle(id, OUTCOME.result, `{"content":[]}`);
    await until(() => heard.some(({ id }) => id === 2));
    assert.deepEqual(heard.flatMap(({ method }) => method ?? []), methods, host);
    await transport.close();
    await ready();
  }
});

test("Fault 622: what a server tells of lists of its own on the stream of a call, the official Client hears", async () => {
  const origin = new Origin("page");
  const transport = new HoldfastTransport("https://mcp.example/mcp", origin.options);
  const heard: JSONRPCMessage[] = [];
  transport.onmessage = (message: JSONRPCMessage) => void heard.push(message);
  await transport.start();
  await transport.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE } as JSONRPCMessage);
  await until(() => heard.length === 1);
  await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" } as JSONRPCMessage);
  await transport.send(
    {
      jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "work", arguments: {} },
    } as JSONRPCMessage,
  );
  await until(() => origin.core.calls.length > 0);
  const { id } = origin.core.last("tools/call");
  origin.core.port.deliver(
    id, EVENT.notification, 1, `{"jsonrpc":"2.0","method":"notifications/datasets/list_changed"}`, 0,
  );
  origin.core.port.settle(id, OUTCOME.result, `{"content":[]}`);
  await until(() => heard.some(({ id }) => id === 2));
  assert.deepEqual(heard.flatMap(({ method }) => method ?? []), ["notifications/datasets/list_changed"]);
  await transport.close();
  await ready();
});

test("Fault 556: a transport that is closed so many microtasks after its Client has begun leaves no client", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    for (const trace of [undefined, () => undefined]) {
      const origin = new Origin(host);
      // all of it is loaded
      const first = await connect("https://mcp.example/mcp", { ...origin.options, principal: "first" });
      const push = origin.clients.push.bind(origin.clients);
      for (let k = 1; k < 60; k++) {
        const transport = new HoldfastTransport("https://mcp.example/mcp", {
          ...origin.options, principal: `p${k}`, ...(trace && { trace })
        });
        await transport.start();
        const closed = new Promise<void>((resolve) => {
          origin.clients.push = (...made) => {
            void (async () => {
              for (let n = 0; n < k; n++) await undefined;
              resolve(transport.close());
            })();
            return push(...made);
          };
        });
        await transport.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE });
        await closed;
      }
      await until(() => origin.clients.slice(1).every(({ isOver }) => isOver));
      assert.equal(origin.clients[0]!.isOver, false);
      await first.close();
    }
  }
});

test("Fault 768: the official Client gets a resumption token of each request that is kept, and of no other", async () => {
  const call = { id: "kept-1", result: Promise.resolve({}), async *[Symbol.asyncIterator]() {} };
  const mcp = {
    durability: "indexeddb", callTool: () => call, request: () => call,
  } as unknown as Answering["mcp"];
  const tokenOf = async (method: string, options: TransportCallOptions): Promise<string | undefined> => {
    let token: string | undefined;
    const send: SendOptions = { onresumptiontoken: (given) => (token = given) };
    await answer({ id: 1, method, params: { name: "x" } }, {
      mcp, over: new AbortController().signal, send, optionsFor: () => options, tell: () => {},
      report: () => {},
    });
    return token;
  };
  assert.equal(await tokenOf("tools/call", {}), "kept-1");
  assert.equal(await tokenOf("tools/call", { journal: false }), undefined);
  assert.equal(await tokenOf("work/begin", {}), undefined);
  assert.equal(await tokenOf("work/begin", { journal: true }), "kept-1");
  assert.equal(await tokenOf("work/begin", { key: "k" }), "kept-1");
});
