import assert from "node:assert/strict";
import { test } from "node:test";
import { forceCloseDatabase } from "fake-indexeddb";
import { memoryStore, openStore, type Store, wipeAll } from "../src/storage/storage.js";
import { openDatabase } from "../src/storage/open.js";
import { all, because, head, row, rowsOf } from "./storecontract.js";
import { Shim, until, withGlobal } from "./storeshim.js";

// The database that cannot be had, and the one that goes away: opening, the
// other tabs, other versions, site data that is cleared.

/** An open store, and what it said. */
async function opened(tab = "a"): Promise<{ store: Store; said: string[] }> {
  const said: string[] = [];
  const store = await openStore({
    server: "s",
    tab,
    onLost: (why) => said.push(`lost ${why}`),
    onBlocked: () => said.push("blocked"),
  });
  return { store, said };
}

test("TestFault63_MissingOrForbiddenDatabaseIsReported", async () => {
  const missing = (): Promise<void> =>
    assert.rejects(openStore({ server: "s", tab: "a" }), because("missing"));
  await withGlobal("indexedDB", { value: undefined }, async () => {
    await missing();
    await wipeAll();
    const store = memoryStore({ server: "s", tab: "a" });
    await store.commit([head(1)], true);
    assert.equal(store.durability, "memory");
  });
  const refuse = (): never => {
    throw new DOMException("The operation is insecure.", "SecurityError");
  };
  await withGlobal("indexedDB", { get: refuse }, async () => {
    await missing();
    await wipeAll();
  });
  await withGlobal("indexedDB", { value: { open: refuse } }, missing);
  // A private window of some browsers: it is there, and refuses later.
  const request: Partial<IDBOpenDBRequest> = {
    error: new DOMException("A mutation was refused.", "InvalidStateError"),
  };
  setTimeout(() => request.onerror!.call(request as IDBOpenDBRequest, new Event("error")));
  await withGlobal("indexedDB", { value: { open: () => request } }, missing);
});

test("TestFault63_HungOpenIsGivenUpAndClosedIfItComesLate", async () => {
  let blocked = 0;
  const request: any = {};
  await withGlobal("indexedDB", { value: { open: () => request } }, async () => {
    const open = openDatabase(() => blocked++, { patience: { blocked: 5, timeout: 10 } });
    await assert.rejects(open, because("timeout"));
  });
  assert.equal(blocked, 1);
  let closed = false;
  request.result = { close: () => (closed = true) };
  request.onsuccess();
  assert.ok(closed, "the late handle stays open, and blocks everybody else");
});

test("TestFault84_SleptWhileTheDatabaseOpened", async () => {
  const sleep = (): void => {
    const woken = performance.now() + 350;
    while (performance.now() < woken);
  };
  const request: any = { result: {} };
  await withGlobal("indexedDB", { value: { open: () => request } }, async () => {
    const slept = openDatabase(() => undefined, { patience: { blocked: 5, timeout: 50 } });
    sleep();
    setTimeout(() => request.onsuccess(), 5); // after the timer that is overdue
    assert.equal(await slept, request.result);

    const hung = openDatabase(() => undefined, { patience: { blocked: 5, timeout: 50 } });
    sleep();
    setTimeout(sleep, 5); // a second time is no excuse
    await assert.rejects(hung, because("timeout"));
  });
});

test("Fault 470: a database that a busy browser opens late is waited for, and a hung one is not", async () => {
  const patience = { blocked: 5, timeout: 10, slow: 400 };
  const never = new Promise<never>(() => {});
  const opening =
    async (databases: (() => Promise<unknown>) | undefined, succeedsAfter: number): Promise<string> => {
    const request: any = { result: { close: () => undefined } };
    let ended = "";
    await withGlobal("indexedDB", { value: { open: () => request, databases } }, async () => {
      const open = openDatabase(() => undefined, { patience });
      setTimeout(() => request.onsuccess(), succeedsAfter);
      ended = await open.then(() => "open", (error) => error.reason);
    });
    return ended;
  };
  assert.equal(await opening(() => never, 100), "open", "the browser answers nothing: it is slow");
  assert.equal(await opening(() => never, 2_000), "timeout", "nor for ever");
  assert.equal(await opening(async () => [], 100), "timeout", "it answers: another page holds the database");
  assert.equal(await opening(undefined, 100), "timeout", "a browser that cannot be asked");
});

test("TestFault66_OpenBehindABlockedOneSaysSoAndGoesOnWhenFreed", async () => {
  const shim = new Shim();
  const old = await shim.other(1); // an old tab: no versionchange handler
  shim.factory.deleteDatabase("holdfast");
  let blocked = 0;
  await assert.rejects(
    openDatabase(() => blocked++, { patience: { blocked: 5, timeout: 10 } }), because("timeout"),
  );
  const open = openDatabase(() => blocked++, { patience: { blocked: 5, timeout: 5_000 } });
  await until(() => blocked === 2);
  old.close();
  (await open).close();
});

