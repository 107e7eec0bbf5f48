import assert from "node:assert/strict";
import { test } from "node:test";
import { forceCloseDatabase } from "fake-indexeddb";
import { openStore, type Store, type StoreReason, wipeAll } from "../src/storage/storage.js";
import { Channel } from "../src/tabs/channel.js";
import { forgetStored } from "../src/tabs/forget.js";
import { all, because, bytes, head, nobody, row } from "./storecontract.js";
import { full, Shim, until } from "./storeshim.js";

// What a logout deletes stays deleted, whatever another tab has under way.

/** A tab's store that has been loaded, and what it said of its end. */
async function opened(
  server: string, tab: string, sealAll = false,
): Promise<{ store: Store; said: StoreReason[] }> {
  const said: StoreReason[] = [];
  const store = await openStore({ server, tab, sealAll, onLost: (why) => said.push(why) });
  await store.load(all);
  return { store, said };
}

/** Waits with the next secret to be sealed until it is let go: a commit in flight. */
function heldCommit(): { begun(): boolean; letGo(): void; end(): void } {
  const { subtle } = globalThis.crypto;
  const encrypt = subtle.encrypt;
  let letGo = (): void => undefined;
  let begun = false;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  subtle.encrypt = async (...args: Parameters<typeof encrypt>) => {
    begun = true;
    await gate;
    return encrypt.apply(subtle, args);
  };
  return { begun: () => begun, letGo, end: () => (subtle.encrypt = encrypt) };
}

/** All records but those that say nothing of anybody: the database's own, and which stores have ended. */
async function left(shim: Shim, server: string): Promise<string[]> {
  const records =
    Object.entries(await shim.dump()).flatMap(([name, rows]) => rows.map((record) => ({ name, record })));
  const shown = (value: unknown): string =>
    JSON.stringify(value, (_, v) => (v instanceof Uint8Array ? new TextDecoder().decode(v) : v));
  return records.filter(({ name, record }) => name !== "keys" || shown(record).includes(server)).map(
    ({ name, record }) => `${name} ${shown(record)}`,
  );
}

const ADA = "https://example.com#ada";

const session = { kind: "server", plain: bytes("handshake"), secret: bytes("session") } as const;

async function forgetElsewhere(): Promise<void> {
  const other = await openStore({ server: "https://example.com#ada", tab: "b" });
  await other.forget();
}

test("TestFault121_CommitInFlightWhileAnotherTabForgets", async () => {
  const key = { kind: "key", call: 2, key: bytes("the app's own name") } as const;
  for (const logout of [forgetElsewhere, wipeAll]) {
    for (const [sealAll, work] of [
      [false, [head(2, "its argument"), row(2, 1, 1, "token")]],
      [false, [row(1, 1, 2, "token")]],
      [false, [session]],
      [
        false,
        [{ kind: "forget", call: 1, mine: true } as const, head(1, "rewritten", 1), row(1, 1, 1, "token")],
      ],
      [false, [head(2), key, row(2, 1, 1, "token")]],
      [true, [head(2), key]],
      // what an app is done with
      [
        false,
        [{ kind: "log", call: 1, epoch: 0, n: 1, plain: bytes(""), secret: null }, row(1, 1, 2, "token")],
      ],
      [true, [{ ...session, ended: true }]],
    ] as const) {
      const shim = new Shim();
      const { store, said } = await opened("https://example.com#ada", "a", sealAll);
      await store.commit([session, head(1), row(1, 1, 1)], false);
      const held = heldCommit();
      const commit = store.commit(work, false);
      await until(held.begun);
      // The other tab's word that the database goes does not reach it: it is frozen, or there is no such
      // word.
      for (const handle of shim.handles) handle.onversionchange = null;
      await logout();
      held.letGo();
      held.end();
      await assert.rejects(commit, because("closed"));
      assert.deepEqual(await left(shim, "https://example.com#ada"), []);
      await assert.rejects(store.commit([head(3)], true), because("closed"));
      await assert.rejects(store.load(nobody), because("closed"));
      await assert.rejects(store.takeOver(1, 1), because("closed"));
      assert.deepEqual([said, await left(shim, "https://example.com#ada")], [["closed"], []]);
      // Who logs in again has a store of its own.
      for (const handle of shim.handles) handle.close();
      const next = await opened("https://example.com#ada", "c");
      await next.store.commit([head(1, "another")], false);
      await assert.rejects(store.commit([row(1, 1, 2)], true), because("closed"));
      assert.deepEqual([next.said, (await next.store.load(all)).calls.length], [[], 1]);
    }
  }
});

test("TestFault121_OneUserForgottenAnotherNot", async () => {
  new Shim();
  const [ada, bob] = [await opened("https://example.com#ada", "a"), await opened("bob", "b")];
  for (const { store } of [ada, bob]) await store.commit([head(1), row(1, 1, 1, "token")], false);
  const logout = await openStore({ server: "https://example.com#ada", tab: "c" });
  await logout.forget();
  await assert.rejects(ada.store.commit([row(1, 1, 2)], false), because("closed"));
  await bob.store.commit([row(1, 1, 2, "token")], true);
  assert.deepEqual([ada.said, bob.said, (await bob.store.read(1))?.rows.length], [["closed"], [], 2]);
});

