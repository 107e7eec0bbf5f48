// What a page cannot read it gives up: nobody has it until somebody takes it over who
// can. Part of the store's contract.
import assert from "node:assert/strict";
import { all, type Browser, end, head, nobody, row } from "./storecontract.js";
import { keyed } from "./storekeys.js";

export function releaseContract(
  story: (title: string, run: (browser: Browser) => Promise<void>) => void,
): void {
  story("what a tab has given up no load takes over, and one takeover does (fault 135)", async (browser) => {
    const a = await browser.open("s", "a");
    await a.commit([head(1), row(1, 1, 1), head(2), row(2, 1, 1), end(2, 1, 2), head(3), end(3, 1, 1)], true);
    const b = await browser.open("s", "b");
    await b.load(nobody); // of what has ended one note says that it is b's
    for (const call of [1, 2]) await b.release(call);
    const c = await browser.open("s", "c");
    const { calls } = await c.load((owner) => owner !== "b");
    assert.deepEqual(calls.map((one) => [one.call, one.owner, one.owned, one.ended, one.rows.length]), [
      [1, "", false, false, 1],
      [2, "", false, true, 2],
      [3, "c", true, true, 1],
    ]);
    const d = await browser.open("s", "d");
    for (const { call, epoch } of calls.slice(0, 2)) {
      const taken = await Promise.all([c.takeOver(call, epoch), d.takeOver(call, epoch)]);
      assert.deepEqual(taken.filter((one) => one?.owned).length, 1, `call ${call}`);
      const owner = taken[0] ? "c" : "d";
      assert.deepEqual([(await b.read(call))?.owner, (await b.read(call))?.rows.length], [owner, call]);
    }
    assert.equal((await a.usage()).quarantined, 0);
  });

  story("only who has a call gives it up (fault 135)", async (browser) => {
    const [a, b] = [await browser.open("s", "a"), await browser.open("s", "b")];
    await a.commit([head(1), row(1, 1, 1)], true);
    await b.release(1);
    assert.equal((await b.read(1))?.owner, "a");
    await b.takeOver(1, 1);
    await a.release(1); // it has not heard of that
    assert.equal((await a.read(1))?.owner, "b");
    await b.release(7); // nobody has that
    assert.deepEqual((await b.load(all)).calls.map(({ call, owner }) => [call, owner]), [[1, "b"]]);
  });

  story("a key stays taken that a call has which was given up, for the tab that did, too (fault 135)", async (
    browser,
  ) => {
    const [a, b] = [await browser.open("s", "a"), await browser.open("s", "b")];
    await a.commit(keyed(1, "k"), true);
    await a.release(1);
    for (const [tab, call] of [[a, 2], [b, 3]] as const) {
      assert.deepEqual(
        (await tab.commit(keyed(call, "k"), true)).lost.map(({ holder }) => holder?.owner), [""],
        `call ${call}`,
      );
    }
    await b.commit([{ kind: "forget", call: 1 }], false);
    assert.deepEqual((await a.commit(keyed(4, "k"), true)).lost, []);
  });
}
