import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetRevision, lastRevision, noteRevision } from "../src/storage/revisions.js";
import { openStore, wipeAll } from "../src/storage/storage.js";
import { Shim } from "./storeshim.js";

const SERVER = "https://a.test/mcp";
const OTHER = "https://b.test/mcp";

/** A page's localStorage with these items, and room for so many characters in one. */
function localOf(items: Map<string, string>, room: { left: number } = { left: Infinity }): object {
  const setItem = (name: string, text: string): void => {
    if (text.length > room.left) throw new DOMException("it is full", "QuotaExceededError");
    items.set(name, text);
  };
  return {
    getItem: (name: string) => items.get(name) ?? null, setItem,
    removeItem: (name: string) => items.delete(name),
  };
}

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
  await shim.edit(
    "keys",
    (keys) => void keys.put({
      name: "revisions", value: JSON.stringify([[OTHER, "2025-03-26"], [SERVER, "2025-11-25"], "garbage"]),
    }),
  );
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
  Object.defineProperty(globalThis, "localStorage", { value: localOf(items), configurable: true });
  try {
    (await openStore({ server: "s", tab: "t" })).close();
    await noteRevision(SERVER, "2025-11-25");
    assert.deepEqual(
      [await stored(shim), items.size, await lastRevision(SERVER)], [undefined, 1, "2025-11-25"],
    );
    await shim.edit(
      "keys", (keys) => void keys.put({ name: "revisions", value: JSON.stringify([[SERVER, "2025-11-25"]]) }),
    );
    await forgetRevision(SERVER);
    assert.deepEqual([await stored(shim), items.size], ["[]", 0]);
  } finally {
    Reflect.deleteProperty(globalThis, "localStorage");
  }
});

test("Fault 212: what another page has deleted a worker does not remember", async () => {
  const shim = new Shim();
  (await openStore({ server: "s", tab: "t" })).close();
  await noteRevision(SERVER, "2025-11-25");
  assert.equal(await lastRevision(SERVER), "2025-11-25");
  await shim.edit("keys", (keys) => void keys.delete(["revisions"])); // another page's logout
  assert.equal(await lastRevision(SERVER), "");
  await noteRevision(SERVER, "2025-11-25");
  await wipeAll();
  assert.deepEqual([await shim.factory.databases(), await lastRevision(SERVER)], [[], ""]);
});

test("Fault 212: a page whose localStorage is full remembers by itself, as long as it is", async () => {
  const items = new Map<string, string>();
  const room = { left: 60 };
  Object.defineProperty(globalThis, "localStorage", { value: localOf(items, room), configurable: true });
  try {
    await noteRevision(OTHER, "2025-06-18");
    await noteRevision(SERVER, "2025-06-18");
    await noteRevision(OTHER, "2025-11-25");
    assert.deepEqual([await lastRevision(SERVER), await lastRevision(OTHER)], ["2025-06-18", "2025-11-25"]);
    room.left = Infinity;
    await noteRevision(OTHER, "2025-03-26");
    assert.equal(
      items.get("holdfast:revisions"), JSON.stringify([[SERVER, "2025-06-18"], [OTHER, "2025-03-26"]]),
    );
    items.clear(); // another page's logout
    assert.deepEqual([await lastRevision(SERVER), await lastRevision(OTHER)], ["", ""]);
  } finally {
    Reflect.deleteProperty(globalThis, "localStorage");
  }
});
