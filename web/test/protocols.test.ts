import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionStreams } from "../src/agent/sessionstreams.js";
import { Connections } from "../src/tabs/connections.js";
import { isOld, presumeOld, watchProtocol } from "../src/tabs/protocols.js";
import { Streams } from "../src/tabs/streams.js";
import { EVENT, StreamState } from "../src/base/border.js";
import type { Runtime } from "../src/runtime/runtime.js";

type Entry = { name: string; nextHopProtocol?: string; transferSize?: number };
const entries: { navigation: Entry[]; resource: Entry[] } = { navigation: [], resource: [] };
(performance as { getEntriesByType(type: string): unknown }).getEntriesByType = (type) => entries[type as "navigation" | "resource"];

/** The observers of this page: a browser has as many as it is asked for. */
const observers = new Set<FakeObserver>();
class FakeObserver {
  readonly tell: (list: { getEntries(): Entry[] }) => void;
  constructor(tell: (list: { getEntries(): Entry[] }) => void) {
    this.tell = tell;
  }
  observe(): void {
    observers.add(this);
  }
  disconnect(): void {
    observers.delete(this);
  }
}
globalThis.PerformanceObserver = FakeObserver as unknown as typeof PerformanceObserver;
const answered = (url: string, nextHopProtocol: string, transferSize = 300): void => {
  for (const { tell } of observers) tell({ getEntries: () => [{ name: url, nextHopProtocol, transferSize }] });
};

test("an origin behind https is short of connections only where an answer of its own has said so", () => {
  assert.equal(isOld("http://a.test/mcp"), true); // no browser speaks HTTP/2 without TLS
  assert.equal(isOld("https://a.test/mcp"), false);
  entries.navigation = [{ name: "https://own.test/app", nextHopProtocol: "http/1.1", transferSize: 900 }];
  assert.equal(isOld("https://own.test/mcp"), true); // the page itself came by it
  entries.resource = [{ name: "https://own.test/later.mjs", nextHopProtocol: "h3", transferSize: 900 }];
  assert.equal(isOld("https://own.test/mcp"), false); // the last answer counts
  entries.navigation = [];
  entries.resource = [
    { name: "https://b.test/mcp", nextHopProtocol: "", transferSize: 0 }, // no Timing-Allow-Origin
    { name: "https://b.test/cached.mjs", nextHopProtocol: "http/1.1", transferSize: 0 }, // of a day before
    { name: "https://b.test.other/x", nextHopProtocol: "http/1.1", transferSize: 300 },
    { name: "https://b.test:8443/x", nextHopProtocol: "http/1.1", transferSize: 300 },
  ];
  assert.equal(isOld("https://b.test/mcp"), false);
});

test("what an earlier page has learned counts until this one learns something", () => {
  entries.resource = [];
  presumeOld("https://c.test/mcp");
  assert.equal(isOld("https://c.test/mcp"), true);
  entries.resource = [{ name: "https://c.test/mcp", nextHopProtocol: "h2", transferSize: 300 }];
  assert.equal(isOld("https://c.test/mcp"), false);
  presumeOld("https://c.test/mcp");
  assert.equal(isOld("https://c.test/mcp"), false);
});

test("whoever watches is told of a change, once, and nobody observes for nobody", () => {
  let told = 0;
  const end = watchProtocol("https://d.test/mcp", () => told++);
  const other = watchProtocol("https://e.test/mcp", () => assert.ok(false, "nothing was said of it"));
  assert.equal(observers.size, 1);
  answered("https://d.test/mcp", "h2");
  assert.equal(told, 0); // as was expected
  answered("https://d.test/mcp", "http/1.1");
  answered("https://d.test/mcp", "http/1.1");
  answered("https://d.test/mcp", "");
  assert.deepEqual([told, isOld("https://d.test/mcp")], [1, true]);
  answered("https://d.test/mcp", "h2");
  assert.deepEqual([told, isOld("https://d.test/mcp")], [2, false]);
  end();
  other();
  assert.equal(observers.size, 0);
  assert.equal(watchProtocol("http://d.test/mcp", () => {})(), undefined);
  assert.equal(observers.size, 0);
});

