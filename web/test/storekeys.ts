// What every store must do beside keeping calls: one call of a server and user has
// each key, which the transaction that adds the head decides; and how a call had ended
// is known for a while after it is forgotten. Part of the store's contract.
import assert from "node:assert/strict";
import { all, type Browser, bytes, end, head, nobody, row, rowsOf, text } from "./storecontract.js";
import type { Op } from "../src/storage/store.js";

/** A call that is added with a key, and the note that it leaves. */
export const keyed = (call: number, key: string, dispensable = false): Op[] => [
  head(call), { kind: "key", call, key: bytes(key), dispensable }, row(call, 1, 1),
];

export function keyContract(story: (title: string, run: (browser: Browser) => Promise<void>) => void): void {
  story("of two tabs that add a call under one key at once, one does, and the other is told of it (fault " +
    "124)",
    async (browser) => {
    const [a, b] = [await browser.open("s", "a"), await browser.open("s", "b")];
    const results = await Promise.all(
      [a.commit(keyed(1, "k"), false), b.commit([...keyed(2, "k"), head(3), row(3, 1, 1)], true)],
    );
    const [winner, loser] = results[0]!.lost.length === 0 ? [1, 2] : [2, 1];
    assert.deepEqual(
      results.map(({ lost, fenced }) => [lost.map(({ call }) => call), fenced]),
      winner === 1 ? [[[], []], [[2], []]] : [[[1], []], [[], []]],
    );
    const { holder } = results[loser - 1]!.lost[0]!;
    assert.deepEqual(
      [holder?.call, holder?.owned, text(holder?.plain), holder?.rows.map(({ n }) => n)],
      [winner, false, `call ${winner}`, [1]],
    );
    // Nothing of the loser is stored; what else was in its commit is.
    const { calls } = await a.load(all);
    assert.deepEqual(calls.map((call) => [call.call, call.rows.length]), [[winner, 1], [3, 1]]);
    assert.equal((await a.usage()).quarantined, 0);
  });

  story("a key belongs to its call until that is forgotten, whoever carries it, ended or not (fault 124)",
    async (browser) => {
    const [a, b] = [await browser.open("s", "a"), await browser.open("s", "b")];
    await a.commit(keyed(1, "k"), false);
    await b.takeOver(1, 1);
    await b.commit([end(1, 2, 1)], true);
    assert.deepEqual(
      (await a.commit(keyed(2, "k"), false)).lost.map(
        ({ call, holder }) => [call, holder?.call, holder?.ended],
      ),
      [[2, 1, true]],
    );
    // Another key, another server, no key.
    assert.deepEqual((await a.commit([...keyed(3, "K"), head(4)], false)).lost, []);
    const other = await browser.open("other", "c");
    assert.deepEqual((await other.commit(keyed(1, "k"), false)).lost, []);
    await a.commit([{ kind: "forget", call: 1 }], false);
    assert.deepEqual((await a.commit(keyed(5, "k"), false)).lost, []);
    assert.deepEqual((await b.commit(keyed(6, "k"), false)).lost.map(({ holder }) => holder?.call), [5]);
  });

  story("a tab's own call gives way, in one commit too: it is that tab which replaces it (fault 124)", async (
    browser,
  ) => {
    const [a, b] = [await browser.open("s", "a"), await browser.open("s", "b")];
    await a.commit(keyed(1, "k"), false);
    assert.deepEqual((await a.commit(keyed(2, "k"), false)).lost, []);
    await a.commit([{ kind: "forget", call: 1 }], false);
    assert.deepEqual((await b.commit(keyed(3, "k"), false)).lost.map(({ holder }) => holder?.call), [2]);
    // What another tab carries gives way once it is forgotten, by the same commit at the earliest.
    assert.deepEqual((await b.commit([{ kind: "forget", call: 2 }, ...keyed(4, "k")], false)).lost, []);
  });

  story("a call under way is stored again without a key that another one has got (fault 124)", async (
    browser,
  ) => {
    const [a, b] = [await browser.open("s", "a"), await browser.open("s", "b")];
    await a.commit(keyed(1, "k"), false);
    const rewritten: Op[] = [{ kind: "forget", call: 2, mine: true }, ...keyed(2, "k", true)];
    assert.deepEqual((await b.commit(rewritten, true)).lost, []);
    assert.deepEqual(await rowsOf(a, 2), ["2/1/1"]);
    assert.deepEqual((await b.commit(keyed(3, "k"), false)).lost.map(({ holder }) => holder?.call), [1]);
  });

  story("forget() and a load leave no key behind that no call has (fault 124)", async (browser) => {
    const a = await browser.open("s", "a");
    await a.commit([...keyed(1, "k"), ...keyed(2, "l")], false);
    await a.commit([{ kind: "forget", call: 1 }], false);
    await a.load(nobody);
    assert.deepEqual((await a.load(all)).calls.map(({ call }) => call), [2]);
    await a.forget();
    const b = await browser.open("s", "b");
    assert.deepEqual((await b.commit(keyed(3, "l"), false)).lost, []);
  });

  story("how a call had ended is known for a while after it is forgotten (fault 131)", async (browser) => {
    const [a, b] = [await browser.open("s", "a"), await browser.open("s", "b")];
    await a.commit([head(1), end(1, 1, 1), head(2), head(3)], true);
    await a.commit(
      [
        { kind: "forget", call: 1, outcome: 1 }, { kind: "forget", call: 2 },
        { kind: "forget", call: 3, outcome: 2 },
      ],
      false,
    );
    assert.deepEqual([await b.ended(1), await b.ended(2), await b.ended(3), await b.ended(4)], [1, 0, 2, 0]);
    await b.load(nobody);
    assert.deepEqual([await b.ended(1), (await b.usage()).quarantined], [1, 0]);
    // Each call has a place, which a later one takes.
    await a.commit([head(257), { kind: "forget", call: 257, outcome: 1 }], false);
    assert.deepEqual([await b.ended(1), await b.ended(257), await b.ended(3)], [0, 1, 2]);
    await a.forget();
    assert.equal(await (await browser.open("s", "c")).ended(257), 0);
  });
}
