import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStore, openStore, placeOf, serverKey, wipeAll } from "../src/storage/storage.js";
import { nextIdEpoch } from "../src/storage/rows.js";
import { contract } from "./storecontract.js";
import { Shim } from "./storeshim.js";

contract("IndexedDB", () => {
  new Shim();
  return { open: (server, tab, onLost) => openStore({ server, tab, onLost }), wipe: wipeAll };
});

const sealing = (): ReturnType<Parameters<typeof contract>[1]> => {
  new Shim();
  return { open: (server, tab, onLost) => openStore({ server, tab, onLost, sealAll: true }), wipe: wipeAll };
};
contract("IndexedDB, all of it sealed", sealing, true);

contract("memory", () => {
  void wipeAll();
  return { open: async (server, tab, onLost) => memoryStore({ server, tab, onLost }), wipe: wipeAll };
});

test("the id epoch goes round below 2^29 and is never 0; what is no number gives way to one drawn at random", () => {
  assert.equal(nextIdEpoch(2 ** 29 - 2), 2 ** 29 - 1);
  assert.equal(nextIdEpoch(2 ** 29 - 1), 1);
  for (const bad of [undefined, null, "7", -1, 1.5, NaN, 2 ** 29, {}]) {
    const first = nextIdEpoch(bad);
    assert.ok(Number.isInteger(first) && first > 0 && first < 2 ** 28, `${String(bad)} gives ${first}`);
  }
});

test("a server's key is its address without fragment, and tells users apart", async () => {
  const key = await serverKey("https://Example.com:443/mcp?api_key=hunter2#x", "ada");
  assert.ok(/^https:\/\/example\.com\/mcp#[0-9a-f]{64}$/.test(key), key);
  assert.equal(key, await serverKey("https://example.com/mcp?api_key=hunter2", "ada"));
  const others = [
    await serverKey("https://example.com/mcp?api_key=hunter3", "ada"),
    await serverKey("https://example.com/mcp?api_key=hunter2", "bob"),
    await serverKey("https://example.com/mcp", "ada"),
    await serverKey("https://ada:x@example.com/mcp?api_key=hunter2", "ada"),
    await serverKey("https://example.com/mcp/?api_key=hunter2", "ada"),
  ];
  assert.equal(new Set([key, ...others]).size, 6);
  await assert.rejects(serverKey("/mcp", ""), (error) => error instanceof TypeError);
});

test("TestFault122_PathsThatMayHoldASecret", async () => {
  for (const path of ["", "/", "/mcp", "/mcp/", "/api/v1/mcp", "/acp", "/sse"]) {
    const { origin, pathname } = new URL(`https://a.test${path}`);
    assert.ok((await serverKey(`https://a.test${path}`, "")).startsWith(`${origin}${pathname}#`), path);
    assert.equal(await placeOf(`https://a.test${path}?key=1`), origin + pathname);
  }
  const seen = new Set<string>();
  const paths = [
    "/hunter2/mcp", "/mcp/hunter2", "/hunter2", "/mcphunter2", "/v1hunter2/mcp", "/%6dcp", "/api/v123/mcp",
    "/mcp;hunter2", "/mcp//",
  ];
  for (const path of paths) {
    for (
      const at of [await serverKey(`https://a.test${path}`, "ada"), await placeOf(`https://a.test${path}`)]
    ) {
      assert.ok(/^https:\/\/a\.test\/#[0-9a-f]{64}$/.test(at), `${path}: ${at}`);
      seen.add(at);
    }
  }
  assert.equal(seen.size, 2 * paths.length);
});

test("a server's key needs no crypto.subtle", async () => {
  const real = Object.getOwnPropertyDescriptor(globalThis, "crypto")!;
  Object.defineProperty(
    globalThis, "crypto", { configurable: true, value: { getRandomValues: () => undefined } },
  );
  try {
    const key = await serverKey("http://nas.local/mcp", "ada");
    assert.ok(/^http:\/\/nas\.local\/mcp#[0-9a-f]{16}$/.test(key), key);
    assert.ok(key !== (await serverKey("http://nas.local/mcp", "bob")), "two users have one key");
  } finally {
    Object.defineProperty(globalThis, "crypto", real);
  }
});