test("TestFault121_WhatAPageWritesOnItsWayOutIsRefused", async () => {
  // No callback runs any more: the transaction itself has to know.
  const shim = new Shim();
  const { store } = await opened("https://example.com#ada", "a");
  await store.commit([head(1)], false);
  const logout = await openStore({ server: "https://example.com#ada", tab: "b" });
  await logout.forget();
  let committed = 0;
  shim.handles[0]!.transaction = ((real) => (...args: Parameters<typeof real>) => {
    const tx = real(...args);
    const commit = tx.commit.bind(tx);
    tx.commit = () => (committed++, commit());
    return tx;
  })(shim.handles[0]!.transaction.bind(shim.handles[0]));
  const leaving = store.commit([row(1, 1, 1), head(2)], true);
  assert.equal(committed, 1);
  await assert.rejects(leaving, because("closed"));
  assert.deepEqual(await left(shim, "https://example.com#ada"), []);
});

test("TestFault121_DatabaseGoneIsALogout", async () => {
  for (const again of [false, true]) {
    const shim = new Shim();
    const { store, said } = await opened("https://example.com#ada", "a");
    await store.commit([head(1), row(1, 1, 1, "token")], false);
    const handle = shim.handle;
    handle.onversionchange = null;
    const gone = new Promise((resolve) => (shim.factory.deleteDatabase("holdfast").onsuccess = resolve));
    forceCloseDatabase(handle as never);
    await gone;
    // Another tab may have made a new one by then.
    const next = again ? await opened("https://example.com#ada", "b") : undefined;
    await assert.rejects(store.commit([row(1, 1, 2)], false), because("closed"));
    await until(() => said.length > 0);
    assert.deepEqual(said, ["closed"]);
    if (next) assert.deepEqual((await next.store.load(all)).calls, []);
    else assert.deepEqual(await shim.factory.databases(), []);
  }
});

test("Fault 126: where there is no room a call is deleted all the same, by its owner alone", async () => {
  const shim = new Shim();
  const { store } = await opened("https://example.com#ada", "a");
  await store.commit([head(1), row(1, 1, 1), head(2), row(2, 1, 1), head(3)], false);
  const empty = full(shim);
  try {
    await assert.rejects(store.commit([row(1, 1, 2)], false), because("quota"));
    await store.commit([{ kind: "forget", call: 1, outcome: 1 }], false);
    await store.commit([{ kind: "forget", call: 2, mine: true }], false);
  } finally {
    empty();
  }
  assert.deepEqual((await shim.dump())["calls"]?.map(({ call }) => call), [3]);
});

test("Fault 121: a logout needs no room, and what a page that has not heard of it deletes is refused", async () => {
  for (const logout of [forgetElsewhere, wipeAll]) {
    const shim = new Shim();
    const { store } = await opened("https://example.com#ada", "a");
    await store.commit([session, head(1), row(1, 1, 1)], false);
    for (const handle of shim.handles) handle.onversionchange = null;
    const empty = full(shim);
    try {
      await logout();
    } finally {
      empty();
      store.close(); // or the shim waits for ever to delete its database
    }
    assert.deepEqual(await left(shim, "https://example.com#ada"), []);
  }
  const shim = new Shim();
  const { store } = await opened("https://example.com#ada", "a");
  await forgetElsewhere();
  const next = await opened("https://example.com#ada", "c");
  await next.store.commit([head(1), row(1, 1, 1)], false);
  const empty = full(shim);
  try {
    await assert.rejects(store.commit([{ kind: "forget", call: 1 }], false), because("closed"));
  } finally {
    empty();
  }
  assert.deepEqual((await shim.dump())["calls"]?.map(({ call }) => call), [1]);
});

test("Fault 571: a logout of whom nothing is stored needs no room", async () => {
  const shim = new Shim();
  const bob = await opened("bob", "b");
  await bob.store.commit([head(1)], false);
  await shim.edit(
    "calls",
    (calls) => calls.put({ server: ADA, call: 1, epoch: 1, owner: "gone", sealed: [], plain: bytes("p") }),
  );
  const told: unknown[] = [];
  const page = new Channel(ADA, "memory", (_, message) => told.push(message));
  const empty = full(shim);
  try {
    await forgetStored(ADA);
    await until(() => told.length > 0);
  } finally {
    empty();
    page.close();
  }
  assert.deepEqual(
    [told, (await shim.dump())["calls"]?.map(({ server }) => server), bob.said],
    [[{ kind: "wiped", generation: "" }], ["bob"], []],
  );
});

test("Fault 610: where no key can be stored either, a page reads what is stored without room, and a logout deletes it", async () => {
  const shim = new Shim();
  const { structuredClone } = globalThis;
  globalThis.structuredClone = ((value: unknown) => {
    if ((value as { value?: unknown } | null)?.value instanceof CryptoKey)
      throw new DOMException("no", "DataCloneError");
    return structuredClone(value);
  }) as typeof structuredClone;
  try {
    const { store } = await opened(ADA, "a");
    await store.commit([head(1), row(1, 1, 1)], false);
    const empty = full(shim);
    try {
      assert.deepEqual(
        (await (await openStore({ server: ADA, tab: "b" })).load(all)).calls.map(({ call }) => call), [1],
      );
      await forgetStored(ADA);
    } finally {
      empty();
    }
    assert.deepEqual(await left(shim, ADA), []);
  } finally {
    globalThis.structuredClone = structuredClone;
  }
});
