import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetFormerly } from "../src/tabs/forget.js";
import { formerKeys, openStore, serverKey } from "../src/storage/storage.js";
import { all, bytes, head, row } from "./storecontract.js";
import { Shim } from "./storeshim.js";

// What the last build stored under other keys: it left paths as they were, and asked
// nobody who they are.

const PATHS = ["/mcp", "/", "/hunter2/mcp", "/mcp?key=hunter2"];

/** The key of the last build, as it made it. */
async function lastBuildsKey(url: string, principal: string): Promise<string> {
  const { protocol, host, pathname, username, password, search } = new URL(url);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify([username, password, search, principal])));
  return `${protocol}//${host}${pathname}#${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Stores a call as the last build did: its stores had no generation. */
async function storedByTheLastBuild(shim: Shim, server: string): Promise<void> {
  for (const [store, record] of [
    ["ids", { server, epoch: 3 }],
    ["servers", { server, plain: bytes("handshake"), secret: null }],
    ["calls", { server, call: 1, epoch: 1, owner: "a", sealed: [], plain: bytes("arguments") }],
    ["log", { server, call: 1, epoch: 1, n: 1, plain: bytes("event"), secret: null }],
  ] as const) {
    await shim.edit(store, (records) => void records.put(record));
  }
}

/** Of which servers there are records, but for the database's own. */
async function servers(shim: Shim): Promise<string[]> {
  const { keys = [], ...stores } = await shim.dump();
  const named = keys.map(({ name }) => String(name).split(" ")[1] ?? "").filter((name) => /^https:/.test(name));
  return [...new Set([...named, ...Object.values(stores).flatMap((records) => records.map(({ server }) => String(server)))])].sort();
}

/** Another user's page makes the database, or finds it. */
async function opened(server: string): Promise<void> {
  const store = await openStore({ server, tab: "b" });
  await store.load(all);
  await store.commit([head(1), row(1, 1, 1)], false);
  store.close();
}

test("Fault 163: forget() deletes what the last build stored under the other keys of this address", async () => {
  for (const path of PATHS) {
    const url = `https://a.test${path}`;
    for (const principal of ["ada", "", undefined]) {
      for (const swept of [false, true]) {
        const shim = new Shim();
        const others = ["https://a.test/other#1", await serverKey(url, "bob"), await lastBuildsKey(url, "bob")].sort();
        for (const server of new Set(others)) await opened(server);
        const mine = principal === undefined ? [] : [await serverKey(url, principal)];
        const former = [await lastBuildsKey(url, principal ?? ""), await lastBuildsKey(url, "")].filter((server) => !mine.includes(server));
        for (const server of former) {
          await storedByTheLastBuild(shim, server);
          if (swept) await shim.edit("keys", (keys) => void keys.put({ name: `generation ${server}`, value: "1", at: 1, unopened: true }));
        }
        await forgetFormerly(await formerKeys(url, principal));
        assert.deepEqual(await servers(shim), [...new Set(others)], `${path} of ${principal}`);
      }
    }
  }
});

test("Fault 163: a store that this build has opened belongs to another user, and stays", async () => {
  const shim = new Shim();
  const nobodys = await serverKey("https://a.test/mcp", "");
  await opened(nobodys); // before anybody signed in
  await forgetFormerly(await formerKeys("https://a.test/mcp", "ada"));
  assert.deepEqual(await servers(shim), [nobodys]);
  // One that a sweep has found first, and that was opened after it.
  await shim.edit("keys", (keys) => void keys.put({ name: `generation ${nobodys}`, value: "1", at: 1, unopened: true }));
  await opened(nobodys).catch(() => undefined);
  await forgetFormerly(await formerKeys("https://a.test/mcp", "ada"));
  assert.deepEqual(await servers(shim), [nobodys]);
});

test("Fault 163: where nothing is stored forget() makes nothing", async () => {
  const shim = new Shim();
  await forgetFormerly(await formerKeys("https://a.test/mcp", "ada"));
  assert.deepEqual(await shim.factory.databases(), []);
});
