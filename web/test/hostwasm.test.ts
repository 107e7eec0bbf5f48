import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILD } from "../src/base/build.js";
import { PortSession } from "../src/host/worker/portsession.js";
import { agentsWasm } from "../src/agent/agentswasm.js";
import { mcpWasm, runtimes } from "../src/runtime/beside.js";
import { Locks } from "./chance.js";

test("a worker asks for the wasm as soon as a page wants a client, before all else that opens it", () => {
  const { fetch } = globalThis;
  Object.defineProperty(globalThis, "navigator", { value: { locks: new Locks() }, configurable: true });
  try {
    for (
      const [t, file, asked] of [
        ["connect", mcpWasm, "https://app.test/holdfast.wasm"],
        ["agent", agentsWasm, "https://app.test/holdfast-agents.wasm"],
      ] as const
    ) {
      const heard: string[] = [];
      globalThis.fetch = (source) => (heard.push(String(source)), new Promise(() => {}));
      const port = {
        onmessage: null as ((event: { data: object }) => void) | null, start: () => {}, close: () => {},
        postMessage: () => {},
      };
      const never = (): never => {
        heard.push("opens");
        return new Promise(() => {}) as never;
      };
      new PortSession(port as unknown as MessagePort, never, never);
      port.onmessage!({ data: { t: "hello", build: BUILD, lock: "page", outlives: true } });
      port.onmessage!({
        data: {
          t, client: 2, url: "https://far.test/mcp", options: { wasm: asked }, handlers: [], token: false,
          again: false, ifKeys: false,
        },
      });
      assert.deepEqual(heard.slice(0, 1), [asked]);
      runtimes.delete(file.name);
      port.onmessage!({ data: { t: "bye" } });
    }
  } finally {
    globalThis.fetch = fetch;
  }
});
