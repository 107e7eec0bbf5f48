// A wipe while a code or a refresh token is on its way: what comes for it is revoked, and nobody uses it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readAuthorizationServer } from "../src/auth/authorizationserver.js";
import { openWish } from "../src/auth/epochs.js";
import { beginFlow, takeFlow } from "../src/auth/flow.js";
import { openSignIn } from "../src/auth/opensignin.js";
import { exchange, type Grant, grantKey, readGrant } from "../src/auth/grants.js";
import { MemoryAuthStore } from "../src/auth/memorystore.js";
import type { SignIn } from "../src/auth/signin.js";
import { liveGrant } from "../src/auth/refresh.js";
import { SplitAuthStore } from "../src/auth/splitstore.js";
import { authPlace } from "../src/auth/authplace.js";
import { digest } from "../src/storage/digest.js";
import { clientPart } from "../src/auth/loadauthorization.js";
import { wipe } from "../src/auth/wipe.js";
import {
  AS_METADATA, CLIENT, failureOf, ISSUER, json, KEY, Locks, METADATA, nothing, PRM_PATH, RESOURCE, rig,
  type Rig, SERVER,
} from "./authrig.js";
import { until } from "./ready.js";
import { Shim } from "./storeshim.js";

const server = readAuthorizationServer(METADATA, ISSUER, false);
const client: Grant["client"] = {
  issuer: ISSUER, clientId: "c", authMethod: "none", source: "given", redirectUrl: "https://app.example/",
};
const TOKEN = `POST ${ISSUER}/token`;

new Shim();
// what was stored is revoked elsewhere
clientPart.here = { signOutEverywhere: async () => {} } as typeof clientPart.here & object;

/** A tab whose tokens rest in the database, or in its memory; its token request is held until `answer`. */
async function tab(memory: boolean): Promise<{ hands: Rig; answer(): void; revoked: () => string[] }> {
  await wipe(); // what the test before has left
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  const rows = (await authPlace()).store!;
  const hands = rig(
    {
      [TOKEN]: () => held.then(
        () => json({ access_token: "at1", token_type: "Bearer", expires_in: 3600, refresh_token: "rt1" }),
      ),
      [`POST ${ISSUER}/revoke`]: () => nothing(200),
    },
    { store: memory ? new SplitAuthStore(new MemoryAuthStore(new Map()), rows) : rows },
  );
  return {
    hands, answer,
    revoked: () =>
      hands.sent.filter(({ line }) => line.endsWith("/revoke")).map(({ form }) => form.get("token")!),
  };
}

/** Each place that tokens rest in, and who is there by the time of the answer. */
const cases = [false, true].flatMap((memory) => [false, true].map((next) => ({ memory, next })));

test("Fault 717: a code on its way during a wipe: its token is revoked, not used", async () => {
  for (const { memory, next } of cases) {
    const { hands, answer, revoked } = await tab(memory);
    const { record } = await beginFlow(hands, { signIn: KEY, url: SERVER, resource: SERVER, server, client });
    const taken = await takeFlow(hands, { state: record.state, code: "x", iss: ISSUER });
    const got = failureOf(exchange(hands, taken.record, taken.code));
    await until(() => hands.lines().includes(TOKEN));
    await wipe();
    if (next) await openWish(hands, KEY, () => true); // the next user signs in
    answer();
    assert.equal((await got).fields.code, "sign_in_expired");
    assert.deepEqual([revoked(), await readGrant(hands, KEY)], [["rt1", "at1"], undefined]);
  }
});

test("Fault 717: a refresh on its way during a wipe: its token is revoked, not used", async () => {
  for (const { memory, next } of cases) {
    const { hands, answer, revoked } = await tab(memory);
    const { epoch } = (await openWish(hands, KEY, () => true))!;
    const grant: Grant = {
      url: SERVER, resource: SERVER, server, client, epoch, principal: "u",
      access: { token: "at0", type: "Bearer", expiresAt: hands.now() - 1 }, refreshToken: "rt0",
    };
    assert.ok(await hands.store.set(grantKey(KEY), 0, grant));
    const got = failureOf(liveGrant(hands, KEY));
    await until(() => hands.lines().includes(TOKEN));
    await wipe();
    if (next) await openWish(hands, KEY, () => true); // the next user signs in
    answer();
    assert.equal((await got).fields.code, "sign_in_required");
    assert.deepEqual([revoked(), await readGrant(hands, KEY)], [["rt1", "at1"], undefined]);
  }
});

/** A tab that signs somebody in, as far as an address is shown, and what it does when another tab wipes. */
async function signing(): Promise<{ signIn: SignIn; over: Promise<unknown>; state: string; wiped(): Promise<unknown>; hands: Rig; answer(): void }> {
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  const hands = rig({
    [PRM_PATH]: () => json(RESOURCE),
    [AS_METADATA]: () => json(METADATA),
    [`POST ${ISSUER}/register`]: () => json({ client_id: "c" }, 201),
    [TOKEN]: () => held.then(() => json({ access_token: "at1", token_type: "Bearer" })),
  });
  let wiped = (): Promise<unknown> => Promise.reject(new Error("it does not hear of a wipe"));
  const place = {
    store: hands.store, memory: new Map(), locks: new Locks(), digest,
    whenWiped: (gone: () => Promise<unknown>) => void (wiped = gone),
  };
  const signIn = await openSignIn(SERVER, { redirectUrl: client.redirectUrl }, {
    how: "manual", storage: "persistent", client: CLIENT, place, own: { fetch: hands.fetch },
  });
  const over = signIn.signIn().catch((error: unknown) => error);
  await until(() => signIn.address !== undefined);
  return {
    signIn, over, state: new URL(signIn.address!).searchParams.get("state")!, wiped: () => wiped(), hands,
    answer,
  };
}

test("Fault 717: a wipe in another tab ends a sign-in that is under way, behind the answer that is being taken", async () => {
  const idle = await signing();
  await idle.wiped();
  await idle.over;
  assert.deepEqual(
    [idle.signIn.state, idle.signIn.failure?.code, idle.signIn.address],
    ["signed-out", "sign_in_required", undefined],
  );

  const { signIn, state, wiped, hands, answer } = await signing();
  const taken = signIn.finish({ state, code: "x", iss: ISSUER }).catch(() => {});
  let isOver = false;
  const over = wiped().then(() => (isOver = true));
  await until(() => hands.lines().includes(TOKEN));
  assert.ok(!isOver, "its word would be given before its request has begun");
  answer();
  await Promise.all([taken, over]);
});

test("Fault 772: a sign-in that is opened while everybody logs out keeps what it needs, whenever the wipe comes", async () => {
  for (let turns = 0; turns < 60; turns += 1) {
    await wipe();
    const opening = authPlace();
    for (let turn = 0; turn < turns; turn++) await undefined;
    const wiped = wipe();
    assert.ok((await opening).store, `a wipe after ${turns} turns leaves it in memory`);
    await wiped;
  }
});
