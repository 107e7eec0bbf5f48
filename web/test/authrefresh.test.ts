import assert from "node:assert/strict";
import { test } from "node:test";
import { readAuthorizationServer } from "../src/auth/authorizationserver.js";
import { type Grant, grantKey } from "../src/auth/grants.js";
import type { AuthLocks, AuthStore } from "../src/auth/hands.js";
import { MemoryAuthStore } from "../src/auth/memorystore.js";
import { REFRESH_LEASE } from "../src/auth/locked.js";
import { liveGrant } from "../src/auth/refresh.js";
import { registrationKey } from "../src/auth/registration.js";
import { signOut, signOutOfAll } from "../src/auth/signout.js";
import { openEpoch } from "../src/auth/epochs.js";
import { base64url } from "../src/auth/pkce.js";
import { failureOf, hidden, ISSUER, json, KEY, Locks, METADATA, NO_LOCKS, nothing, type Reply, rig, type Rig, type Routes, SERVER } from "./authrig.js";

const TOKEN = `POST ${ISSUER}/token`;
const REVOKE = `POST ${ISSUER}/revoke`;
/** Node's own, sooner than any timer. */
declare function setImmediate(run: () => void): unknown;

const START = 1_800_000_000_000;

const GRANT: Grant = {
  url: SERVER,
  resource: SERVER,
  server: readAuthorizationServer(METADATA, ISSUER, false),
  client: { issuer: ISSUER, clientId: "c", authMethod: "none", source: "dynamic", redirectUrl: "https://app.example/" },
  access: { token: "at0", type: "Bearer", expiresAt: START - 1 },
  refreshToken: "rt0",
  epoch: "e0",
  principal: '["https://as.example","u"]',
};

/** An authorization server that rotates, and ends everything when an old token comes (RFC 9700 section 4.14.2). */
class Rotating {
  current = 0;
  ended = false;
  requests = 0;
  revoked: string[] = [];

  readonly routes: Routes = {
    [TOKEN]: ({ form }) => this.refresh(form),
    [REVOKE]: ({ form }) => {
      this.revoked.push(form.get("token")!);
      return nothing(200);
    },
  };

  refresh(form: URLSearchParams): Response {
    this.requests++;
    assert.deepEqual([form.get("grant_type"), form.get("client_id"), form.get("resource")], ["refresh_token", "c", SERVER]);
    if (form.get("refresh_token") !== `rt${this.current}`) this.ended = true;
    if (this.ended) return json({ error: "invalid_grant" }, 400);
    this.current++;
    return json({ access_token: `at${this.current}`, token_type: "Bearer", expires_in: 3600, refresh_token: `rt${this.current}` });
  }
}

async function stored(grant: Grant = GRANT): Promise<MemoryAuthStore> {
  const store = new MemoryAuthStore();
  await store.set(grantKey(KEY), 0, grant);
  return store;
}

const kept = async (store: AuthStore): Promise<Grant | undefined> => (await store.get<Grant>(grantKey(KEY)))?.value;
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Lets time pass until everything is done. */
async function settled<T>(hosts: Rig[], work: Promise<T>): Promise<T> {
  let done = false;
  const over = work.finally(() => (done = true));
  over.catch(() => {});
  for (let i = 0; !done && i < 2000; i++) {
    await turn();
    if (i % 10 === 9) for (const host of hosts) host.pass(500);
  }
  assert.ok(done, "it hangs");
  return over;
}

test("a token that lives is given as it is; one that is over is refreshed, and what comes is stored", async () => {
  const as = new Rotating();
  const store = await stored({ ...GRANT, access: { token: "at0", type: "Bearer", expiresAt: START + 3_600_000 } });
  const host = rig(as.routes, { store });
  assert.equal((await liveGrant(host, KEY)).access.token, "at0");
  assert.equal(as.requests, 0);
  assert.equal((await liveGrant(host, KEY, "at0")).access.token, "at1");
  assert.equal((await liveGrant(host, KEY, "at0")).access.token, "at1");
  assert.equal(as.requests, 1);
  const grant = (await kept(store))!;
  assert.deepEqual([grant.refreshToken, grant.refreshing, grant.principal], ["rt1", undefined, GRANT.principal]);
  host.pass(3_600_000 - 30_000);
  assert.equal((await liveGrant(host, KEY)).access.token, "at2");
});

