// What a logout leaves in localStorage: random marks, which say nothing of anybody.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type LogoutOf, markSignOut, markWipe, signInMarks } from "../src/storage/marks.js";
import { withGlobal } from "./storeshim.js";

/** A localStorage, as all tabs of an origin see it. */
class Local {
  getItem(name: string): string | null {
    return Object.hasOwn(this, name) ? (this as unknown as Record<string, string>)[name]! : null;
  }
  setItem(name: string, value: string): void {
    (this as unknown as Record<string, string>)[name] = value;
  }
  removeItem(name: string): void {
    delete (this as unknown as Record<string, string>)[name];
  }
}

const withLocal = (run: (local: Local) => Promise<void>): Promise<void> => {
  const value = new Local();
  return withGlobal("localStorage", { value }, () => run(value));
};

const ada: LogoutOf = {
  url: "https://mcp.example/secret/mcp?tenant=7", principal: "ada@example.com", client: '["id","the-client"]',
};
const bob: LogoutOf = { ...ada, principal: "bob@example.com" };
const OUT = /^holdfast\.out\.[0-9a-f]{64}$/;
const outs = (local: Local): string[] => Object.keys(local).filter((name) => OUT.test(name));

test("Fault 717: each kind of logout changes the marks of the sign-ins that it ends, and of no other one", async () => {
  const all = [
    ada, { ...ada, client: '["id","another"]' }, bob, { ...ada, url: "https://other.example/mcp" },
    { ...ada, principal: undefined },
  ];
  for (const [name, logout, changed] of [
    ["signOut", () => markSignOut(ada, false), [0]],
    ["forget", () => markSignOut(ada, true), [0, 1]],
    ["wipe", () => Promise.resolve(markWipe()), [0, 1, 2, 3, 4]],
  ] as const) {
    await withLocal(async () => {
      assert.deepEqual(await Promise.all(all.map(signInMarks)), all.map(() => ""));
      for (const time of ["once", "again"]) {
        const before = await Promise.all(all.map(signInMarks));
        await logout();
        const after = await Promise.all(all.map(signInMarks));
        assert.deepEqual(
          after.flatMap((one, n) => (one === before[n] ? [] : [n])), changed, `${name}, ${time}`,
        );
      }
    });
  }
});

test("Fault 717: nothing of a mark can be read: no name, no address, no client, in names or values", async () => {
  await withLocal(async (local) => {
    markWipe();
    for (const of of [ada, bob]) for (const every of [false, true]) await markSignOut(of, every);
    const kept = JSON.stringify(local).replace(/[0-9a-f]{32,}/g, ""); // hex digits spell "ada" now and then
    for (const word of ["ada", "bob", "example", "secret", "tenant", "client", "https", "user", "sign-in"])
      assert.ok(!kept.includes(word), `${word} in ${kept}`);
    assert.deepEqual([Object.keys(local).length, outs(local).length], [6, 4]);
    assert.equal(new Set(Object.values(local)).size, 6, "each value is random");
  });
});

test("Fault 717: each wipe changes the value that the names of marks are made under, and deletes what it made", async () => {
  await withLocal(async (local) => {
    const seen = new Set<string>();
    for (let n = 1; n <= 3; n++) {
      await markSignOut(ada, true);
      await markSignOut(ada, true);
      assert.equal(outs(local).length, 1, "the same logout has the same mark");
      seen.add(outs(local)[0]!);
      assert.equal(seen.size, n);
      markWipe();
      assert.deepEqual(Object.keys(local), ["holdfast.wiped"]);
    }
  });
});

test("Fault 717: 64 marks at most; behind them that of the wipe changes instead, for everybody", async () => {
  await withLocal(async (local) => {
    const nth = (n: number): LogoutOf => ({ ...ada, principal: `user ${n}` });
    for (let n = 0; n < 64; n++) await markSignOut(nth(n), true);
    assert.deepEqual([outs(local).length, local.getItem("holdfast.wiped")], [64, null]);
    await markSignOut(nth(3), true);
    assert.equal(local.getItem("holdfast.wiped"), null, "who has one already takes no further one");
    const before = await Promise.all([nth(0), nth(64), bob].map(signInMarks));
    await markSignOut(nth(64), true);
    assert.deepEqual(Object.keys(local), ["holdfast.wiped"]);
    const after = await Promise.all([nth(0), nth(64), bob].map(signInMarks));
    for (const [n, one] of after.entries()) assert.ok(one !== "" && one !== before[n]);
    await markSignOut(bob, true);
    assert.equal(outs(local).length, 1, "and they begin anew");
  });
});

test("Fault 717: two tabs that log out at once both leave their mark, also where one of them wipes meanwhile", async () => {
  await withLocal(async (local) => {
    const before = await Promise.all([ada, bob].map(signInMarks));
    await Promise.all([markSignOut(ada, true), markSignOut(bob, true), markSignOut(ada, false)]);
    assert.equal(outs(local).length, 3);
    const between = await Promise.all([ada, bob].map(signInMarks));
    assert.ok(between.every((one, n) => one !== before[n]));
    const logout = markSignOut(ada, true);
    markWipe(); // the name of the other tab's mark is being made
    await logout;
    const after = await Promise.all([ada, bob].map(signInMarks));
    assert.ok(after.every((one, n) => one !== between[n]));
    assert.ok(new Set(after).size === 2, "ada's own logout is behind the wipe");
  });
});

test("Fault 717: a page that may store nothing has no marks, and logs out all the same", async () => {
  const refused = { get: () => { throw new DOMException("no", "SecurityError"); } };
  for (const property of [refused, { value: undefined }]) {
    await withGlobal("localStorage", property, async () => {
      markWipe();
      await markSignOut(ada, true);
      assert.equal(await signInMarks(ada), "");
    });
  }
});