test("TestFault66_OpenThatIsBlockedItselfIsReportedAsBlocked", async () => {
  const request: any = {};
  setTimeout(() => request.onblocked());
  await withGlobal("indexedDB", { value: { open: () => request } }, () =>
    assert.rejects(
      openDatabase(() => undefined, { patience: { blocked: 5, timeout: 10 } }), because("blocked"),
    ),
  );
});

test("TestFault60_OldPageStopsWritingForANewerVersionAndNeverWipes", async () => {
  const shim = new Shim();
  const { store, said } = await opened();
  await store.commit([head(1), row(1, 1, 0)], false);
  const newer = await shim.other(2); // would hang if the store held on
  assert.deepEqual(said, ["lost newer"]);
  await assert.rejects(store.commit([row(1, 1, 1)], false), because("newer"));
  await assert.rejects(store.load(all), because("newer"));
  await assert.rejects(openStore({ server: "s", tab: "b" }), because("newer"));
  newer.close();
  const { calls, log } = await shim.dump();
  assert.deepEqual([calls?.length, log?.length], [1, 1]);
});

test("TestFault60_UpgradeThatCameToNothingLeavesTheStoreWorking", async () => {
  const shim = new Shim();
  const { store, said } = await opened();
  await store.commit([head(1)], false);
  await assert.rejects(
    shim.other(2, (request) => (request.onupgradeneeded = () => request.transaction!.abort())),
    (error) => (error as DOMException).name === "AbortError",
  );
  await store.commit([row(1, 1, 0)], false);
  assert.deepEqual([said, await rowsOf(store, 1)], [["lost newer"], ["1/1/0"]]);
});

test("TestFault65_ClearedSiteDataIsNoticedByEveryTab", async () => {
  const shim = new Shim();
  const [a, b] = [await opened("a"), await opened("b")];
  await a.store.commit([head(1), row(1, 1, 0, "token")], false);
  const { handles } = shim;
  // As Chrome does it: the handles are closed, the data goes, close is fired.
  const [one, two] = [handles[0]!, handles[1]!];
  const gone = new Promise((resolve) => {
    shim.factory.deleteDatabase("holdfast").onsuccess = resolve;
  });
  one.onversionchange = two.onversionchange = null;
  forceCloseDatabase(one as never);
  forceCloseDatabase(two as never);
  await gone;
  await until(() => a.said.length > 0 && b.said.length > 0);
  assert.deepEqual([a.said, b.said], [["lost closed"], ["lost closed"]]);
  // It may have been a logout: neither writes back what is alive in it.
  for (const { store } of [a, b])
    await assert.rejects(store.commit([head(1), row(1, 1, 0, "token")], false), because("closed"));
  assert.deepEqual(await shim.factory.databases(), []);
});

test("TestFault65_CommitForADatabaseThatIsGoneIsRefused", async () => {
  const shim = new Shim();
  const { store, said } = await opened();
  await store.commit([head(1)], false);
  // No close event: the next operation finds the handle dead.
  const db = shim.handle;
  db.onversionchange = db.onclose = null;
  db.close();
  await new Promise((resolve) => (shim.factory.deleteDatabase("holdfast").onsuccess = resolve));
  await assert.rejects(store.commit([row(1, 1, 0)], false), because("closed"));
  await assert.rejects(store.commit([row(1, 1, 0)], false), because("closed"));
  assert.deepEqual([said, await shim.factory.databases()], [["lost closed"], []]);
});

test("TestFault65_HandleThatBreaksWhileItIsMadeIsTriedAgain", async () => {
  const shim = new Shim();
  const { store, said } = await opened();
  await store.commit([head(1)], false);
  // Chrome also closes a handle that was opened before the data has gone.
  const open = shim.factory.open;
  let broken = 0;
  shim.factory.open = (...args) => {
    const request = open(...args);
    request.addEventListener("success", () => {
      if (broken++ < 2) request.result.close();
    });
    return request;
  };
  forceCloseDatabase(shim.handle as never);
  await store.commit([row(1, 1, 0)], false);
  assert.deepEqual([broken, said], [3, []]);
});

test("a handle that closes with its data in place is replaced without a word", async () => {
  const shim = new Shim();
  const { store, said } = await opened();
  await store.commit([head(1), row(1, 1, 0, "token")], false);
  forceCloseDatabase(shim.handle as never);
  await until(() => shim.handles.length === 2);
  await store.commit([row(1, 1, 1, "next")], false);
  assert.deepEqual([said, await rowsOf(store, 1)], [[], ["1/1/0 token", "1/1/1 next"]]);
});

test("a wipe clears the contents even where an old tab holds the database", async () => {
  const shim = new Shim();
  const { store, said } = await opened();
  await store.commit([head(1), row(1, 1, 0, "token")], false);
  const frozen = await shim.other(); // never hears of it
  await wipeAll();
  assert.deepEqual(said, ["lost closed"]);
  const tx = frozen.transaction(["calls", "log", "keys"], "readonly");
  const counts: number[] = [];
  for (const name of ["calls", "log", "keys"]) {
    const request = tx.objectStore(name).count();
    request.onsuccess = () => counts.push(request.result);
  }
  await new Promise((resolve) => (tx.oncomplete = resolve));
  assert.deepEqual(counts, [0, 0, 1]); // its tombstone: a random number
  frozen.close();
});
