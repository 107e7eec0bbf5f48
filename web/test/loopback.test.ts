// What a page and its host count on of the port between them: the same of a loopback, and of a MessagePort.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { type HostPort, loopback } from "../src/host/wire/loopback.js";
import { tasks } from "./ready.js";

const ports: MessagePort[] = [];
/** Ports that are open keep Node from its end. */
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** Both ends of each kind of port. */
function pairs(): [string, HostPort, HostPort][] {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1);
  return [["loopback", ...loopback()], ["MessagePort", port1, port2]];
}

const data = (take: (data: unknown) => void): HostPort["onmessage"] => (event) => take(event.data);

test("a port takes one message at a time, in their order, and none before it listens", async () => {
  for (const [, page, host] of pairs()) {
    const taken: unknown[] = [];
    page.postMessage({ n: 1 });
    await tasks(2);
    host.onmessage = data((message) => {
      const { n } = message as { n: number };
      taken.push(`in ${n}`);
      if (n === 2) page.postMessage({ n: 3 });
      taken.push(`out ${n}`);
    });
    host.start();
    page.postMessage({ n: 2 });
    await tasks(3);
    assert.deepEqual(taken, [1, 2, 3].flatMap((n) => [`in ${n}`, `out ${n}`]));
  }
});

test("what a listener says, and what it does with its port, comes behind what it was called for", async () => {
  for (const [kind, page, host] of pairs()) {
    const said: string[] = [];
    host.onmessage = data((message) => {
      const { t } = message as { t: string };
      said.push(t);
      if (said.length === 1) host.postMessage({ t: "event" });
      if (t !== "close") return;
      host.onmessage = null;
      host.close();
    });
    page.onmessage = data(() => {
      // A handler that makes, cancels and closes within a delivery.
      for (const t of ["make", "cancel", "close", "late"]) page.postMessage({ t });
      said.push("handled");
    });
    for (const port of [host, page]) port.start();
    page.postMessage({ t: "make" });
    await tasks(4);
    assert.deepEqual(said, ["make", "handled", "make", "cancel", "close"], kind);
  }
});

test("a listener that throws is reported, and what comes behind it is taken", async () => {
  const reported: unknown[] = [];
  const report = globalThis.reportError;
  globalThis.reportError = (error) => void reported.push(error);
  try {
    const [page, host] = loopback();
    const taken: unknown[] = [];
    const slip = new TypeError("slip");
    host.onmessage = data((message) => {
      taken.push(message);
      if (taken.length === 1) throw slip;
    });
    page.postMessage({ n: 1 });
    page.postMessage({ n: 2 });
    assert.deepEqual([reported, taken], [[slip], [{ n: 1 }, { n: 2 }]]);
  } finally {
    globalThis.reportError = report;
  }
});

test("a loopback hands over in the same task what was posted, and not a copy", () => {
  const [page, host] = loopback();
  const heads = new Uint32Array(4);
  let taken: unknown;
  page.onmessage = data((message) => (taken = message));
  const posted = { t: "events", heads };
  host.postMessage(posted, [heads.buffer]);
  assert.equal(taken, posted);
  assert.equal(heads.length, 4); // nothing was transferred
});