test("many tabs and hosts at once: one request at the authorization server, with locks and without", async () => {
  for (const locks of [new Locks(), NO_LOCKS] as AuthLocks[]) {
    const as = new Rotating();
    const store = await stored();
    const hosts = Array.from({ length: 4 }, () => rig(as.routes, { store, locks }));
    const grants = await settled(hosts, Promise.all([...hosts, ...hosts].map((host) => liveGrant(host, KEY, "at0"))));
    assert.deepEqual([as.requests, new Set(grants.map(({ access }) => access.token))], [1, new Set(["at1"])]);
  }
});

test("an error in passing deletes nothing, and a token that is only about to end still works", async () => {
  for (const [name, reply, code] of [
    ["the network", hidden, "cors_blocked"],
    ["down", () => nothing(502), "http_error"],
    ["busy", () => json({ error: "temporarily_unavailable" }, 400), "oauth_denied"],
    ["a page", () => new Response("<html>", { status: 200 }), "oauth_invalid"],
    ["no type", () => json({ access_token: "x" }), "oauth_invalid"],
    ["soon", () => json({ access_token: "x", token_type: "Bearer", expires_in: "soon" }), "oauth_invalid"],
  ] as [string, () => Reply, string][]) {
    const store = await stored();
    const host = rig({ [TOKEN]: reply }, { store });
    assert.equal((await failureOf(liveGrant(host, KEY))).fields.code, code, name);
    assert.deepEqual(await kept(store), GRANT, name);
    // The next one goes on from there.
    assert.equal((await liveGrant(rig(new Rotating().routes, { store }), KEY)).access.token, "at1", name);
  }
  const stale = { ...GRANT, access: { token: "at0", type: "Bearer", expiresAt: START + 30_000 } } as const;
  const host = rig({ [TOKEN]: () => nothing(502) }, { store: await stored(stale) });
  assert.equal((await liveGrant(host, KEY)).access.token, "at0");
  assert.equal((await failureOf(liveGrant(host, KEY, "at0"))).fields.code, "http_error");
});

test("a refresh token that is new is kept where the access token beside it cannot be used", async () => {
  const store = await stored();
  const host = rig({ [TOKEN]: () => json({ access_token: "at1", token_type: "Bearer", expires_in: -1, refresh_token: "rt1" }) }, { store });
  assert.equal((await failureOf(liveGrant(host, KEY))).fields.code, "oauth_invalid");
  assert.equal((await kept(store))!.refreshToken, "rt1");
});

test("without a new refresh token the old one stays", async () => {
  const store = await stored();
  const host = rig({ [TOKEN]: () => json({ access_token: "at1", token_type: "Bearer" }) }, { store });
  assert.equal((await liveGrant(host, KEY)).access.token, "at1");
  assert.equal((await kept(store))!.refreshToken, "rt0");
});

test("only the word of the authorization server about the very token that is stored ends it", async () => {
  const refusing: Routes = { [TOKEN]: () => json({ error: "invalid_grant" }, 400) };
  const store = await stored();
  const host = rig(refusing, { store });
  const failure = await failureOf(liveGrant(host, KEY));
  assert.deepEqual([failure.fields.code, failure.fields.denial], ["sign_in_required", "invalid_grant"]);
  const grant = (await kept(store))!;
  assert.deepEqual([grant.refreshToken, grant.principal], [undefined, GRANT.principal]);
  assert.equal((await failureOf(liveGrant(host, KEY))).fields.code, "sign_in_required");
  assert.equal(host.sent.length, 1);
});

test("a losing invalid_grant of an old token takes what another host has written", async () => {
  const store = await stored();
  // While the request is on its way somebody signs in.
  const won: Grant = { ...GRANT, access: { token: "won", type: "Bearer" }, refreshToken: "rt9" };
  const host = rig(
    {
      [TOKEN]: async () => {
        await store.set(grantKey(KEY), (await store.get(grantKey(KEY)))!.version, won);
        return json({ error: "invalid_grant" }, 400);
      },
    },
    { store },
  );
  assert.equal((await liveGrant(host, KEY)).access.token, "won");
  assert.deepEqual(await kept(store), won);
});

test("somebody signs in while it refreshes: the new sign-in stays", async () => {
  const as = new Rotating();
  const store = await stored();
  const won: Grant = { ...GRANT, access: { token: "won", type: "Bearer" }, refreshToken: "rt9", principal: "other" };
  const host = rig({ [TOKEN]: async ({ form }) => {
    await store.set(grantKey(KEY), (await store.get(grantKey(KEY)))!.version, won);
    return as.refresh(form);
  } }, { store });
  assert.equal((await liveGrant(host, KEY)).access.token, "won");
  assert.deepEqual(await kept(store), won);
});

