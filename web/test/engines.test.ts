// What browsers other than Chromium do otherwise, as far as this page meets it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientBackend } from "../src/client/backend.js";
import { Connection } from "../src/client/connection.js";
import { commonCore } from "../src/connect/commonoptions.js";
import { outgoing } from "../src/client/outgoing.js";
import { CoreCall } from "../src/client/corecall.js";
import { Backlog } from "../src/base/backlog.js";
import { hasBroadcast } from "../src/tabs/broadcast.js";
import { Channel } from "../src/tabs/channel.js";

/** Runs `work` with a property of the global object being something else. */
async function withGlobal(name: string, value: unknown, work: () => unknown): Promise<void> {
  const was = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  try {
    await work();
  } finally {
    if (was) Object.defineProperty(globalThis, name, was);
    else delete (globalThis as Record<string, unknown>)[name];
  }
}

const userAgents: [what: string, userAgent: string, late: boolean][] = [
  ["Firefox", "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0", true],
  ["Firefox for Android", "Mozilla/5.0 (Android 16; Mobile; rv:153.0) Gecko/153.0 Firefox/153.0", true],
  [
    "Chrome",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
    false,
  ],
  [
    "Safari",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 " +
      "Safari/605.1.15",
    false,
  ],
  [
    "Firefox for iOS, which is WebKit",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
      "FxiOS/153.0 Mobile/15E148 Safari/604.1",
    false,
  ],
];

test("Fault 435: of Firefox the core knows that it tells of an answer with the first byte of its body", async () => {
  for (const [what, userAgent, late] of userAgents) {
    await withGlobal(
      "navigator", { userAgent }, () => assert.equal(commonCore("connect", {}).lateHeads, late, what),
    );
  }
  await withGlobal("navigator", undefined, () => assert.equal(commonCore("connect", {}).lateHeads, false));
});

test("Fault 437: a browser that has BroadcastChannel and refuses each one is one without", async () => {
  class Refused {
    constructor() {
      throw new DOMException("The operation is insecure.", "SecurityError");
    }
  }
  await withGlobal("BroadcastChannel", Refused, () => {
    assert.equal(hasBroadcast(), false);
    const heard: unknown[] = [];
    const channel = new Channel("http://x/", "a", (_, message) => heard.push(message));
    channel.send({ kind: "ping", to: "b" });
    channel.close();
    assert.deepEqual(heard, []);
  });
  assert.equal(hasBroadcast(), true);
});

test("Fault 438: where nothing is kept persist() asks nobody, and says no", async () => {
  let asked = 0;
  const persist = (): Promise<boolean> => (asked++, new Promise(() => {})); // a prompt that nobody answers
  const backend = (durability: "memory" | "indexeddb"): ClientBackend => ({
    facts: { url: "http://x/", durability },
  }) as unknown as ClientBackend;
  await withGlobal("navigator", { storage: { persist } }, async () => {
    assert.equal(await new Connection(backend("memory")).persist(), false);
    assert.equal(asked, 0);
    void new Connection(backend("indexeddb")).persist();
    assert.equal(asked, 1);
  });
  await withGlobal(
    "navigator", { storage: { persist: async () => true } },
    async () => assert.equal(await new Connection(backend("indexeddb")).persist(), true),
  );
  // WebKitGTK has no navigator.storage
  await withGlobal(
    "navigator", {}, async () => assert.equal(await new Connection(backend("indexeddb")).persist(), false),
  );
});

test("Fault 439: a call is of the same moment for its page, for the core and for a worker", () => {
  const defaults = { ack: "auto", rerun: "hinted" } as never;
  const before = Date.now();
  const { made } = outgoing("tools/call", {}, {}, defaults).times;
  assert.ok(made >= before && made <= Date.now());
  assert.equal(
    outgoing("tools/call", {}, { madeAt: 5 } as never, defaults).times.made, 5,
    "a page has made it, and tells its worker",
  );
  assert.ok(outgoing("tools/call", {}, { madeAt: NaN } as never, defaults).times.made >= before);

  const backlog = new Backlog(1, 1, 1);
  const shared = new CoreCall("tools/call", backlog, false, "{}", { madeAt: 7 });
  const shown = shared.show(
    {
      backlog, newCall: (...all: never[]) => new CoreCall(...(all as unknown as [string, Backlog])),
      rerun: () => {},
    } as never,
  );
  assert.deepEqual([shared.createdAt, shown.createdAt, shown.restored], [7, 7, false]);
});
