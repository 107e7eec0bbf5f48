import assert from "node:assert/strict";
import { test } from "node:test";
import { keyContract } from "./storekeys.js";
import { releaseContract } from "./storerelease.js";
import { type Op, type Store, StoreError, type StoreReason } from "../src/storage/store.js";

/** Makes tabs: stores of one user's browser. Each test begins with an empty one. */
export interface Browser {
  open(server: string, tab: string, onLost?: (why: StoreReason) => void): Promise<Store>;
  wipe(): Promise<void>;
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (from: Uint8Array | null | undefined): string | null => (from ? new TextDecoder().decode(from) : null);

export const head = (call: number, plain = `call ${call}`, epoch = 1): Op => ({ kind: "call", call, epoch, plain: bytes(plain) });
export const row = (call: number, epoch: number, n: number, secret: string | null = null): Op => ({
  kind: "log",
  call,
  epoch,
  n,
  plain: bytes(`${call}/${epoch}/${n}`),
  secret: secret === null ? null : bytes(secret),
});

/** A row with which its call has its outcome. */
export const end = (call: number, epoch: number, n: number): Op => ({ ...row(call, epoch, n), ended: true }) as Op;

/** Nobody is gone. */
export const all = (): boolean => true;
/** Everybody is. */
export const nobody = (): boolean => false;

export const because =
  (reason: StoreReason) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof StoreError, String(error));
    assert.equal((error as StoreError).reason, reason);
    return true;
  };

/** The rows of a call as texts. */
export async function rowsOf(store: Store, call: number): Promise<string[] | null> {
  const found = await store.read(call);
  return found && found.rows.map((r) => `${text(r.plain)}${r.secret ? ` ${text(r.secret)}` : ""}`);
}

/** What sealing adds to contents, in bytes: the random number and the tag. */
const SEALED = 12 + 16;

