// A tab that hangs in its refresh, with the lock: what the others do.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readAuthorizationServer } from "../src/auth/authorizationserver.js";
import { type Grant, grantKey } from "../src/auth/grants.js";
import { REFRESH_LEASE } from "../src/auth/locked.js";
import { MemoryAuthStore } from "../src/auth/memorystore.js";
import { liveGrant } from "../src/auth/refresh.js";
import { register } from "../src/auth/registration.js";
import { KEY, ISSUER, json, Locks, METADATA, type Rig, rig, type Routes, SERVER } from "./authrig.js";
import { ready, until } from "./ready.js";

const START = 1_800_000_000_000;
const TOKEN = `POST ${ISSUER}/token`;
const server = readAuthorizationServer(METADATA, ISSUER, false);

const OVER: Grant = {
  url: SERVER,
  resource: SERVER,
  server,
  client: {
    issuer: ISSUER, clientId: "c", authMethod: "none", source: "dynamic", redirectUrl: "https://app.example/",
  },
  access: { token: "at0", type: "Bearer", expiresAt: START - 1 },
  refreshToken: "rt0",
  epoch: "e0",
  principal: '["https://as.example","u"]',
};

/** Lets time pass for all, until that is so. */
async function passing(hosts: Rig[], holds: () => boolean): Promise<void> {
  for (let n = 0; !holds(); n++) {
    assert.ok(n < 1000, `waited in vain for ${String(holds)}`);
    await ready();
    if (n % 5 === 4) for (const host of hosts) host.pass(500);
  }
}

/**
 * Tabs of one browser, whose requests for tokens are answered by the test. The locks of one that has ended
 * are free.
 */
async function browser(grant: Grant = OVER) {
  const store = new MemoryAuthStore();
  await store.set(grantKey(KEY), 0, grant);
  const locks = new Locks();
  const asked: { by: string; token: string; answer: () => void }[] = [];
  const hosts: Rig[] = [];
  const tab = (by: string, more: Routes = {}) => {
    let end = (): void => {};
    const ended = new Promise<never>((_, reject) => (end = () => reject(new Error("the tab has ended"))));
    ended.catch(() => {});
    const routes: Routes = {
      [TOKEN]: ({ form }) =>
        new Promise((resolve) => {
          const n = asked.length + 1;
          const answer = (): void => resolve(
            json({ access_token: `at${n}`, token_type: "Bearer", expires_in: 3600, refresh_token: `rt${n}` }),
          );
          asked.push({ by, token: form.get("refresh_token")!, answer });
        }),
      ...more,
    };
    const host = rig(routes, {
      store,
      locks: {
        run: (name, work, patience) => locks.run(
          name, (alone) => Promise.race([work(alone), ended]), patience,
        ),
      },
    });
    hosts.push(host);
    return { host, end };
  };
  const kept = async (): Promise<Grant> => (await store.get<Grant>(grantKey(KEY)))!.value;
  return { tab, asked, hosts, kept, locks };
}

/** What a promise has come to so far. */
function watched<T>(promise: Promise<T>): { value?: T } {
  const so: { value?: T } = {};
  promise.then((value) => (so.value = value), () => {});
  return so;
}

test("Fault 720: a fresh token that is stored needs no lock, whoever hangs with it", async () => {
  const { tab, locks, hosts, asked } = await browser({
    ...OVER, access: { token: "at0", type: "Bearer", expiresAt: START + 3_600_000 },
  });
  void locks.run(`auth/${KEY}`, () => new Promise(() => {}), new AbortController().signal);
  assert.equal((await liveGrant(tab("second").host, KEY)).access.token, "at0");
  // One that was refused does, and is waited for no longer than a lease.
  const refreshed = watched(liveGrant(tab("third").host, KEY, "at0"));
  await passing(hosts, () => asked.length === 1);
  assert.ok(hosts[1]!.now() - START >= REFRESH_LEASE);
  asked[0]!.answer();
  await until(() => refreshed.value?.access.token === "at1");
});

test("Fault 720: the first of three tabs hangs in its refresh, the second goes on after a lease, the first ends, the third comes: one request beside that of the first", async () => {
  const { tab, asked, hosts, kept } = await browser();
  const [first, second, third] = [tab("first"), tab("second"), tab("third")];
  liveGrant(first.host, KEY).catch(() => {});
  await until(() => asked.length === 1);
  hosts.shift(); // nothing moves in it any more
  assert.equal((await kept()).refreshing!.alone, true);
  const mine = watched(liveGrant(second.host, KEY));
  await passing(hosts, () => asked.length === 2);
  assert.ok(second.host.now() - START >= REFRESH_LEASE);
  assert.equal((await kept()).refreshing!.alone, false);
  first.end();
  const its = watched(liveGrant(third.host, KEY));
  for (let s = 0; s < 10; s++) {
    await ready();
    for (const host of hosts) host.pass(1000);
  }
  assert.deepEqual(
    [asked.length, its.value], [2, undefined], "the third has the lock, and obeys the mark of the second",
  );
  asked[1]!.answer();
  await passing(hosts, () => its.value !== undefined);
  assert.deepEqual(
    [mine.value?.access.token, its.value?.access.token, asked.map(({ by }) => by)],
    ["at2", "at2", ["first", "second"]],
  );
});

test("Fault 720: whoever refreshes without the lock is obeyed for a lease, by who has the lock and by who has not, and no longer", async () => {
  for (const hangs of [true, false]) {
    const { tab, asked, hosts, locks } = await browser({
      ...OVER, refreshing: { by: "second", since: START, alone: false },
    });
    if (hangs) void locks.run(`auth/${KEY}`, () => new Promise(() => {}), new AbortController().signal);
    const its = watched(liveGrant(tab("third").host, KEY));
    await passing(hosts, () => asked.length === 1);
    assert.ok(hosts[0]!.now() - START >= REFRESH_LEASE);
    asked[0]!.answer();
    await until(() => its.value?.access.token === "at1");
  }
});

test("Fault 720: many tabs that have waited for the lock in vain send one request", async () => {
  const { tab, asked, hosts } = await browser();
  liveGrant(tab("first").host, KEY).catch(() => {});
  await until(() => asked.length === 1);
  hosts.shift();
  const all = ["second", "third", "fourth"].map((by) => watched(liveGrant(tab(by).host, KEY)));
  await passing(hosts, () => asked.length === 2);
  asked[1]!.answer();
  await passing(hosts, () => all.every(({ value }) => value?.access.token === "at2"));
  assert.equal(asked.length, 2);
});

test("Fault 720: a tab that hangs as it registers the app holds up no other sign-in", async () => {
  let clients = 0;
  const { tab, hosts } = await browser();
  const hung = tab("first", { [`POST ${ISSUER}/register`]: () => new Promise(() => {}) });
  const second = tab("second", {
    [`POST ${ISSUER}/register`]: () => json({ client_id: `c${++clients}` }, 201),
  });
  const options = { redirectUrl: "https://app.example/" };
  register(hung.host, server, options).catch(() => {});
  await until(() => hung.host.sent.length === 1);
  const its = watched(register(second.host, server, options));
  await passing([second.host], () => its.value !== undefined);
  assert.deepEqual([its.value!.clientId, hosts[1]!.now() - START >= REFRESH_LEASE], ["c1", true]);
});
