import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryAuthStore } from "../src/auth/memorystore.js";
import { SplitAuthStore } from "../src/auth/splitstore.js";
import type { AuthStore } from "../src/auth/hands.js";
import { AuthRows } from "../src/storage/authrows.js";
import { identify } from "../src/storage/keys.js";
import { openDatabase } from "../src/storage/open.js";
import { StoreError } from "../src/storage/store.js";
import { wipeAll } from "../src/storage/wipeall.js";
import { authStoreContract } from "./authstorecontract.js";
import { Shim } from "./storeshim.js";

authStoreContract("memory", () => {
  const store = new MemoryAuthStore();
  return Promise.resolve({ host: () => store });
});

authStoreContract("split", () => {
  const store = new SplitAuthStore(new MemoryAuthStore(), new MemoryAuthStore());
  return Promise.resolve({ host: () => store });
});

/** A host with a handle of its own. */
async function host(): Promise<AuthRows & { close(): void }> {
  const db = await openDatabase(() => {});
  const known = (await identify(db, "s"))!;
  db.onversionchange = () => db.close();
  return Object.assign(new AuthRows(() => Promise.resolve({ db, ...known })), { close: () => db.close() });
}

authStoreContract("IndexedDB", async () => {
  new Shim();
  const hosts = [await host(), await host()];
  let n = 0;
  return { host: (): AuthStore => hosts[n++ % 2]! };
});

test("nothing of a value can be read in the database, and a row does not open under another name", async () => {
  const shim = new Shim();
  const rows = await host();
  await rows.set("grant/a", 0, { refreshToken: "canary-4711" });
  await rows.set("grant/b", 0, { refreshToken: "other" });
  const stored = (await shim.dump())["keys"]!;
  const a = stored.find(({ name }) => name === "auth grant/a");
  const seen = (value: unknown): boolean => {
    if (value instanceof Uint8Array) return new TextDecoder("latin1").decode(value).includes("canary");
    if (typeof value === "string") return value.includes("canary");
    return typeof value === "object" && value !== null && Object.values(value).some(seen);
  };
  assert.ok(a && !seen(stored));
  await shim.edit("keys", (keys) => void keys.put({ ...a, name: "auth grant/b" }));
  assert.equal(await rows.get("grant/b"), undefined);
  // What cannot be opened is gone, and can be written again.
  assert.ok(await rows.set("grant/b", 0, { refreshToken: "new" }));
  for (
    const broken of [
      { name: "auth x" }, { name: "auth x", version: 7 },
      { name: "auth x", version: 7, sealed: "x", keys: [] },
    ]
  ) {
    await shim.edit("keys", (keys) => void keys.put(broken));
    assert.equal(await rows.get("x"), undefined);
    assert.ok(await rows.set("x", 0, 1));
  }
});

test("after a wipe nothing is left, and who does not know of it writes nothing back", async () => {
  new Shim();
  const rows = await host();
  await rows.set("grant/a", 0, 1);
  const other = await host();
  await wipeAll();
  const next = await host();
  assert.deepEqual([await next.keys(""), await next.get("grant/a")], [[], undefined]);
  for (const old of [rows, other]) {
    const error = await old.set("grant/a", 0, 2).then((done) => done, (reason: unknown) => reason);
    assert.ok(error instanceof StoreError, String(error));
  }
  assert.deepEqual(await next.keys(""), []);
});

test("a tab that is frozen while the origin is wiped writes nothing when it thaws", async () => {
  new Shim();
  const frozen = await openDatabase(() => {});
  const known = (await identify(frozen, "s"))!;
  const rows = new AuthRows(() => Promise.resolve({ db: frozen, ...known }));
  await rows.set("grant/a", 0, 1);
  await wipeAll();
  const error = await rows.set("grant/a", 0, 2).then(() => undefined, (reason: unknown) => reason);
  assert.ok(error instanceof StoreError && error.reason === "closed", String(error));
  assert.deepEqual(await rows.keys(""), []);
  frozen.close();
});

test("without a cipher nothing is written", async () => {
  new Shim();
  const db = await openDatabase(() => {});
  const { mark } = (await identify(db, "s"))!;
  const error = await new AuthRows(() => Promise.resolve({ db, key: null, mark })).set("k", 0, 1).then(
    () => undefined, (reason: unknown) => reason,
  );
  assert.ok(error instanceof StoreError && error.reason === "missing");
});

test("grants are in memory, flows and registrations rest", async () => {
  const [memory, rest] = [new MemoryAuthStore(), new MemoryAuthStore()];
  const store = new SplitAuthStore(memory, rest);
  for (const key of ["grant/a", "flow/a", "client/a", "epoch/a"]) await store.set(key, 0, 1);
  assert.deepEqual(
    [await memory.keys(""), (await rest.keys("")).sort()], [["grant/a"], ["client/a", "epoch/a", "flow/a"]],
  );
});
