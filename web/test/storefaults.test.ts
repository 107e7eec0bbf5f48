import assert from "node:assert/strict";
import { test } from "node:test";
import { forceCloseDatabase } from "fake-indexeddb";
import { memoryStore, type Op, openStore, wipeAll } from "../src/storage/storage.js";
import { all, because, bytes, end, head, nobody, row, rowsOf, text } from "./storecontract.js";
import { keyed } from "./storekeys.js";
import { full, Shim, until } from "./storeshim.js";

// Transactions that fail, and records that are not what they should be.

const open = (tab = "a"): ReturnType<typeof openStore> => openStore({ server: "s", tab });

/**
 * Makes a transaction abort after its requests have succeeded, with no error event: as Chrome does without
 * room.
 */
function abortWith(error: string): (tx: IDBTransaction) => void {
  return (tx) => {
    tx.commit = () => undefined;
    const store = tx.objectStore.bind(tx);
    tx.objectStore = (name) => {
      const objects = store(name);
      const add = objects.add.bind(objects);
      objects.add = (value) => {
        const request = add(value);
        request.onsuccess = () => (tx as unknown as { _abort(name: string): void })._abort(error);
        return request;
      };
      return objects;
    };
  };
}

test("TestFault62_68_AbortAfterEveryRequestSucceededRejects", async () => {
  const shim = new Shim();
  const store = await open();
  await store.commit([head(1), row(1, 1, 0)], false);
  shim.spoil(abortWith("QuotaExceededError"));
  await assert.rejects(store.commit([row(1, 1, 1)], false), because("quota"));
  assert.equal(shim.handles.length, 1); // no room is no reason to reopen
  shim.spoil(abortWith("DataError"));
  await assert.rejects(store.commit([row(1, 1, 1)], true), because("failed"));
  assert.deepEqual(await rowsOf(store, 1), ["1/1/0"]);
});

for (const [name, kill] of [
  [
    "the handle refuses transactions",
    (): never => { throw new DOMException("The database connection is closing.", "InvalidStateError"); },
  ],
  [
    "Safari's server is lost",
    (): never => {
      throw new DOMException(
        "Connection to Indexed Database server lost. Refresh the page to try again", "UnknownError",
      );
    },
  ],
] as const) {
  test(`TestFault64_DeadHandleIsReplacedOnceAndTheWorkRepeated: ${name}`, async () => {
    const shim = new Shim();
    const store = await open();
    await store.commit([head(1)], false);
    let tries = 0;
    shim.handle.transaction = () => (tries++, kill());
    await store.commit([row(1, 1, 0, "token")], false);
    assert.deepEqual([tries, shim.handles.length], [1, 2]);
    await store.commit([row(1, 1, 1)], false);
    assert.deepEqual(await rowsOf(store, 1), ["1/1/0 token", "1/1/1"]);

    // Dead again, and so is the next: then it is over, until the next operation.
    const broken = shim.factory.open;
    shim.factory.open = (...args) => {
      const request = broken(...args);
      request.addEventListener("success", () => {
        const real = shim.handle.transaction.bind(shim.handle);
        shim.handle.transaction = (stores, ...rest) =>
          ((stores as string[]).includes("log") ? kill() : real(stores, ...rest));
      });
      return request;
    };
    shim.handle.transaction = kill;
    await assert.rejects(store.commit([row(1, 1, 2)], false), because("lost"));
    await assert.rejects(store.load(all), because("lost"));
    shim.factory.open = broken;
    shim.handle.transaction = kill;
    await store.commit([row(1, 1, 2)], false);
    assert.deepEqual((await rowsOf(store, 1))?.length, 3);
  });
}

test("TestFault64_WhatWasStoredThoughTheConnectionBrokeIsNotStoredTwice", async () => {
  const shim = new Shim();
  const store = await open();
  /** The transaction completes, and the page hears that it broke. */
  const deaf = (tx: IDBTransaction): void => {
    tx.addEventListener("complete", () => {
      Object.defineProperty(tx, "error", { value: new DOMException("server lost", "UnknownError") });
      tx.onabort!(new Event("abort"));
    });
    Object.defineProperty(tx, "oncomplete", { set: () => undefined });
  };
  shim.spoil(deaf);
  await store.commit([head(1), row(1, 1, 0, "token")], false);
  assert.equal(shim.handles.length, 2);
  assert.deepEqual(await rowsOf(store, 1), ["1/1/0 token"]);

  const other = await open("b");
  shim.spoil(deaf);
  assert.deepEqual((await other.takeOver(1, 1))?.epoch, 2);
  shim.spoil(deaf);
  assert.deepEqual((await other.load(nobody)).calls.map((c) => [c.call, c.epoch, c.owned]), [[1, 2, true]]);
  shim.spoil(deaf);
  await other.commit(
    [{ kind: "server", plain: bytes("x"), secret: null }, { kind: "forget", call: 1 }], false,
  );
  assert.equal(await other.read(1), null);
});

