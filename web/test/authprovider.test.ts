// The whole way, against an authorization server that others wrote.

import assert from "node:assert/strict";
import { test } from "node:test";
import { oauthChallenge } from "../src/auth/challenge.js";
import { type Discovered, discover } from "../src/auth/discovery.js";
import { type DPoPKey, makeDPoPKey } from "../src/auth/dpop.js";
import { beginFlow, readCallback, takeFlow } from "../src/auth/flow.js";
import { exchange, type Grant, readGrant } from "../src/auth/grants.js";
import { Nonces } from "../src/auth/nonces.js";
import { liveGrant, type LiveGrant } from "../src/auth/refresh.js";
import { register } from "../src/auth/registration.js";
import { chooseScopes } from "../src/auth/scopes.js";
import { signOut } from "../src/auth/signout.js";
import { failureOf, Locks, rig, type Rig } from "./authrig.js";
import { MemoryAuthStore } from "../src/auth/memorystore.js";
import { isActive, person, type World, world } from "./authprovider.js";

const redirectUrl = "http://localhost:5173/callback";

/** A host on the real network and with the real clock. */
function host(store = new MemoryAuthStore(), locks = new Locks()): Rig {
  const hands = rig({}, { store, locks });
  return Object.assign(hands, {
    fetch: (url: string, init: RequestInit) => fetch(url, init), now: () => Date.now(), nonces: new Nonces(),
  });
}

async function signIn(
  hands: Rig, { url }: World, { dpop = false, login = "u1" } = {},
): Promise<{ found: Discovered; grant: LiveGrant; address: string }> {
  const refused = await fetch(url);
  const challenge = oauthChallenge(refused.headers.get("www-authenticate"));
  const found = await discover(hands, url, challenge);
  const { server, resource } = found;
  const client = await register(hands, server, { redirectUrl, clientName: "Test" });
  const key: DPoPKey | undefined = dpop ? await makeDPoPKey(hands, server.dpopAlgorithms) : undefined;
  const scope = chooseScopes({
    challenge: challenge?.scope, resource: found.scopes, server: server.scopesSupported,
  });
  const { address } = await beginFlow(hands, {
    signIn: url, url, resource, server, client, scope, dpop: key,
  });
  const back = await person(address, login, redirectUrl);
  const { record, code } = await takeFlow(hands, readCallback(back)!);
  const grant: Grant = await exchange(hands, record, code);
  return { found, grant: grant as LiveGrant, address: back };
}

test("discovery, registration, code with PKCE, refresh with rotation, revocation", async () => {
  const at = await world();
  try {
    const hands = host();
    const { found, grant, address } = await signIn(hands, at);
    assert.deepEqual([found.era, found.server.issuer, found.resource], ["resource", at.issuer, at.url]);
    assert.deepEqual(
      [grant.client.source, grant.client.authMethod, grant.access.type, grant.granted],
      ["dynamic", "none", "Bearer", "files"],
    );
    assert.ok(await isActive(hands, at.issuer, grant));
    assert.equal(new URL(address).searchParams.get("iss"), at.issuer);
    // The answer is used up.
    assert.equal((await failureOf(takeFlow(hands, readCallback(address)!))).fields.code, "sign_in_expired");

    const first = grant.refreshToken!;
    const before = at.requests.length;
    const hosts = Array.from({ length: 4 }, () => host(hands.store as MemoryAuthStore, hands.locks as Locks));
    const grants = await Promise.all(hosts.map((one) => liveGrant(one, at.url, grant.access.token)));
    assert.deepEqual(at.requests.slice(before), ["POST /token"]);
    assert.equal(new Set(grants.map(({ access }) => access.token)).size, 1);
    const next = grants[0]!;
    assert.ok(
      next.refreshToken !== first && next.access.token !== grant.access.token &&
        (await isActive(hands, at.issuer, next)),
    );

    assert.ok(await signOut(hands, at.url));
    assert.ok(!(await isActive(hands, at.issuer, next)));
    assert.equal(await readGrant(hands, at.url), undefined);
  } finally {
    at.close();
  }
});

test("an old refresh token ends them all there; here somebody signs in again, with the same client", async () => {
  const at = await world();
  try {
    const hands = host();
    const { grant } = await signIn(hands, at);
    const thief = host();
    await thief.store.set(`grant/${at.url}`, 0, grant);
    await liveGrant(hands, at.url, grant.access.token);
    assert.equal(
      (await failureOf(liveGrant(thief, at.url, grant.access.token))).fields.denial, "invalid_grant",
    );
    const current = (await readGrant(hands, at.url))!.value as LiveGrant;
    assert.equal(
      (await failureOf(liveGrant(hands, at.url, current.access.token))).fields.code, "sign_in_required",
    );
    const again = await signIn(hands, at);
    assert.equal(again.grant.client.clientId, grant.client.clientId);
    assert.ok(await isActive(hands, at.issuer, again.grant));
    assert.equal(at.requests.filter((line) => line === "POST /reg").length, 1);
  } finally {
    at.close();
  }
});

test("proofs of possession, with nonces that it wants: code, refresh, and nothing without the key", async () => {
  const at = await world({ nonces: true });
  try {
    const hands = host();
    const { grant } = await signIn(hands, at, { dpop: true });
    assert.equal(grant.access.type, "DPoP");
    assert.ok(!grant.dpop!.privateKey.extractable);
    // A tab that knows no nonce yet.
    const next = await liveGrant(host(hands.store as MemoryAuthStore), at.url, grant.access.token);
    assert.ok(next.refreshToken !== grant.refreshToken && next.access.type === "DPoP");
    const thief = host();
    const { dpop: _, ...bare } = next;
    await thief.store.set(`grant/${at.url}`, 0, bare);
    assert.equal(
      (await failureOf(liveGrant(thief, at.url, next.access.token))).fields.code, "sign_in_required",
    );
    assert.ok((await liveGrant(hands, at.url, next.access.token)).access.token !== next.access.token);
    assert.ok(await signOut(hands, at.url));
  } finally {
    at.close();
  }
});

test("a person who says no, a code that is not ours, two users in turn", async () => {
  const at = await world();
  try {
    const hands = host();
    const { grant, found } = await signIn(hands, at);
    await signOut(hands, at.url);
    const other = await signIn(hands, at, { login: "u2" });
    assert.ok(other.grant.principal !== grant.principal);
    // The code of another flow fits no verifier but its own.
    const begin = () => beginFlow(hands, {
      signIn: at.url, url: at.url, resource: at.url, server: found.server, client: grant.client,
      scope: "files",
    });
    const [mine, foreign] = [await begin(), await begin()];
    const stolen = readCallback(await person(foreign.address, "evil", redirectUrl))!;
    const taken = await takeFlow(hands, { ...stolen, state: mine.record.state });
    assert.equal((await failureOf(exchange(hands, taken.record, taken.code))).fields.denial, "invalid_grant");
    assert.equal((await readGrant(hands, at.url))!.value.principal, other.grant.principal);
    // An error that comes back.
    const wrong = await begin();
    const bad = new URL(wrong.address);
    bad.searchParams.set("scope", "files");
    bad.searchParams.set("prompt", "none");
    const failure = await failureOf(
      takeFlow(hands, readCallback(await person(bad.href, "u1", redirectUrl))!),
    );
    assert.deepEqual([failure.fields.code, failure.fields.denial], ["oauth_denied", "login_required"]);
  } finally {
    at.close();
  }
});
