import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILD } from "../src/base/build.js";
import { PortSession } from "../src/host/worker/portsession.js";
import type { HostMessage } from "../src/host/wire/protocol.js";
import { Locks } from "./chance.js";
import { settled, until } from "./ready.js";

test("Fault 451: a worker that outlives its pages makes no trial of keys, and its first page waits for none", async () => {
  let trials = 0;
  const indexedDB = { open: () => (trials++, {}) }; // one that hangs
  const locks = new Locks();
  for (const [name, value] of Object.entries({ indexedDB, navigator: { locks } }))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  const heard: HostMessage[] = [];
  const port = {
    onmessage: null as ((event: { data: object }) => void) | null, start: () => {}, close: () => {},
    postMessage: (message: HostMessage) => void heard.push(message),
  };
  new PortSession(port as unknown as MessagePort);
  let release = (): void => {};
  void locks.request("page", () => new Promise<void>((resolve) => (release = resolve)));
  port.onmessage!({ data: { t: "hello", build: BUILD, lock: "page", outlives: true } });
  await until(() => heard.length > 0);
  await settled();
  const [first] = heard;
  assert.deepEqual([first?.t === "welcome" && first.keys, trials], [true, 0]);
  port.onmessage!({ data: { t: "bye" } });
  release();
});
