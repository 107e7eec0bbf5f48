// The transport for the official clients, spoken to by hand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { OUTCOME } from "../src/shared/border.js";
import type { JSONRPCMessage, SendOptions } from "../src/transport/messages.js";
import { HoldfastTransport } from "../src/transport/transport.js";
import { Origin } from "./bothhosts.js";
import { ready, until } from "./ready.js";

const INITIALIZE = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "app", version: "1" } };

/** A signal that knows who listens to it. */
function counted(): { signal: AbortSignal; abort(): void; listeners: Set<unknown> } {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)] as [(...all: unknown[]) => void, (...all: unknown[]) => void];
  signal.addEventListener = (...all: unknown[]) => (listeners.add(all[1]), add(...all));
  signal.removeEventListener = (...all: unknown[]) => (listeners.delete(all[1]), remove(...all));
  return { signal, abort: () => controller.abort(), listeners };
}

test("Fault 549: a signal that lives as long as the app keeps no transport, and no request, that it has served", async () => {
  for (const host of ["page", "shared"] as const) {
    const origin = new Origin(host);
    const [life, request] = [counted(), counted()];
    for (let n = 0; n < 3; n++) {
      const transport = new HoldfastTransport("https://mcp.example/mcp", { ...origin.options, signal: life.signal });
      const heard: JSONRPCMessage[] = [];
      transport.onmessage = (message: JSONRPCMessage) => void heard.push(message);
      await transport.start();
      const ask = (id: number, method: string, params: object, options: SendOptions = { requestSignal: request.signal }): Promise<void> => transport.send({ jsonrpc: "2.0", id, method, params } as JSONRPCMessage, options);
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
