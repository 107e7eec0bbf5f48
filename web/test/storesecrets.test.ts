import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore, UNREADABLE } from "../src/storage/storage.js";
import { all, because, bytes, end, head, row, rowsOf, text } from "./storecontract.js";
import { keyed } from "./storekeys.js";
import { Shim, withGlobal } from "./storeshim.js";

// What is secret rests sealed (fault 115), or does not rest at all.

const open = (tab = "a", server = "s"): ReturnType<typeof openStore> => openStore({ server, tab });
const CANARY = "canary-4711";

/** Whether the bytes of a value, however deep, have the canary in them. */
function leaks(value: unknown): boolean {
  if (value instanceof Uint8Array) return text(value)!.includes(CANARY);
  if (typeof value === "string") return value.includes(CANARY);
  return typeof value === "object" && value !== null && Object.values(value).some(leaks);
}

test("TestFault115_SecretsRestSealed", async () => {
  const shim = new Shim();
  const store = await open();
  await store.commit(
    [
      head(1),
      row(1, 1, 0, CANARY),
      row(1, 1, 1, CANARY),
      { kind: "server", plain: bytes("x"), secret: bytes(CANARY) },
    ],
    true,
  );
  const stored = await shim.dump();
  assert.ok(!leaks(stored), "a secret is there to be read");
  const [first, second] = stored["log"]!;
  assert.equal(first.secret.length, 12 + CANARY.length + 16);
  assert.ok(text(first.secret) !== text(second.secret), "the same secret gives the same text");
  const key = stored["keys"]!.find((k) => k.name === "key").value as CryptoKey;
  assert.equal(key.extractable, false);
  assert.deepEqual([...key.usages].sort(), ["decrypt", "encrypt"]);
});

test("TestFault115_SealedPartMovedToAnotherRowDoesNotOpen", async () => {
  const shim = new Shim();
  const store = await open();
  await store.commit([head(1), row(1, 1, 0, CANARY), row(1, 1, 1), row(1, 1, 2, "whole")], false);
  const [first, , third] = (await shim.dump())["log"]!;
  await shim.edit("log", (log) => {
    log.put({ ...first, n: 1 });
    log.put({ ...third, secret: third.secret.map((b: number, i: number) => (i === 20 ? b ^ 1 : b)) });
    log.put({ ...first, n: 3, secret: new Uint8Array(5) });
  });
  await shim.edit(
    "servers", (servers) => servers.put({ server: "s", plain: first.plain, secret: first.secret }),
  );
  assert.deepEqual(
    (await store.read(1))!.rows.map((r) => [r.n, text(r.secret), r.plain === UNREADABLE]),
    [[0, CANARY, false], [1, null, true], [2, null, true], [3, null, true]],
  );
  const { plain, secret, ended } = (await store.readServer())!;
  assert.deepEqual([plain, secret, ended], [UNREADABLE, null, true], "its session is nobody's to go on in");
  assert.equal((await store.usage()).quarantined, 0);
});

test("tabs that make the key at once end up with one", async () => {
  new Shim();
  const tabs = await Promise.all(["a", "b", "c", "d"].map((tab) => open(tab)));
  await Promise.all(tabs.map((tab, i) => tab.commit([head(i), row(i, 1, 0, `secret ${i}`)], false)));
  for (const tab of tabs) {
    const { calls } = await tab.load(all);
    assert.deepEqual(calls.map((c) => text(c.rows[0]!.secret)), [0, 1, 2, 3].map((i) => `secret ${i}`));
  }
});

test("Fault 721: a key that is none is replaced; a row that was sealed with another is handed on as one that cannot be read", async () => {
  const shim = new Shim();
  const store = await open();
  await store.commit([head(1), row(1, 1, 0, CANARY)], false);
  const wrong =
    await crypto.subtle.generateKey({ name: "AES-CBC", length: 256 }, false, ["encrypt", "decrypt"]);
  const half = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt"]);
  for (const value of ["text", wrong, half, null]) {
    await shim.edit("keys", (keys) => keys.put({ name: "key", value }));
    const next = await open("b");
    assert.deepEqual(
      (await next.load(all)).calls[0]!.rows, [{ epoch: 1, n: 0, plain: UNREADABLE, secret: null }],
    );
    const row0 = [{ kind: "server", plain: bytes("x"), secret: bytes("y") }] as const;
    assert.deepEqual(await next.commit(row0, false), { sealed: true, fenced: [], lost: [] });
    assert.equal(text((await next.readServer())!.secret), "y");
  }
});

test("without a cipher secrets are left out, and the commit says so", async () => {
  const plainHttp = { value: { getRandomValues: (array: Uint8Array) => array.fill(3) } };
  await withGlobal("crypto", plainHttp, async () => {
    const shim = new Shim();
    const store = await open();
    assert.deepEqual(
      await store.commit([head(1), row(1, 1, 0, CANARY)], true), { sealed: false, fenced: [], lost: [] },
    );
    assert.deepEqual(await store.commit([row(1, 1, 1)], true), { sealed: true, fenced: [], lost: [] });
    assert.ok(!leaks(await shim.dump()), "a secret is there to be read");
    assert.deepEqual(await rowsOf(store, 1), ["1/1/0", "1/1/1"]);
  });
});

