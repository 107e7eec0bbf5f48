import assert from "node:assert/strict";
import { test } from "node:test";
import { ownChannel, Vouching } from "../src/tabs/vouching.js";

const vouching = (name: string, mine: () => string[]): Vouching =>
  new Vouching((hears) => ownChannel(name, hears), mine);

/** Runs with a clock that goes on by hand. */
async function clocked(run: (ask: (of: Vouching, times: number) => Promise<void>) => Promise<void>): Promise<void> {
  let now = 0;
  const real = performance.now;
  performance.now = () => now;
  const ask = async (of: Vouching, times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      now += 1_000;
      of.ask(["one", "two"]);
      of.ask(["one", "two"]); // no more often than that
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  await run(ask).finally(() => (performance.now = real));
}

test("Fault 792: who has a lock and says so shows life; who is asked ten times in vain does not", () =>
  clocked(async (ask) => {
    const held: string[] = ["one"];
    const holder = vouching("v1", () => held);
    const waits = vouching("v1", () => []);
    const other = vouching("v2", () => ["two"]); // of another origin
    for (const each of [holder, waits, other]) each.open();
    await ask(waits, 10);
    assert.deepEqual([waits.isSilent("one"), waits.isSilent("two")], [false, false]);
    await ask(waits, 1);
    assert.deepEqual([waits.isSilent("one"), waits.isSilent("two")], [false, true]);
    held.push("two");
    await ask(waits, 1);
    assert.equal(waits.isSilent("two"), false);
    holder.close();
    await ask(waits, 10);
    assert.equal(waits.isSilent("one"), false);
    await ask(waits, 1);
    assert.equal(waits.isSilent("one"), true);
    waits.forget(); // nobody waits any more
    assert.equal(waits.isSilent("one"), false);
    for (const each of [waits, other]) each.close();
  }));

test("Fault 792: what another script says there is looked at before it counts", () =>
  clocked(async (ask) => {
    const waits = vouching("v3", () => []);
    waits.open();
    const script = new BroadcastChannel("holdfast.v3");
    for (const said of [null, 1, "x", { has: "one" }, { has: [{}, null, 7] }, { asks: 1 }, {}]) script.postMessage(said);
    await ask(waits, 11);
    assert.equal(waits.isSilent("one"), true);
    script.close();
    waits.close();
  }));