/** What every store must do, whatever holds its rows, and however: `sealed`, all of it. */
export function contract(name: string, newBrowser: () => Browser, sealed = false): void {
  const story = (title: string, run: (browser: Browser) => Promise<void>): void => test(`${name}: ${title}`, () => run(newBrowser()));

  story("an empty store loads as empty, with an id epoch that goes up by one", async (browser) => {
    const store = await browser.open("s", "a");
    const first = await store.load(all);
    assert.deepEqual({ ...first, idEpoch: 0 }, { idEpoch: 0, server: null, calls: [], sound: 0 });
    assert.ok(first.idEpoch > 0 && first.idEpoch <= 2 ** 28, `${first.idEpoch}`);
    assert.equal((await store.load(all)).idEpoch, first.idEpoch + 1);
    assert.equal(await store.readServer(), null);
    assert.equal(await store.read(1), null);
    assert.equal(await store.takeOver(1, 1), null);
    const other = await browser.open("other", "a");
    assert.ok((await other.load(all)).idEpoch !== first.idEpoch + 2, "servers share a counter");
  });

  story("what was committed is there for the next page, secrets opened, in order", async (browser) => {
    const store = await browser.open("s", "a");
    assert.deepEqual(await store.commit([{ kind: "server", plain: bytes("server"), secret: bytes("session") }, head(2), head(1)], true), {
      sealed: true,
      fenced: [],
      lost: [],
    });
    await store.commit([row(1, 1, 0, "token 0"), row(2, 1, 0)], false);
    await store.commit([row(1, 1, 1), row(1, 1, 2, "")], false);
    store.close();

    const next = await browser.open("s", "b");
    const { server, calls } = await next.load(all);
    assert.deepEqual([text(server!.plain), text(server!.secret)], ["server", "session"]);
    assert.deepEqual(
      calls.map((c) => [c.call, c.epoch, c.owned, c.owner, text(c.plain), c.rows.map((r) => [r.epoch, r.n, text(r.plain), text(r.secret)])]),
      [
        [1, 1, false, "a", "call 1", [[1, 0, "1/1/0", "token 0"], [1, 1, "1/1/1", null], [1, 2, "1/1/2", ""]]],
        [2, 1, false, "a", "call 2", [[1, 0, "2/1/0", null]]],
      ],
    );
    assert.deepEqual(text((await next.readServer())!.secret), "session");
    await next.commit([{ kind: "server", plain: bytes("new"), secret: null }], false);
    assert.deepEqual(await next.readServer(), { plain: bytes("new"), secret: null, ended: false });
    await next.commit([{ kind: "server", plain: bytes("over"), secret: null, ended: true }], false);
    const over = { plain: bytes("over"), secret: null, ended: true };
    assert.deepEqual([await next.readServer(), (await (await browser.open("s", "c")).load(all)).server], [over, over]);
  });

  story("load takes over the calls whose owner is gone, and no others", async (browser) => {
    const [a, b] = [await browser.open("s", "a"), await browser.open("s", "b")];
    await a.commit([head(1), row(1, 1, 0), row(1, 1, 1), head(2)], false);
    await b.commit([head(3)], false);
    const c = await browser.open("s", "c");
    const asked: string[] = [];
    const { calls } = await c.load((owner) => (asked.push(owner), owner === "b"));
    assert.deepEqual(asked.sort(), ["a", "b"]);
    assert.deepEqual(calls.map((x) => [x.call, x.epoch, x.owned, x.owner]), [[1, 2, true, "c"], [2, 2, true, "c"], [3, 1, false, "b"]]);
    // Its own are not asked about, and stay as they are.
    const again = await c.load(nobody);
    assert.deepEqual(again.calls.map((x) => [x.call, x.epoch, x.owned]), [[1, 2, true], [2, 2, true], [3, 2, true]]);
  });

  story("what an app is done with is kept whoever carries the call, and a lower position takes nothing back (fault 132)", async (browser) => {
    const [a, b] = [await browser.open("s", "a"), await browser.open("s", "b")];
    const acked = (call: number, n: number): Op => ({ kind: "log", call, epoch: 0, n, plain: bytes(""), secret: null });
    await a.commit([head(1), row(1, 1, 1)], false);
    assert.equal((await a.read(1))?.acked, 0);
    await b.commit([acked(1, 3)], false);
    await a.commit([acked(1, 2)], true);
    await a.commit([acked(1, 3)], false); // once more
    const taken = await b.takeOver(1, 1);
    assert.deepEqual([taken?.acked, taken?.epoch, await rowsOf(a, 1)], [3, 2, ["1/1/1"]]);
    await a.commit([acked(1, 7)], true); // fenced, and yet its app is
    const { calls } = await b.load(all);
    assert.deepEqual(calls.map((call) => [call.acked, call.rows.length]), [[7, 1]]);
    assert.equal((await a.usage()).quarantined, 0);
    await b.commit([{ kind: "forget", call: 1 }], false);
    assert.deepEqual([await a.read(1), (await a.usage()).rows], [null, 0]);
  });

  story("rows of an owner whose epoch is over are ignored, those before the seal are kept (fault 76)", async (browser) => {
    const [a, b] = [await browser.open("s", "a"), await browser.open("s", "b")];
    await a.commit([head(1), row(1, 1, 0), row(1, 1, 1)], false);
    const taken = await b.takeOver(1, 1);
    assert.deepEqual([taken?.epoch, taken?.owned, taken?.rows.length], [2, true, 2]);
    await a.commit([row(1, 1, 2), row(1, 1, 3)], false); // it was frozen, and does not know
    await b.commit([row(1, 2, 0)], false);
    assert.deepEqual(await rowsOf(a, 1), ["1/1/0", "1/1/1", "1/2/0"]);
    assert.deepEqual([(await a.read(1))?.owned, (await a.read(1))?.epoch], [false, 2]);
    // An epoch in which nothing was written, and one that the head does not know.
    const back = await a.takeOver(1, 2);
    assert.equal(back?.epoch, 3);
    await b.takeOver(1, 3);
    await a.commit([row(1, 3, 0), row(1, 9, 0)], false);
    assert.deepEqual(await rowsOf(b, 1), ["1/1/0", "1/1/1", "1/2/0"]);
  });

  story("a call is not written again by an owner whose epoch is over (fault 76)", async (browser) => {
    const [a, b] = [await browser.open("s", "a"), await browser.open("s", "b")];
    const rewritten = (call: number): Op[] => [{ kind: "forget", call, mine: true }, head(call, "rewritten"), row(call, 1, 0, "token")];
    await a.commit([head(1), row(1, 1, 0), row(1, 1, 1)], false);
    await b.takeOver(1, 1);
    await b.commit([row(1, 2, 0)], false);
    // It was frozen, its store seemed to hang, and now works again: the rest of
    // the commit is stored, and it is told.
    assert.deepEqual((await a.commit([...rewritten(1), head(2), row(2, 1, 0)], false)).fenced, [1]);
    assert.deepEqual(await rowsOf(b, 1), ["1/1/0", "1/1/1", "1/2/0"]);
    assert.deepEqual(await rowsOf(a, 2), ["2/1/0"]);
    assert.equal((await b.read(1))?.owned, true);
    // Its own it may write again, and one that nobody has.
    assert.deepEqual((await a.commit([...rewritten(2), ...rewritten(3)], true)).fenced, []);
    assert.deepEqual([await rowsOf(a, 2), await rowsOf(a, 3)], [["2/1/0 token"], ["3/1/0 token"]]);
    assert.equal(text((await a.read(2))?.plain), "rewritten");
  });

  story("a call that is written again keeps its epoch: what owners before wrote does not count (fault 76)", async (browser) => {
    const [a, b, c] = [await browser.open("s", "a"), await browser.open("s", "b"), await browser.open("s", "c")];
    await a.commit([head(1), row(1, 1, 1)], false);
    await b.takeOver(1, 1);
    await b.commit([row(1, 2, 1)], false);
    await c.takeOver(1, 2);
    const rewritten: Op[] = [{ kind: "forget", call: 1, mine: true }, head(1, "rewritten", 3), row(1, 3, 1)];
    assert.deepEqual((await c.commit(rewritten, false)).fenced, []);
    // Two that were frozen, and do not know: neither do their rows count, nor are they in the way of others.
    await a.commit([row(1, 1, 2)], false);
    await b.commit([row(1, 2, 2)], false);
    await c.commit([row(1, 3, 2)], false);
    assert.deepEqual(await rowsOf(a, 1), ["1/3/1", "1/3/2"]);
    assert.deepEqual((await a.commit([row(1, 1, 3)], true)).fenced, [1]);
    // Nor once it has changed hands again.
    assert.equal(await b.takeOver(1, 1), null);
    const taken = await a.takeOver(1, 3);
    assert.deepEqual([taken?.epoch, taken?.rows.map((r) => text(r.plain))], [4, ["1/3/1", "1/3/2"]]);
    await c.commit([row(1, 3, 3)], false);
    await a.commit([row(1, 4, 1)], false);
    assert.deepEqual(await rowsOf(c, 1), ["1/3/1", "1/3/2", "1/4/1"]);
    assert.deepEqual((await a.load(all)).calls.map((x) => [x.epoch, x.owned, text(x.plain)]), [[4, true, "rewritten"]]);
  });

  story("of many that take a call over at the same epoch exactly one does (fault 74)", async (browser) => {
    const tabs = await Promise.all(["a", "b", "c", "d", "e", "f"].map((tab) => browser.open("s", tab)));
    await tabs[0]!.commit([head(1), row(1, 1, 0)], false);
    const taken = await Promise.all(tabs.map((tab) => tab.takeOver(1, 1)));
    assert.equal(taken.filter(Boolean).length, 1);
    assert.equal((await tabs[0]!.read(1))?.epoch, 2);
    assert.equal(await tabs[0]!.takeOver(1, 1), null);
  });

  story("what an owner has left is taken over by one tab, and an ended call's secrets rest", async (browser) => {
    const a = await browser.open("s", "a");
    await a.commit([head(1), row(1, 1, 1, "token"), end(1, 1, 2), head(2), row(2, 1, 1, "token"), head(3), end(3, 1, 1)], false);
    const [b, c] = [await browser.open("s", "b"), await browser.open("s", "c")];
    const seen = async (tab: Store): Promise<unknown[]> => (await tab.load(all)).calls.map((x) => [x.call, x.epoch, x.owner, x.owned, x.ended]);
    assert.deepEqual(await seen(b), [[1, 1, "a", false, true], [2, 1, "a", false, false], [3, 1, "a", false, true]]);
    const { calls } = await b.load(nobody);
    assert.deepEqual(calls.map((x) => [x.call, x.epoch, x.owner, x.owned]), [[1, 2, "b", true], [2, 2, "b", true], [3, 2, "b", true]]);
    assert.deepEqual(text(calls[1]!.rows[0]!.secret), "token");
    assert.deepEqual(await seen(c), [[1, 2, "b", false, true], [2, 2, "b", false, false], [3, 2, "b", false, true]]);
    assert.deepEqual([(await c.read(1))?.owner, (await b.read(3))?.owned], ["b", true]);
    // And on from that one.
    assert.deepEqual((await c.load((owner) => owner !== "b")).calls.map((x) => [x.call, x.epoch, x.owned]), [[1, 3, true], [2, 3, true], [3, 3, true]]);
    assert.deepEqual(await seen(a), [[1, 3, "c", false, true], [2, 3, "c", false, false], [3, 3, "c", false, true]]);
    // It may be forgotten, and the others stay.
    await c.commit([{ kind: "forget", call: 3 }], false);
    assert.deepEqual(await seen(b), [[1, 3, "c", false, true], [2, 3, "c", false, false]]);
  });

  story("what is written of an ended call by who had it before does not count (fault 76)", async (browser) => {
    const [a, b, c] = [await browser.open("s", "a"), await browser.open("s", "b"), await browser.open("s", "c")];
    await a.commit([head(1), row(1, 1, 1), end(1, 1, 2), head(2), end(2, 1, 1)], false);
    await b.load(nobody);
    await c.load(nobody);
    assert.deepEqual((await b.commit([row(1, 2, 1), head(3), row(3, 1, 1)], true)).fenced, [1]);
    assert.deepEqual((await c.commit([row(1, 3, 1)], true)).fenced, []);
    assert.deepEqual((await c.commit([row(1, 3, 2)], true)).fenced, []);
    assert.deepEqual(await rowsOf(b, 1), ["1/1/1", "1/1/2", "1/3/1", "1/3/2"]);
    assert.deepEqual(await rowsOf(c, 3), ["3/1/1"]);
    // Its own by then, and the other one still by what its owner has left.
    assert.deepEqual((await b.load(nobody)).calls.map((x) => [x.call, x.epoch, x.owned]), [[1, 4, true], [2, 4, true], [3, 1, true]]);
    assert.deepEqual((await b.commit([row(1, 4, 1), row(2, 4, 1)], true)).fenced, []);
    assert.deepEqual([await rowsOf(a, 1), await rowsOf(a, 2)], [["1/1/1", "1/1/2", "1/3/1", "1/3/2", "1/4/1"], ["2/1/1", "2/4/1"]]);
  });

  story("an owner that comes back has what it makes from then on", async (browser) => {
    const [a, b, c] = [await browser.open("s", "a"), await browser.open("s", "b"), await browser.open("s", "c")];
    await a.commit([head(1), end(1, 1, 1)], false);
    await b.load(nobody);
    await a.commit([head(2), end(2, 1, 1)], false);
    assert.deepEqual((await c.load(all)).calls.map((x) => [x.call, x.owner]), [[1, "b"], [2, "a"]]);
    const { calls } = await c.load((owner) => owner === "b");
    assert.deepEqual(calls.map((x) => [x.call, x.epoch, x.owner]), [[1, 2, "b"], [2, 2, "c"]]);
  });

  story("a call that its owner has taken back stays its own when it ends", async (browser) => {
    const [a, b, c] = [await browser.open("s", "a"), await browser.open("s", "b"), await browser.open("s", "c")];
    await a.commit([head(1), row(1, 1, 1), head(2), end(2, 1, 1)], false);
    await b.load(nobody);
    await a.takeOver(1, 2);
    await a.commit([end(1, 3, 1)], true);
    assert.deepEqual((await c.load(all)).calls.map((x) => [x.call, x.epoch, x.owner, x.ended]), [[1, 3, "a", true], [2, 2, "b", true]]);
  });

  story("a call that an owner makes after it has ended a later one's is its own", async (browser) => {
    const [a, b, c] = [await browser.open("s", "a"), await browser.open("s", "b"), await browser.open("s", "c")];
    await b.commit([head(50), row(50, 1, 1)], false);
    await a.load((owner) => owner !== "b");
    await a.commit([end(50, 2, 1), head(10), end(10, 1, 1)], false);
    await c.load((owner) => owner !== "a");
    await a.commit([head(12), end(12, 1, 1)], false);
    assert.deepEqual((await b.load(all)).calls.map((x) => [x.call, x.owner]), [[10, "c"], [12, "a"], [50, "c"]]);
  });

  story("a commit is all or nothing", async (browser) => {
    const store = await browser.open("s", "a");
    await store.commit([head(1), row(1, 1, 0)], false);
    const server: Op = { kind: "server", plain: bytes("x"), secret: null };
    await assert.rejects(store.commit([server, row(1, 1, 1), { kind: "forget", call: 7 }, head(2), row(1, 1, 0)], false), because("failed"));
    await assert.rejects(store.commit([{ kind: "forget", call: 1 }, head(3), head(3)], false), because("failed"));
    assert.deepEqual(await rowsOf(store, 1), ["1/1/0"]);
    assert.equal(await store.read(2), null);
    assert.equal(await store.read(3), null);
    assert.equal(await store.readServer(), null);
    await store.commit([], false);
    // A call may be forgotten and added again in one commit.
    await store.commit([{ kind: "forget", call: 1 }, head(1, "rewritten")], true);
    assert.deepEqual([text((await store.read(1))!.plain), await rowsOf(store, 1)], ["rewritten", []]);
  });

  story("forgetting many calls takes those, with their logs, and none between them or beside", async (browser) => {
    const store = await browser.open("s", "a");
    const calls = [1, 2, 3, 4, 5, 7, 8, 9, 12, 13];
    await store.commit(calls.flatMap((call) => [head(call), row(call, 1, 0), row(call, 1, 1)]), false);
    const forget = (call: number, outcome?: number): Op => ({ kind: "forget", call, ...(outcome && { outcome }) });
    await store.commit([forget(4, 1), forget(2), forget(3, 1), forget(12), head(4, "again"), row(4, 1, 0), forget(8), row(13, 1, 2), forget(7, 1)], false);
    const rest = (await (await browser.open("s", "b")).load(all)).calls.map(({ call, rows }) => [call, rows.length]);
    assert.deepEqual(rest, [[1, 2], [4, 1], [5, 2], [9, 2], [13, 3]]);
    for (const call of [2, 3, 7, 8, 12]) assert.equal(await store.read(call), null);
  });

  story("forgetting a call takes its log along, and rows that come later belong to nobody", async (browser) => {
    const store = await browser.open("s", "a");
    await store.commit([head(1), row(1, 1, 0), head(2), row(2, 1, 0)], false);
    await store.commit([{ kind: "forget", call: 1 }], false);
    assert.equal(await store.read(1), null);
    assert.equal(await store.takeOver(1, 1), null);
    await store.commit([row(1, 1, 1)], false);
    assert.deepEqual((await store.load(all)).calls.map((c) => c.call), [2]);
    assert.equal((await store.usage()).rows, 1);
  });

  story("servers and users are apart; forget() is of one (fault 82)", async (browser) => {
    const [one, two] = [await browser.open("s#1", "a"), await browser.open("s#2", "a")];
    for (const store of [one, two]) {
      await store.commit([{ kind: "server", plain: bytes("x"), secret: bytes("y") }, head(1), row(1, 1, 0)], false);
    }
    await one.forget();
    await assert.rejects(one.readServer(), because("closed"));
    const next = await browser.open("s#1", "a");
    assert.deepEqual({ ...(await next.usage()), origin: null }, { calls: 0, rows: 0, bytes: 0, quarantined: 0, origin: null });
    assert.deepEqual((await next.load(all)).calls, []);
    assert.equal(await next.readServer(), null);
    assert.deepEqual(await rowsOf(two, 1), ["1/1/0"]);
    assert.equal(text((await two.readServer())!.secret), "y");
  });

  story("forgetting ends the stores of that server and user in every tab, for good (logout)", async (browser) => {
    const lost: string[] = [];
    const [a, b] = [await browser.open("s#1", "a", (why) => lost.push(`a ${why}`)), await browser.open("s#1", "b", (why) => lost.push(`b ${why}`))];
    const two = await browser.open("s#2", "a", (why) => lost.push(`two ${why}`));
    await b.commit([head(1), row(1, 1, 0, "token")], false);
    await a.forget();
    for (const run of [() => b.commit([head(2), row(1, 1, 1)], true), () => b.takeOver(1, 1), () => b.load(all)]) await assert.rejects(run(), because("closed"));
    const next = await browser.open("s#1", "c");
    await next.commit([head(1, "another")], false);
    await assert.rejects(b.commit([row(1, 1, 1)], false), because("closed"));
    assert.deepEqual([lost, await rowsOf(next, 1), await two.read(1)], [["b closed"], [], null]);
    await two.commit([head(1)], false);
  });

  story("usage counts calls, rows and bytes", async (browser) => {
    const store = await browser.open("s", "a");
    await store.commit([head(1, "12345"), head(2, "12345")], false);
    await store.commit(Array.from({ length: 200 }, (_, n): Op => ({ kind: "log", call: 1, epoch: 1, n, plain: new Uint8Array(10), secret: null })), false);
    const { calls, rows, bytes: size, quarantined } = await store.usage();
    assert.deepEqual([calls, rows, size, quarantined], [2, 200, 2010 + (sealed ? 202 * SEALED : 0), 0]);
  });

  story("what was read may be changed, and a view is stored without what is around it", async (browser) => {
    const store = await browser.open("s", "a");
    const around = new Uint8Array(1 << 20);
    around.set(bytes("inside"), 1000);
    await store.commit([{ kind: "server", plain: around.subarray(1000, 1006), secret: around.subarray(1000, 1006) }], false);
    const first = (await store.readServer())!;
    assert.equal(first.plain.buffer.byteLength, 6);
    first.plain.fill(0);
    first.secret!.fill(0);
    assert.deepEqual(await store.readServer(), { plain: bytes("inside"), secret: bytes("inside"), ended: false });
  });

  story("a closed store finishes what it has begun, and does nothing more", async (browser) => {
    const store = await browser.open("s", "a");
    const last = store.commit([head(1)], false);
    if (sealed) await last; // it waits for the cipher, and whoever closes for it
    store.close();
    await last;
    await assert.rejects(store.commit([head(2)], false), because("closed"));
    for (const run of [() => store.load(all), () => store.read(1), () => store.usage(), () => store.forget(), () => store.readServer()]) {
      await assert.rejects(run(), because("closed"));
    }
    store.close();
    const next = await browser.open("s", "b");
    assert.deepEqual((await next.load(all)).calls.map((c) => c.call), [1]);
  });

  story("wiping ends the stores of every tab, and leaves nothing (logout)", async (browser) => {
    const lost: string[] = [];
    const one = await browser.open("s#1", "a", (why) => lost.push(`a ${why}`));
    const two = await browser.open("s#2", "b", (why) => lost.push(`b ${why}`));
    await one.commit([head(1), row(1, 1, 0, "token")], false);
    await browser.wipe();
    assert.deepEqual(lost.sort(), ["a closed", "b closed"]);
    await assert.rejects(one.commit([head(2)], false), because("closed"));
    await assert.rejects(two.load(all), because("closed"));
    const next = await browser.open("s#1", "c");
    assert.deepEqual((await next.load(all)).calls, []);
    await browser.wipe();
    await browser.wipe();
  });

  keyContract(story);
  releaseContract(story);
}
