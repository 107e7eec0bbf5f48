import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Connections, type Stream } from "../src/durable/connections.js";

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