test("Fault 441: calls over HTTPS wait for connections from the moment that the server turns out to speak HTTP/1.1, and no longer than that", async () => {
  const said: string[] = [];
  const runtime = {
    hold: (_: number, call: number, held: boolean) => said.push(`${held ? "hold" : "take"} ${call}`),
    scarce: (_: number, scarce: boolean) => said.push(scarce ? "scarce" : "ample"),
  };
  const settled = async (): Promise<void> => {
    for (let i = 0; i < 30; i++) await undefined;
  };
  let learned = 0;
  const streams = new Streams({ runtime: runtime as unknown as Runtime, handle: 1 }, "https://f.test/mcp", () => learned++);
  streams.begin();
  assert.equal(streams.scarce, false);
  for (const call of [1, 2, 3, 4, 5]) streams.heard(call, EVENT.status, StreamState.Owned);
  assert.deepEqual(said, []); // nobody waits
  answered("https://f.test/mcp", "http/1.1");
  await settled();
  // The core is told first, then each lets go, and three have a connection again.
  assert.deepEqual(said.splice(0), ["scarce", "hold 1", "hold 2", "hold 3", "hold 4", "hold 5", "take 1", "take 2", "take 3"]);
  assert.equal(learned, 1);
  const shared = Connections.of("https://f.test/mcp")!;
  answered("https://f.test/mcp", "h2");
  await settled();
  assert.deepEqual(said.splice(0), ["ample", "take 1", "take 2", "take 3", "take 4", "take 5"]);
  assert.deepEqual([learned, streams.scarce, shared.ready], [2, false, false]); // and it keeps none for later
  // A page that rests takes nothing up, whatever it learns.
  streams.rest(true);
  said.length = 0;
  answered("https://f.test/mcp", "http/1.1");
  await settled();
  assert.deepEqual(said.splice(0), ["scarce"]);
  streams.rest(false);
  await settled();
  assert.deepEqual(said.splice(0), ["take 1", "take 2", "take 3"]);
  streams.clear();
  assert.equal(observers.size, 0);
  answered("https://f.test/mcp", "h2");
  assert.deepEqual(said, []);
});

test("Fault 747: a call that waits until somebody has signed in has no connection meanwhile, and waits for one once it goes on", async () => {
  const said: string[] = [];
  const runtime = { hold: (_: number, call: number, held: boolean) => said.push(`${held ? "hold" : "take"} ${call}`), scarce() {} };
  const settled = async (): Promise<void> => {
    for (let i = 0; i < 30; i++) await undefined;
  };
  const streams = new Streams({ runtime: runtime as unknown as Runtime, handle: 1 }, "http://h.test/mcp");
  streams.begin();
  for (const call of [1, 2, 3, 4]) streams.add(call);
  await settled();
  assert.deepEqual(said.splice(0), ["take 1", "take 2", "take 3"]);
  for (const call of [1, 2, 3]) streams.heard(call, EVENT.status, StreamState.Awaiting);
  await settled();
  assert.deepEqual(said.splice(0), ["hold 1", "hold 2", "hold 3", "take 4"]);
  streams.heard(4, EVENT.status, StreamState.Awaiting);
  streams.rest(true);
  streams.rest(false); // none of them goes on by that
  await settled();
  assert.ok(said.splice(0).every((one) => one.startsWith("hold")));
  for (const call of [4, 3, 2, 1]) streams.heard(call, EVENT.status, StreamState.Reconnecting);
  await settled();
  assert.deepEqual(said.splice(0), ["take 4", "take 3", "take 2"]);
  streams.clear();
});

test("Fault 441: so do the sessions of an agent: the core hears how many streams it may hold, and that there is no bound any more", async () => {
  const may: number[] = [];
  const runtime = { agentStreams: (_: number, n: number, answered: (n: number) => void) => (may.push(n), answered(n)) };
  const settled = async (): Promise<void> => {
    for (let i = 0; i < 40; i++) await undefined;
  };
  const streams = new SessionStreams("https://g.test/acp");
  await streams.ready();
  streams.bind({ runtime: runtime as unknown as Runtime, handle: 1 });
  streams.heard(`{"wanted":5,"needed":5}`);
  await settled();
  assert.deepEqual(may, []); // nobody counts
  answered("https://g.test/acp", "http/1.1");
  await settled();
  assert.equal(may[0], 0); // until it has some of them
  assert.equal(may.at(-1), 3);
  may.length = 0;
  answered("https://g.test/acp", "h2");
  await settled();
  assert.deepEqual(may.length === 1 && may[0]! > 1000, true);
  streams.heard(`{"wanted":9,"needed":9}`);
  await settled();
  assert.equal(may.length, 1);
  // What is learned while the page rests counts when it is back.
  streams.rest(true);
  answered("https://g.test/acp", "http/1.1");
  await settled();
  assert.equal(may.length, 1);
  streams.rest(false);
  await settled();
  assert.equal(may.at(-1), 3);
  streams.end();
  assert.equal(observers.size, 0);
});
