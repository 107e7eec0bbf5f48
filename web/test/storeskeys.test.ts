import assert from "node:assert/strict";
import { test } from "node:test";
import { storesKeys, tryKey } from "../src/storage/storeskeys.js";
import { Shim } from "./storeshim.js";

type Put = IDBObjectStore["put"];

/** Runs with what IndexedDB's `put` is, which knows the real one. */
async function withPut(
  put: (this: IDBObjectStore, real: Put, ...args: Parameters<Put>) => IDBRequest<IDBValidKey>,
  run: () => Promise<void>,
): Promise<void> {
  const db = await new Shim().other(
    1, (request) => (request.onupgradeneeded = () => request.result.createObjectStore("any")),
  );
  const proto = Object.getPrototypeOf(db.transaction("any").objectStore("any")) as IDBObjectStore;
  db.close();
  const { put: real } = proto;
  proto.put = function (this: IDBObjectStore, ...args) {
    return put.call(this, real, ...args);
  };
  try {
    await run();
  } finally {
    proto.put = real;
  }
}

const cannot = (): never => {
  // as WebKitGTK 2.50 has it in a shared worker
  throw new DOMException("The object can not be cloned.", "DataCloneError");
};

test("Fault 451: whether a key can be stored is tried, and the trial leaves nothing", async () => {
  const works = new Shim();
  assert.equal(await tryKey(), true);
  assert.deepEqual(await works.factory.databases(), []);
  await withPut(cannot, async () => {
    assert.equal(await tryKey(), false);
    assert.deepEqual(await indexedDB.databases(), [{ name: "holdfast", version: 1 }], "that of the test");
  });
  // A browser that finds out later than put.
  await withPut(
    function (real, ...args) {
      const request = real.apply(this, args);
      const late = { error: new DOMException("", "DataCloneError") } as IDBRequest<IDBValidKey>;
      request.onsuccess = () => late.onerror?.call(late, { preventDefault: () => {} } as Event);
      return late;
    },
    async () => assert.equal(await tryKey(), false),
  );
  assert.equal(await storesKeys(), true);
  await withPut(
    cannot, async () => assert.equal(await storesKeys(), true, "every page of a worker hears the same"),
  );
  // Of other failures the store itself says what they mean.
  await withPut(
    () => { throw new DOMException("", "QuotaExceededError"); },
    async () => assert.equal(await tryKey(), true),
  );
});

test("Fault 451: where nothing can be known of keys a worker is as good as any", async () => {
  const { setTimeout } = globalThis;
  // a fast clock
  globalThis.setTimeout = (
    (run: (value: unknown) => void, ms = 0, ...args: unknown[]) => setTimeout(run, ms / 1_000, ...args)
  ) as typeof setTimeout;
  try {
    globalThis.indexedDB = { open: () => ({}) } as unknown as IDBFactory;
    assert.equal(await tryKey(), true, "it hangs");
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  Reflect.deleteProperty(globalThis, "indexedDB");
  assert.equal(await tryKey(), true, "there is none");
});