test("an answer that comes after its lease, without locks, still counts, whatever the old token was told meanwhile", async () => {
  for (const first of ["slow", "refused"]) {
    const as = new Rotating();
    const store = await stored();
    let answer = (): void => {};
    const late = new Promise<void>((resolve) => (answer = resolve));
    const slow = rig({ ...as.routes, [TOKEN]: async ({ form }) => {
      const tokens = as.refresh(form);
      await late;
      return tokens;
    } }, { store, locks: NO_LOCKS });
    const slowly = liveGrant(slow, KEY);
    while (as.requests === 0) await turn();
    const hasty = rig({ ...as.routes, [TOKEN]: async ({ form }) => {
      const refused = as.refresh(form);
      if (first === "slow") {
        answer();
        await slowly;
      }
      return refused;
    } }, { store, locks: NO_LOCKS, start: START + REFRESH_LEASE });
    const hastily = liveGrant(hasty, KEY).then(({ access }) => access.token, (error: { fields: { code: string } }) => error.fields.code);
    if (first === "slow") assert.equal(await hastily, "at1");
    else {
      assert.equal(await hastily, "sign_in_required");
      answer();
    }
    assert.equal((await slowly).access.token, "at1");
    assert.equal((await kept(store))!.refreshToken, "rt1");
  }
});

test("a client that is unknown is registered anew by the next sign-in", async () => {
  const store = await stored();
  const key = await registrationKey(rig({}), ISSUER, GRANT.client.redirectUrl);
  await store.set(key, 0, GRANT.client);
  await failureOf(liveGrant(rig({ [TOKEN]: () => json({ error: "invalid_client" }, 401) }, { store }), KEY));
  assert.equal(await store.get(key), undefined);
});

test("the token of another user is not taken", async () => {
  const idToken = `h.${base64url(new TextEncoder().encode(JSON.stringify({ iss: ISSUER, aud: "c", sub: "other" })))}.s`;
  const store = await stored();
  const host = rig({ [TOKEN]: () => json({ access_token: "at1", token_type: "Bearer", id_token: idToken }) }, { store });
  assert.equal((await failureOf(liveGrant(host, KEY))).fields.code, "sign_in_required");
  assert.equal((await kept(store))!.access!.token, "at0");
});

test("a store that fails once is tried again; one that fails for good costs no token", async () => {
  for (const failures of [2, 99]) {
    const as = new Rotating();
    const inner = await stored();
    let left = 0;
    const store: AuthStore = {
      get: (key) => inner.get(key),
      keys: (prefix) => inner.keys(prefix),
      set: (key, version, value) => (left-- > 0 ? Promise.reject(new Error("quota")) : inner.set(key, version, value)),
    };
    const host = rig({ [TOKEN]: ({ form }) => ((left = failures), as.refresh(form)) }, { store });
    assert.equal((await liveGrant(host, KEY)).access.token, "at1");
    assert.equal((await kept(inner))!.refreshToken, failures === 2 ? "rt1" : "rt0");
  }
});

test("signing out forgets first and revokes then; a server that is down does not hold it up", async () => {
  const as = new Rotating();
  const store = await stored();
  assert.ok(await signOut(rig(as.routes, { store }), KEY));
  assert.deepEqual([as.revoked, await kept(store)], [["rt0", "at0"], undefined]);
  assert.ok(await signOut(rig(as.routes, { store }), KEY));
  for (const reply of [hidden, () => nothing(503)]) {
    const left = await stored();
    assert.ok(!(await signOut(rig({ [REVOKE]: reply }, { store: left }), KEY)));
    assert.equal(await kept(left), undefined);
  }
  assert.equal((await failureOf(liveGrant(rig({}, { store }), KEY))).fields.code, "sign_in_required");
});

test("signing out of all leaves nothing", async () => {
  const as = new Rotating();
  const store = await stored();
  const other = { ...GRANT, url: "https://other.example/mcp", refreshToken: "other" };
  await store.set(grantKey(other.url), 0, other);
  await store.set(await registrationKey(rig({}), ISSUER, GRANT.client.redirectUrl), 0, GRANT.client);
  await openEpoch(rig({}, { store }), "https://third.example/mcp"); // what another tab has in its memory
  const told: string[] = [];
  assert.ok(await signOutOfAll(rig(as.routes, { store }), (url) => void told.push(url)));
  assert.deepEqual([as.revoked, await store.keys("")], [["rt0", "at0", "other", "at0"], []]);
  assert.deepEqual(told, [KEY, other.url, "https://third.example/mcp"]);
});

