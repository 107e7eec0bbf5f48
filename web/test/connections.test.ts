import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Connections, type Stream } from "../src/tabs/connections.js";

/** Runs with timers that stand still. */
const still = (run: () => Promise<void>) => async (): Promise<void> => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  await run().finally(() => mock.timers.reset());
};

/** Long enough for what follows in microtasks. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await undefined;
}

/** A call that counts how often it was told of a connection. */
function call(): Stream & { taken: number } {
  return { taken: 0, spare: false, take() { this.taken++; }, give: () => false };
}

test("a connection outlives its call for a moment, and serves the next one from its beginning", still(async () => {
  const connections = Connections.of("http://one.test/mcp")!;
  assert.equal(connections.ready, false);
  const [first, second, third] = [call(), call(), call()];
  connections.join(first);
  await settled();
  assert.equal(first.taken, 1);
  connections.leave(first);
  assert.equal(connections.ready, true);
  connections.begin(second); // it has it already: nothing is told
  assert.equal(connections.ready, false);
  connections.leave(second);
  connections.join(third);
  await settled();
  assert.deepEqual([second.taken, third.taken], [0, 1]);
  connections.leave(third);
  mock.timers.tick(100);
  assert.equal(connections.ready, false);
}));

test("only one is kept, and none by a page that rests", still(async () => {
  const connections = Connections.of("http://two.test/mcp")!;
  const calls = [call(), call(), call(), call()];
  for (const one of calls) connections.join(one);
  await settled();
  assert.deepEqual(calls.map(({ taken }) => taken), [1, 1, 1, 0]); // three have one
  connections.leave(calls[0]!);
  await settled();
  assert.equal(calls[3]!.taken, 1); // handed on to who waits, and not kept
  assert.equal(connections.ready, false);
  connections.leave(calls[1]!);
  connections.leave(calls[2]!);
  connections.begin(call());
  assert.equal(connections.ready, false);
  connections.leave(calls[3]!);
  connections.rest();
  assert.equal(connections.ready, false);
}));

/** Streams that take turns by themselves, each of which gives its connection whenever it is asked. */
function kin(n: number, spare: boolean): (Stream & { taken: number; given: number })[] {
  const all = {};
  return Array.from({ length: n }, () => ({ taken: 0, given: 0, spare, kin: all, take() { this.taken++; }, give() { return ++this.given > 0; } }));
}

/** Runs with clocks that tick by hand. */
const ticking = (run: (tick: (ms: number) => Promise<void>) => Promise<void>) => async (): Promise<void> => {
  let now = 0;
  const real = performance.now;
  performance.now = () => now;
  const tick = async (ms: number): Promise<void> => {
    now += ms;
    mock.timers.tick(ms);
    await settled();
  };
  await still(() => run(tick))().finally(() => (performance.now = real));
};

test("an agent's sessions take no connection of each other, and give way to a call", ticking(async (tick) => {
  const connections = Connections.of("http://three.test/acp")!;
  const sessions = kin(4, false);
  for (const one of sessions) connections.join(one);
  await tick(0);
  await tick(5_000);
  assert.deepEqual(sessions.map(({ taken, given }) => [taken, given]), [[1, 0], [1, 0], [1, 0], [0, 0]]);
  const another = call();
  connections.join(another);
  connections.leave(sessions[3]!);
  await tick(500);
  assert.equal(another.taken, 1);
  assert.equal(sessions.reduce((sum, { given }) => sum + given, 0), 1);
  for (const one of [...sessions, another]) connections.leave(one);
  connections.rest();
}));

test("a session that nothing is expected of gives way at once", ticking(async (tick) => {
  const connections = Connections.of("http://four.test/acp")!;
  const sessions = kin(3, true);
  for (const one of sessions) connections.join(one);
  await tick(0);
  const another = call();
  connections.join(another);
  await tick(0);
  assert.equal(another.taken, 1);
  for (const one of [...sessions, another]) connections.leave(one);
  connections.rest();
}));
