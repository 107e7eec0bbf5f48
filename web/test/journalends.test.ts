import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore } from "../src/storage/storage.js";
import { Journal } from "../src/tabs/journal.js";
import { all, head, row } from "./storecontract.js";
import { full, Shim, until } from "./storeshim.js";

// A page's journal, as its page ends.

globalThis.addEventListener ??= () => {};

test("Fault 612: a page that is closed waits for each commit that it has begun", async () => {
  const shim = new Shim();
  const { journal } = await Journal.open("s", false);
  const other = await openStore({ server: "s", tab: "other" });
  await other.commit([head(1), row(1, 1, 1)], true);
  let refused = 0;
  const empty = full(shim, (tx) => {
    tx.addEventListener("abort", () => refused++);
    return false;
  });
  try {
    // is made once more, without its tombstone
    journal.commit(1, { strict: false, unawaited: true }, [{ kind: "forget", call: 1, outcome: 1 }]);
    journal.commit(2, { strict: false, unawaited: false }, []);
    journal.close();
    await until(() => refused > 0);
    await journal.landed();
  } finally {
    empty();
  }
  assert.deepEqual((await other.load(all)).calls, []);
});