test("signed out while it refreshed: what came is revoked, and nobody gets it", async () => {
  const as = new Rotating();
  const store = await stored();
  const host = rig({ ...as.routes, [TOKEN]: async ({ form }) => {
    await store.set(grantKey(KEY), (await store.get(grantKey(KEY)))!.version, undefined);
    return as.refresh(form);
  } }, { store });
  assert.equal((await failureOf(liveGrant(host, KEY))).fields.code, "sign_in_required");
  assert.deepEqual([as.revoked, await kept(store)], [["rt1", "at1"], undefined]);
});

test("without locks somebody who has died while refreshing is waited for, and no longer than for his lease", async () => {
  const as = new Rotating();
  const store = await stored({ ...GRANT, refreshing: { by: "dead", since: START, alone: true } });
  const host = rig(as.routes, { store, locks: NO_LOCKS });
  const got = liveGrant(host, KEY);
  await turn();
  assert.equal(as.requests, 0);
  assert.equal((await settled([host], got)).access.token, "at1");
  assert.ok(host.now() >= START + REFRESH_LEASE);
  // With a lock it is known that he is dead.
  const locked = rig(as.routes, { store: await stored({ ...GRANT, refreshToken: "rt1", refreshing: { by: "dead", since: START, alone: true } }) });
  assert.equal((await liveGrant(locked, KEY)).access.token, "at2");
});

/** A host that can be killed: from then on nothing that it does has an effect, and its locks are free. */
function mortal(routes: Routes, inner: AuthStore, shared: Locks): { host: Rig; death: Promise<never>; kill(): void } {
  let dead = false;
  let die = (): void => {};
  const death = new Promise<never>((_, reject) => (die = () => reject(new Error("killed"))));
  death.catch(() => {});
  const never = new Promise<never>(() => {});
  const alive = <T>(run: () => Promise<T>): Promise<T> => (dead ? never : run().then((value) => (dead ? never : value)));
  const store: AuthStore = {
    get: <T>(key: string) => alive(() => inner.get<T>(key)),
    set: (key, version, value) => alive(() => inner.set(key, version, value)),
    keys: (prefix) => alive(() => inner.keys(prefix)),
  };
  const locks: AuthLocks = { run: (name, work, patience) => shared.run(name, (alone) => (dead ? Promise.reject(new Error("killed")) : Promise.race([work(alone), death])), patience) };
  return {
    host: rig(routes, { store, locks }),
    death,
    kill() {
      dead = true;
      die();
    },
  };
}

test("killed between the answer and the write: somebody signs in again at most once, and nothing else is lost", async () => {
  const as = new Rotating();
  const store = await stored();
  const locks = new Locks();
  let kill = (): void => {};
  const first = mortal({ ...as.routes, [TOKEN]: ({ form }) => {
    const answer = as.refresh(form);
    kill();
    return answer;
  } }, store, locks);
  kill = first.kill;
  void liveGrant(first.host, KEY).catch(() => {});
  await turn();
  const second = rig(as.routes, { store, locks });
  assert.equal((await failureOf(liveGrant(second, KEY))).fields.code, "sign_in_required");
  const grant = (await kept(store))!;
  assert.deepEqual([grant.refreshToken, grant.principal, grant.client.clientId, as.requests], [undefined, GRANT.principal, "c", 2]);
});

test("random lives of many hosts: a refresh token is lost only with a host that dies, and never used twice by two that live", async () => {
  const seed = Number((globalThis as { process?: { env: Record<string, string> } }).process?.env.HOLDFAST_SEED ?? Math.floor(Math.random() * 2 ** 31));
  for (let life = 0; life < 60; life++) {
    let state = seed + life;
    const next = (n: number): number => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 8) % n;
    const as = new Rotating();
    const store = await stored();
    const locks = new Locks();
    const where = `seed ${seed}, life ${life}`;
    let killed = 0;
    const work: Promise<unknown>[] = [];
    for (let i = 0; i < 3 + next(4); i++) {
      let kill = (): void => {};
      const [fails, dies] = [next(4) === 0, next(8) === 0];
      const one = mortal(
        {
          ...as.routes,
          [TOKEN]: async ({ form }) => {
            for (let wait = next(3); wait > 0; wait--) await turn();
            // Before the authorization server has it: afterwards it would be the same as a kill.
            if (fails && next(2)) return nothing(503);
            const answer = as.refresh(form);
            if (dies) {
              killed++;
              kill();
            }
            return answer;
          },
        },
        store,
        locks,
      );
      kill = one.kill;
      for (let n = 1 + next(3); n > 0; n--) {
        work.push(
          (async () => {
            for (let wait = next(6); wait > 0; wait--) await turn();
            let last: string | undefined;
            for (let round = 0; round < 3; round++) {
              try {
                const { access } = await Promise.race([liveGrant(one.host, KEY, last), one.death]);
                assert.ok(access.token !== last, `${where}: a refused token was given again`);
                last = access.token;
              } catch (error) {
                const { code } = (error as { fields?: { code: string } }).fields ?? {};
                assert.ok(code === undefined || code === "http_error" || (code === "sign_in_required" && killed > 0), `${where}: ${String(error)}`);
              }
            }
          })(),
        );
      }
    }
    await Promise.all(work);
    if (killed === 0) {
      assert.ok(!as.ended, `${where}: an old token was used, and nobody had died`);
      assert.equal((await kept(store))!.refreshToken, `rt${as.current}`, where);
    } else {
      assert.ok((await kept(store))!.principal === GRANT.principal, where);
    }
  }
});

