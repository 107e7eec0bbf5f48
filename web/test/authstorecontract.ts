// What each AuthStore has to do, whatever it keeps its rows in.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthStore } from "../src/auth/hands.js";

/**
 * Registers the tests; `open` gives a store with nothing in it, and the same rows to each host that it is
 * asked for.
 */
export function authStoreContract(name: string, open: () => Promise<{ host(): AuthStore }>): void {
  test(`${name}: a value is written where the version is the one that was read, by one of several hosts`, async () => {
    const rows = await open();
    const [a, b] = [rows.host(), rows.host()];
    assert.equal(await a.get("k"), undefined);
    assert.ok(!(await a.set("k", 1, "x")));
    const written = await Promise.all([a, b, a, b].map((host, i) => host.set("k", 0, `v${i}`)));
    assert.equal(written.filter(Boolean).length, 1);
    const first = (await b.get<string>("k"))!;
    assert.equal(first.value, `v${written.indexOf(true)}`);
    assert.ok(await b.set("k", first.version, "next"));
    assert.ok(!(await a.set("k", first.version, "late")));
    assert.equal((await a.get<string>("k"))!.value, "next");
  });

  test(`${name}: what was deleted and written again is another version`, async () => {
    const store = (await open()).host();
    await store.set("k", 0, 1);
    const first = (await store.get("k"))!.version;
    assert.ok(await store.set("k", first, undefined));
    assert.equal(await store.get("k"), undefined);
    assert.ok(!(await store.set("k", first, 2)));
    assert.ok(await store.set("k", 0, 2));
    assert.ok((await store.get("k"))!.version !== first);
  });

  test(`${name}: keys that begin so`, async () => {
    const store = (await open()).host();
    for (const key of ["flow/a", "flow/b", "flower", "grant/flow/", "flow"]) await store.set(key, 0, 1);
    assert.deepEqual((await store.keys("flow/")).sort(), ["flow/a", "flow/b"]);
    assert.equal((await store.keys("")).length, 5);
  });

  test(`${name}: plain data and keys that nobody can read come back as they were`, async () => {
    const rows = await open();
    const { privateKey } = await crypto.subtle.generateKey(
      { name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"],
    );
    const value = {
      url: "https://x.example", nested: { list: [1, "é", null], missing: undefined },
      dpop: { privateKey, jwk: { kty: "EC" } },
    };
    await rows.host().set("k", 0, value);
    value.nested.list.push(2);
    const back = (await rows.host().get<typeof value>("k"))!.value;
    assert.deepEqual(
      [back.url, back.nested.list, back.dpop.jwk], ["https://x.example", [1, "é", null], { kty: "EC" }],
    );
    assert.ok(!back.dpop.privateKey.extractable);
    const signed = await crypto.subtle.sign(
      { name: "ECDSA", hash: "SHA-256" }, back.dpop.privateKey, new Uint8Array(1),
    );
    assert.equal(signed.byteLength, 64);
  });
}