test("Fault 597: a store says whether what is secret can rest in it", async () => {
  new Shim();
  assert.equal((await open()).seals, true);
  new Shim();
  await withGlobal(
    "crypto",
    { value: { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => bytes.fill(7) } },
    async () => assert.equal((await open()).seals, false),
  );
  assert.equal((await open("b")).seals, true, "which another page may see to");
});

test("a browser that cannot store a key has no cipher", async () => {
  const shim = new Shim();
  await withGlobal("structuredClone", {
    value: ((real) => (value: unknown) => {
      if ((value as { value?: unknown } | null)?.value instanceof CryptoKey)
        throw new DOMException("no", "DataCloneError");
      return real(value);
    })(structuredClone),
  }, async () => {
    const store = await open();
    assert.deepEqual(
      await store.commit([head(1), row(1, 1, 0, CANARY)], true), { sealed: false, fenced: [], lost: [] },
    );
  });
  assert.ok(!leaks(await shim.dump()), "a secret is there to be read");
});

test("Fault 124: the key of a call rests as a digest", async () => {
  const shim = new Shim();
  const store = await open();
  await store.commit(keyed(1, CANARY), false);
  const stored = await shim.dump();
  assert.ok(!leaks(stored), "the key is there to be read");
  assert.equal(stored["calls"]!.length, 2);
  await store.forget();
  assert.deepEqual((await shim.dump())["calls"], []);
});

const openSealed = (tab = "a"): ReturnType<typeof openStore> =>
  openStore({ server: "s", tab, sealAll: true });

test("TestFault122_EverythingRestsSealed", async () => {
  const shim = new Shim();
  const store = await openSealed();
  await store.commit(
    [
      head(1, CANARY),
      { ...row(1, 1, 1, CANARY), plain: bytes(CANARY) } as ReturnType<typeof row>,
      head(2, CANARY),
      { ...end(2, 1, 1), plain: bytes(CANARY) } as ReturnType<typeof row>,
      { kind: "server", plain: bytes(CANARY), secret: null },
    ],
    true,
  );
  // How far an app is done is a number, which a page that is being left may still write.
  await store.commit([{ kind: "log", call: 2, epoch: 0, n: 3, plain: bytes(""), secret: null }], false);
  assert.ok(!leaks(await shim.dump()), "something is there to be read");
  // Another tab reads all of it, and takes over what nobody carries.
  const other = await openSealed("b");
  const { calls, server } = await other.load(() => false);
  assert.equal(text(server!.plain), CANARY);
  assert.deepEqual(
    calls.map(
      (c) => [text(c.plain), c.owned, c.ended, c.acked, c.rows.map((r) => [text(r.plain), text(r.secret)])],
    ),
    [
      [CANARY, true, false, 0, [[CANARY, CANARY]]],
      [CANARY, true, true, 3, [[CANARY, null]]],
    ],
  );
  assert.equal(text((await store.takeOver(1, 2))!.plain), CANARY);
  assert.equal((await store.usage()).quarantined, 0);
});

test("TestFault122_SealedPlainMovedToAnotherRowDoesNotOpen", async () => {
  const shim = new Shim();
  const store = await openSealed();
  await store.commit([head(1), row(1, 1, 1), row(1, 1, 2), head(2)], false);
  const [first] = (await shim.dump())["log"]!;
  const [one, two] = (await shim.dump())["calls"]!;
  await shim.edit("log", (log) => log.put({ ...first, n: 2 }));
  await shim.edit("calls", (calls) => calls.put({ ...two, all: one.all }));
  assert.deepEqual((await store.read(1))!.rows.map((r) => r.plain === UNREADABLE), [false, true]);
  assert.equal((await store.read(2))!.plain, UNREADABLE);
  assert.deepEqual(
    (await store.load(all)).calls.map(({ call, plain }) => [call, plain === UNREADABLE]),
    [[1, false], [2, true]],
  );
  assert.deepEqual(
    (await store.rows(1, { epoch: 0, n: 0 }, 9)).map(({ n }) => n),
    [1],
    "what follows would have wrong positions",
  );
});

test("TestFault122_WhatWasPlainIsReadOn", async () => {
  new Shim();
  await (await open()).commit(
    [head(1), row(1, 1, 1, CANARY), { kind: "server", plain: bytes("x"), secret: null }], false,
  );
  const store = await openSealed();
  await store.commit([row(1, 1, 2)], false);
  assert.deepEqual(await rowsOf(store, 1), [`1/1/1 ${CANARY}`, "1/1/2"]);
  assert.deepEqual(await rowsOf(await open(), 1), [`1/1/1 ${CANARY}`, "1/1/2"]);
  assert.equal(text((await store.readServer())!.plain), "x");
});

test("TestFault122_NothingIsKeptWithoutACipher", async () => {
  const shim = new Shim();
  await withGlobal("crypto", {
    value: { getRandomValues: (array: Uint8Array) => array.fill(3) },
  }, async () => {
    await assert.rejects(openSealed(), because("cipher"));
  });
  assert.deepEqual((await shim.dump())["calls"], []);
});