test("Fault 534: a token that lives for a minute is used for half of it, and refreshed once for all requests", async () => {
  let n = 0;
  const store = await stored();
  const host = rig({ [TOKEN]: () => json({ access_token: `at${++n}`, token_type: "Bearer", expires_in: 60, refresh_token: `rt${n}` }) }, { store });
  const all = (): Promise<string[]> => Promise.all([1, 2, 3, 4].map(async () => (await liveGrant(host, KEY)).access.token));
  assert.deepEqual(await all(), ["at1", "at1", "at1", "at1"]);
  host.pass(29_000);
  assert.deepEqual(await all(), ["at1", "at1", "at1", "at1"]);
  host.pass(2_000);
  assert.deepEqual(await all(), ["at2", "at2", "at2", "at2"]);
});

test("Fault 537: an authorization server that gave the token, and shows an error page that CORS hides, is away", async () => {
  const host = rig({ [TOKEN]: hidden }, { store: await stored() });
  const { fields } = await failureOf(liveGrant(host, KEY));
  assert.deepEqual([fields.code, fields.retryable], ["cors_blocked", true]);
  // A token that is only about to end still works meanwhile.
  const stale = { ...GRANT, access: { token: "at0", type: "Bearer", expiresAt: START + 30_000 } } as const;
  assert.equal((await liveGrant(rig({ [TOKEN]: hidden }, { store: await stored(stale) }), KEY)).access.token, "at0");
});

test("Fault 515: a token that could not be refreshed before its end is used, and not tried again for each request", async () => {
  for (const reply of [() => nothing(503), () => nothing(429), hidden, () => json({ error: "invalid_target" }, 400)]) {
    const store = await stored({ ...GRANT, access: { token: "at0", type: "Bearer", expiresAt: START + 30_000 } });
    let isBack = false;
    const host = rig({ [TOKEN]: () => (isBack ? json({ access_token: "at1", token_type: "Bearer", expires_in: 3600 }) : reply()) }, { store });
    const tried = (): number => host.lines().filter((line) => line === TOKEN).length;
    const all = (): Promise<string[]> => Promise.all([1, 2, 3].map(async () => (await liveGrant(host, KEY)).access.token));
    assert.deepEqual([await all(), tried()], [["at0", "at0", "at0"], 1]);
    host.pass(11_000);
    assert.deepEqual([await all(), tried()], [["at0", "at0", "at0"], 2]);
    // One that the server has refused is tried at once.
    await failureOf(liveGrant(host, KEY, "at0"));
    assert.equal(tried(), 3);
    isBack = true;
    host.pass(11_000);
    assert.deepEqual([await all(), tried()], [["at1", "at1", "at1"], 4]);
    assert.equal((await kept(store))!.access!.margin, undefined);
  }
});

test("Fault 517: where the store takes nothing, no refresh token is spent: what still works is used, and else the calls wait", async () => {
  const store = await stored({ ...GRANT, access: { token: "at0", type: "Bearer", expiresAt: START + 30_000 } });
  const set = store.set.bind(store);
  store.set = () => Promise.reject(new Error("QuotaExceededError"));
  const as = new Rotating();
  const host = rig(as.routes, { store });
  assert.equal((await liveGrant(host, KEY)).access.token, "at0");
  host.pass(31_000);
  const { fields } = await failureOf(liveGrant(host, KEY));
  assert.deepEqual([fields.code, fields.retryable, as.requests], ["storage_failed", true, 0]);
  store.set = set; // there is room again
  assert.equal((await liveGrant(host, KEY)).access.token, "at1");
});
