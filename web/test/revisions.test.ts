import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetRevision, lastRevision, noteRevision } from "../src/storage/revisions.js";
import { openStore, wipeAll } from "../src/storage/storage.js";
import { Shim } from "./storeshim.js";

const SERVER = "https://a.test/mcp";
const OTHER = "https://b.test/mcp";

/** What the database has of revisions. */
async function stored(shim: Shim): Promise<unknown> {
  await lastRevision(SERVER); // behind what is being written
  const { keys = [] } = await shim.dump();
  return keys.find(({ name }) => name === "revisions")?.["value"];
}

test("Fault 212: which revision a server spoke last is in the database where there is no localStorage", async () => {
  const shim = new Shim();
  // Where there is no database none is made for it.
  await noteRevision(SERVER, "2025-06-18");
  assert.equal(await lastRevision(SERVER), "2025-06-18");
  assert.deepEqual(await shim.factory.databases(), []);

  (await openStore({ server: "s", tab: "t" })).close();
  await noteRevision(SERVER, "2025-11-25");
  await noteRevision(SERVER, "2025-11-25");
  assert.equal(await stored(shim), JSON.stringify([[SERVER, "2025-11-25"]]));
  // Another worker has noted one; this one knows it without having met that server.
  await shim.edit("keys", (keys) => void keys.put({ name: "revisions", value: JSON.stringify([[OTHER, "2025-03-26"], [SERVER, "2025-11-25"], "garbage"]) }));
  assert.deepEqual([await lastRevision(OTHER), await lastRevision(SERVER)], ["2025-03-26", "2025-11-25"]);
  for (let n = 0; n < 120; n++) await noteRevision(`https://${n}.test/mcp`, "2025-11-25");
  assert.equal((JSON.parse(String(await stored(shim))) as unknown[]).length, 100);
  await noteRevision(SERVER, "2025-11-25");
  await forgetRevision(SERVER);
  assert.equal(await lastRevision(SERVER), "");
  await wipeAll();
  assert.deepEqual(await shim.factory.databases(), []);
});

test("Fault 212: a page that has localStorage puts nothing of it into the database, and forgets what a worker has put there", async () => {
  const shim = new Shim();
  const items = new Map<string, string>();
  const local = { getItem: (name: string) => items.get(name) ?? null, setItem: (name: string, text: string) => items.set(name, text), removeItem: (name: string) => items.delete(name) };
  Object.defineProperty(globalThis, "localStorage", { value: local, configurable: true });
  try {
    (await openStore({ server: "s", tab: "t" })).close();
    await noteRevision(SERVER, "2025-11-25");
    assert.deepEqual([await stored(shim), items.size, await lastRevision(SERVER)], [undefined, 1, "2025-11-25"]);
    await shim.edit("keys", (keys) => void keys.put({ name: "revisions", value: JSON.stringify([[SERVER, "2025-11-25"]]) }));
    await forgetRevision(SERVER);
    assert.deepEqual([await stored(shim), items.size], ["[]", 0]);
  } finally {
    Reflect.deleteProperty(globalThis, "localStorage");
  }
});