test("TestFault64_TransactionThatHearsNothingEndsWithItsHandle", async () => {
  const shim = new Shim();
  const store = await open();
  await store.commit([head(1)], false);
  let deaf = 0;
  shim.spoil((tx) => {
    deaf++;
    for (const name of ["oncomplete", "onabort"]) Object.defineProperty(tx, name, { set: () => undefined });
  });
  const commit = store.commit([row(1, 1, 0, "token")], false);
  await until(() => deaf === 1);
  forceCloseDatabase(shim.handle as never);
  await commit;
  assert.deepEqual([shim.handles.length, await rowsOf(store, 1)], [2, ["1/1/0 token"]]);
});

test("TestFault70_DamagedRecordsAreSkippedCountedAndKept", async () => {
  const shim = new Shim();
  const store = await open();
  await store.commit(
    [head(1), row(1, 1, 0, "token"), row(1, 1, 1, "next"), head(2), row(2, 1, 0), head(3), row(3, 1, 0)],
    false,
  );
  await store.commit([{ kind: "server", plain: bytes("x"), secret: bytes("y") }], false);
  const deep = JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`) as unknown;
  await shim.edit("log", (log) => {
    const key = { server: "s", call: 1, epoch: 1 };
    log.put({ ...key, n: 1, plain: "text", secret: null });
    log.put({ ...key, n: 2, plain: bytes("p"), secret: 7 });
    log.put({ ...key, n: 3 });
    log.put({ ...key, n: 4.5, plain: bytes("p"), secret: null });
    log.put({ ...key, n: "5", plain: bytes("p"), secret: null });
    log.put({ ...key, n: 6, plain: deep, secret: deep });
    log.put({ ...key, n: 7, plain: bytes("seven"), secret: null, later: { of: "a newer version" } });
    log.put({ server: "s", call: "1", epoch: [], n: new Date(0), plain: bytes("p"), secret: null });
  });
  await shim.edit("calls", (calls) => {
    const good = { server: "s", owner: "a", sealed: [], plain: bytes("p") };
    calls.put({ ...good, call: 2, epoch: 1, owner: 7 });
    calls.put({ ...good, call: 4, epoch: 2, sealed: [1, 2] });
    calls.put({ ...good, call: 5, epoch: 2, sealed: ["1"] });
    calls.put({ ...good, call: 6, epoch: 0 });
    calls.put({ ...good, call: 7, epoch: 1, plain: deep });
    calls.put({ ...good, call: "8", epoch: 1 });
    calls.put({ ...good, call: 3, epoch: 1, later: 1 });
  });
  await shim.edit("servers", (servers) => servers.put({ server: "s", plain: null }));
  await shim.edit("ids", (ids) => ids.put({ server: "s", last: { valueOf: 1 } }));

  const next = await open("b");
  const loaded = await next.load(nobody);
  assert.ok(Number.isInteger(loaded.idEpoch) && loaded.idEpoch > 0, `${loaded.idEpoch}`);
  assert.deepEqual(loaded.server, null);
  assert.deepEqual(
    loaded.calls.map((c) => [c.call, c.epoch, c.rows.map((r) => [r.n, text(r.plain), text(r.secret)])]),
    [
      [1, 2, [[0, "1/1/0", "token"], [7, "seven", null]]],
      [3, 2, [[0, "3/1/0", null]]],
    ],
  );
  assert.equal((await next.usage()).quarantined, 14);
  assert.equal(await next.read(2), null);
  assert.equal(await next.takeOver(4, 2), null);
  const { log, calls } = await shim.dump();
  assert.equal(calls?.find((c) => c.call === 3).later, 1); // kept through the takeover
  assert.equal(log?.filter((r) => r.call === 2).length, 1); // its head may yet be one of a newer version
  await next.commit([{ kind: "forget", call: 1 }, { kind: "forget", call: 2 }], false);
  assert.equal((await shim.dump())["log"]?.filter((r) => r.call === 1 || r.call === 2).length, 0);
});

test("TestFault72_LargeContentsAreStoredAsBytes", async () => {
  const shim = new Shim();
  const store = await open();
  const large: Op = {
    kind: "log",
    call: 1,
    epoch: 1,
    n: 0,
    plain: new Uint8Array(50 << 20).fill(7),
    secret: bytes("[".repeat(5_000)),
  };
  await store.commit([head(1), large], true);
  const [found] = (await store.read(1))!.rows;
  assert.deepEqual(
    [found!.plain.length, found!.plain[49 << 20], found!.secret!.length], [50 << 20, 7, 5_000],
  );
  const [record] = (await shim.dump())["log"]!;
  assert.deepEqual(Object.keys(record).sort(), ["call", "epoch", "n", "plain", "secret", "server"]);
});

test("a commit without secrets is on its way before it returns, and committed without waiting", async () => {
  const shim = new Shim();
  const store = await open();
  let committed = 0;
  shim.spoil((tx) => {
    const commit = tx.commit.bind(tx);
    tx.commit = () => (committed++, commit());
  });
  const leaving = store.commit([head(1), row(1, 1, 0)], true);
  assert.equal(committed, 1);
  await leaving;
});

test("strict waits for the disk, relaxed does not", async () => {
  const shim = new Shim();
  const store = await open();
  const db = shim.handle;
  const asked: unknown[] = [];
  const real = db.transaction.bind(db);
  db.transaction = (stores, mode, options) => (asked.push(options?.durability), real(stores, mode, options));
  await store.commit([head(1)], true);
  await store.commit([row(1, 1, 0)], false);
  await store.load(all); // an id epoch must not be given twice
  assert.deepEqual(asked, ["strict", "relaxed", "strict"]);
});

test("an owner test that throws fails the load, and nothing was taken", async () => {
  new Shim();
  const store = await open();
  await store.commit([head(1)], false);
  const next = await open("b");
  const failing = next.load(() => {
    throw new TypeError("boom");
  });
  await assert.rejects(failing, because("failed"));
  assert.equal((await next.read(1))?.owner, "a");
});

test("TestFault70_HostileHeirs", async () => {
  const shim = new Shim();
  const a = await open("a");
  await a.commit([head(1), end(1, 1, 1)], false);
  const hostile: unknown[] = [null, 7, { a: { tab: "b", turn: 1, last: 9 } }];
  for (
    const heir of [
      null, "b", { tab: 1, turn: 1, last: 9 }, { tab: "b", turn: 0, last: 9 },
      { tab: "b", turn: 1.5, last: 9 }, { tab: "b", turn: 2 ** 40, last: 9 }, { tab: "b", turn: 1 },
    ]
  )
    hostile.push(new Map([["a", heir]]));
  for (const heirs of hostile) {
    await shim.edit("ids", (ids) => ids.put({ server: "s", last: 5, heirs }));
    const { idEpoch, calls } = await a.load(() => true);
    assert.deepEqual([idEpoch, calls.map((c) => [c.call, c.epoch, c.owner])], [6, [[1, 1, "a"]]]);
  }
});

test("Fault 440: a browser that cannot be told to commit keeps, reads and deletes all the same", async () => {
  const shim = new Shim();
  const cannot = (tx: IDBTransaction): void => void Object.defineProperty(tx, "commit", { value: undefined });
  const store = await open();
  shim.spoil(cannot);
  await store.commit([head(1), row(1, 1, 0, "token"), head(2)], true);
  assert.deepEqual(await rowsOf(store, 1), ["1/1/0 token"]);
  const other = await open("b");
  shim.spoil(cannot);
  assert.deepEqual((await other.takeOver(1, 1))?.epoch, 2);
  assert.deepEqual((await other.load(nobody)).calls.map((c) => c.call), [1, 2]);
  await other.commit([{ kind: "forget", call: 1 }], false);
  assert.equal(await other.read(1), null);
});

test("Fault 568: an ended call that a tab has taken over is its own to delete, and so is the key", async () => {
  for (const openAs of [open, async (tab: string) => memoryStore({ server: "s", tab })]) {
    new Shim();
    await wipeAll();
    const a = await openAs("a");
    await a.commit(
      [...keyed(1, "k"), end(1, 1, 2), ...keyed(2, "l"), end(2, 1, 2), ...keyed(3, "m"), end(3, 1, 2)], true,
    );
    const b = await openAs("b");
    assert.deepEqual((await b.load(nobody)).calls.map(({ owned }) => owned), [true, true, true]);
    // The store had failed when the app was done with it: it is deleted later, where it is still this tab's.
    assert.deepEqual(
      await b.commit([{ kind: "forget", call: 1, mine: true }, ...keyed(4, "k")], true),
      { sealed: true, fenced: [], lost: [] },
    );
    // A tab replaces its own call.
    assert.deepEqual((await b.commit(keyed(5, "l"), true)).lost, []);
    // Whose it was, back from the back/forward cache, does neither.
    assert.deepEqual((await a.commit([{ kind: "forget", call: 3, mine: true }], true)).fenced, [3]);
    assert.deepEqual(
      (await a.commit(keyed(6, "m"), true)).lost.map(({ holder }) => [holder?.call, holder?.owner]),
      [[3, "b"]],
    );
    assert.deepEqual((await b.load(all)).calls.map(({ call }) => call), [2, 3, 4, 5]);
  }
});

test("Fault 570: where there is no room what is stored is read all the same, and taken over once there is some", async () => {
  const shim = new Shim();
  const a = await open("a");
  await a.commit(
    [
      head(1),
      row(1, 1, 1, "token"),
      head(2),
      end(2, 1, 1),
      { kind: "server", plain: bytes("x"), secret: null },
    ],
    true,
  );
  const { idEpoch } = await a.load(all);
  const empty = full(shim);
  const b = await open("b");
  const read = await b.load(nobody);
  assert.deepEqual(
    read.calls.map(({ call, owner, owned, ended, rows }) => [call, owner, owned, ended, rows.length]),
    [[1, "a", false, false, 1], [2, "a", false, true, 1]],
  );
  assert.deepEqual([text(read.server!.plain), text(read.calls[0]!.rows[0]!.secret)], ["x", "token"]);
  assert.ok(read.idEpoch > 0 && read.idEpoch !== idEpoch + 1, "the next page is given that one");
  await assert.rejects(b.takeOver(1, 1), because("quota"));
  await b.commit([{ kind: "forget", call: 2 }], false);
  empty();
  assert.deepEqual([(await b.takeOver(1, 1))?.owned, (await b.load(all)).idEpoch], [true, idEpoch + 1]);
});

test("Fault 570: lists that can be asked for again make room for a page that begins, and for a call that is taken over", async () => {
  for (const work of ["load", "takeOver"] as const) {
    const shim = new Shim();
    const a = await open("a");
    await a.commit([head(1), row(1, 1, 1)], true);
    const now = Date.now();
    await a.results!.put([
      { list: "tools", digest: "d", asked: now, at: now, until: now + 60_000, bytes: bytes("list") },
    ]);
    const b = await open("b");
    let lists = true;
    const empty = full(shim, (tx) => {
      const { objectStore } = tx;
      tx.objectStore = (name) => {
        const store = objectStore.call(tx, name);
        const { delete: remove } = store;
        store.delete = (query) => {
          if (String((query as IDBKeyRange).lower).startsWith("results ")) lists = false;
          return remove.call(store, query);
        };
        return store;
      };
      return !lists;
    });
    const calls = work === "load" ? (await b.load(nobody)).calls : [await b.takeOver(1, 1)];
    assert.deepEqual([calls.map((one) => one?.owned), lists], [[true], false], work);
    empty();
  }
});

test("Fault 572: a list that has changed is not there for the next page, room or not", async () => {
  const shim = new Shim();
  const a = await open("a");
  const now = Date.now();
  const name = { list: "tools", digest: "d" } as const;
  await a.results!.put([{ ...name, asked: now, at: now, until: now + 60_000, bytes: bytes("list") }]);
  const empty = full(shim);
  try {
    await a.results!.drop(["tools"], now);
  } finally {
    empty();
  }
  assert.equal(await (await open("b")).results!.get(name), null);
});

test("Fault 611: where the lists that go make room for it, it is noted that one has changed", async () => {
  const shim = new Shim();
  const a = await open("a");
  const now = Date.now();
  const name = { list: "tools", digest: "d" } as const;
  const list = { ...name, at: now, until: now + 60_000, bytes: bytes("list") };
  await a.results!.put([{ ...list, asked: now }]);
  let lists = true;
  const empty = full(shim, (tx) => {
    tx.addEventListener("complete", () => (lists = false)); // what only deletes
    return !lists;
  });
  try {
    await a.results!.drop(["tools"], now + 1);
  } finally {
    empty();
  }
  const b = await open("b"); // had asked before
  await b.results!.put([{ ...list, asked: now }]);
  assert.equal(await b.results!.get(name), null);
});

test("Fault 732: storage that the browser denies is missing, and a logout there is done", async () => {
  const shim = new Shim();
  const refuse = (): IDBOpenDBRequest => {
    const request = Object.assign(
      new EventTarget(),
      { error: new DOMException("The user denied permission to access the database.", "UnknownError") },
    ) as unknown as IDBOpenDBRequest;
    setTimeout(() => request.onerror!(new Event("error")), 0);
    return request;
  };
  const { open: opens, deleteDatabase } = shim.factory;
  Object.assign(shim.factory, { open: refuse, deleteDatabase: refuse });
  try {
    await assert.rejects(open(), because("missing"));
    await wipeAll();
  } finally {
    Object.assign(shim.factory, { open: opens, deleteDatabase });
  }
});
