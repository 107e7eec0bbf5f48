import assert from "node:assert/strict";
import { test } from "node:test";
import { loadedStore } from "../src/tabs/orphans.js";
import type { Tab } from "../src/tabs/tab.js";
import { openStore } from "../src/storage/storage.js";
import { because, bytes, end, head, row } from "./storecontract.js";
import { Shim } from "./storeshim.js";

const tab = (living: () => Promise<Set<string>>): Tab => ({ name: "c", living }) as unknown as Tab;

for (const [when, late] of [["while the logs are read", false], ["only after that", true]] as const) {
  test(`what pages have left that are gone is taken over where it is told who lives ${when}`, async () => {
    const shim = new Shim();
    const [a, b, c] = await Promise.all(["a", "b", "c"].map((name) => openStore({ server: "s", tab: name })));
    await a!.commit(
      [
        head(1), end(1, 1, 1), head(2), row(2, 1, 1, "token"), head(3),
        { kind: "server", plain: bytes("x"), secret: null },
      ],
      false,
    );
    await b!.commit([head(4), row(4, 1, 1), head(5), end(5, 1, 1)], false);
    let heads = false;
    let read = Promise.resolve();
    shim.spoil((tx) => {
      const { objectStore } = tx;
      read = new Promise((resolve) => tx.addEventListener("complete", () => resolve()));
      tx.objectStore = (name) => {
        heads ||= name === "calls";
        return objectStore.call(tx, name);
      };
    });
    const { loaded, living } = await loadedStore(
      c!,
      tab(async () => {
        assert.ok(heads, "nobody could know yet who carries what");
        if (late) await read;
        return new Set(["b", "c"]);
      }),
    );
    assert.deepEqual(
      loaded.calls.map((x) => [x.call, x.epoch, x.owner, x.owned]),
      [[1, 2, "c", true], [2, 2, "c", true], [3, 2, "c", true], [4, 1, "b", false], [5, 1, "b", false]],
    );
    assert.deepEqual([...living], ["b", "c"]);
  });
}

test("where the store cannot be read, that is what is said, whatever becomes of the question who lives", async () => {
  const shim = new Shim();
  const store = await openStore({ server: "s", tab: "c" });
  await store.commit([head(1)], false);
  shim.spoil((tx) => {
    const { objectStore } = tx;
    tx.objectStore = (name) => {
      if (name === "log") throw new DOMException("no", "DataError");
      return objectStore.call(tx, name);
    };
  });
  await assert.rejects(
    loadedStore(store, tab(() => Promise.reject(new Error("no locks any more")))), because("failed"),
  );
});
