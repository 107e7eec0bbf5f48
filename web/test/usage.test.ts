import assert from "node:assert/strict";
import { test } from "node:test";
import { usageOf } from "../src/storage/usage.js";
import { HoldfastError } from "../src/base/errors.js";
import { memoryStore, type Store, StoreError, type StoreReason } from "../src/storage/storage.js";

test("Fault 146: of a store that is deleted or closed nothing is stored", async () => {
  const store = memoryStore({ server: "usage", tab: "a" });
  assert.equal((await usageOf(store))?.calls, 0);
  store.close();
  assert.equal(await usageOf(store), null);
});

test("Fault 146: a store that cannot be read now says so with a typed error", async () => {
  const refusing = (error: Error): Store => ({ usage: () => Promise.reject(error) }) as unknown as Store;
  for (const reason of ["closed", "missing"] as StoreReason[])
    assert.equal(await usageOf(refusing(new StoreError(reason, reason))), null);
  for (
    const error of [
      ...(
        ["timeout", "lost", "newer", "blocked"] as StoreReason[]
      ).map((reason) => new StoreError(reason, reason)),
      new TypeError("odd"),
    ]
  ) {
    await assert.rejects(
      usageOf(refusing(error)),
      (e: unknown) => e instanceof HoldfastError && e.code === "storage_failed" && e.cause === error &&
        e.op === "stored",
    );
  }
});
