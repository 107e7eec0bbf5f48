import assert from "node:assert/strict";
import { test } from "node:test";
import { openClientAuth } from "../src/auth/clientauth.js";
import { MemoryAuthStore } from "../src/auth/memorystore.js";
import { unattended } from "../src/auth/oauth.js";
import { NO_TRIALS } from "../src/auth/refusal.js";
import { obtain, type Unattended } from "../src/auth/unattended.js";
import {
  AS_METADATA, failureOf, ISSUER, json, KEY, Locks, METADATA, PRM_PATH, RESOURCE, rig, type Routes, SERVER,
} from "./authrig.js";
import { digest } from "../src/storage/digest.js";

const REASON = { challenge: undefined, rejected: undefined, scope: undefined };
const IDP = "https://idp.example/token";
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

function routes(change: Routes = {}): Routes {
  return {
    [PRM_PATH]: () => json(RESOURCE),
    // No person can go there.
    [AS_METADATA]: () => json({ issuer: ISSUER, token_endpoint: `${ISSUER}/token` }),
    [`POST ${ISSUER}/token`]: () => json({ access_token: "at", token_type: "Bearer", expires_in: 60 }),
    ...change,
  };
}

async function pem(): Promise<string> {
  const { privateKey } = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"],
  );
  const der = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
  return "-----BEGIN PRIVATE " +
    `KEY-----\n${btoa(String.fromCharCode(...der)).replace(/.{64}/g, "$&\n")}\n-----END PRIVATE KEY-----\n`;
}

test("each way to sign in without a person: what is sent, and who it is from", async () => {
  const privateKey = await pem();
  const basic = `Basic ${btoa("c:s")}`;
  for (const [how, want, authorization] of [
    [{ kind: "secret", clientId: "c", clientSecret: "s" }, { grant_type: "client_credentials" }, basic],
    [
      { kind: "key", clientId: "c", privateKey, algorithm: "ES256" },
      {
        grant_type: "client_credentials", client_id: "c",
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      },
      null,
    ],
    [
      {
        kind: "enterprise", clientId: "c", clientSecret: "s",
        provider: { tokenEndpoint: IDP, clientId: "i", idToken: () => "id" },
      },
      { grant_type: JWT_BEARER, assertion: "jag" }, basic,
    ],
    [
      { kind: "workload", assertion: () => "platform" }, { grant_type: JWT_BEARER, assertion: "platform" },
      null,
    ],
  ] as [Unattended, Record<string, string>, string | null][]) {
    const hands = rig(
      routes({
        [`POST ${IDP}`]: () => json({
          access_token: "jag", issued_token_type: "urn:ietf:params:oauth:token-type:id-jag",
          token_type: "N_A",
        }),
      }),
    );
    const grant = await obtain(hands, { url: SERVER, key: KEY }, how, REASON);
    const { form, headers } = hands.sent.at(-1)!;
    const { client_assertion: assertion, ...rest } = Object.fromEntries(form);
    assert.deepEqual(rest, { ...want, resource: SERVER, scope: "files" }, how.kind);
    assert.equal(headers.get("authorization"), authorization, how.kind);
    assert.equal(grant.access!.token, "at");
    if (how.kind === "key") {
      const { iss, sub, aud, exp, iat } = JSON.parse(
        atob(assertion!.split(".")[1]!.replace(/-/g, "+").replace(/_/g, "/")),
      ) as Record<string, unknown>;
      assert.deepEqual([iss, sub, aud, (exp as number) - (iat as number)], ["c", "c", ISSUER, 60]);
    } else assert.equal(assertion, undefined);
    if (how.kind === "enterprise") {
      const exchange = Object.fromEntries(hands.sent.at(-2)!.form);
      assert.deepEqual(
        [exchange.audience, exchange.resource, exchange.subject_token, exchange.client_id],
        [ISSUER, SERVER, "id", "i"],
      );
    }
  }
});

test("what goes wrong without a person", async () => {
  const bad = await failureOf(
    obtain(
      rig(routes()), { url: SERVER, key: KEY },
      { kind: "key", clientId: "c", privateKey: "CANARY", algorithm: "ES256" }, REASON,
    ),
  );
  assert.ok(bad.fields.code === "bad_argument" && !bad.message.includes("CANARY"));
  const none = rig(
    routes({ [`POST ${IDP}`]: () => json({ access_token: "x", issued_token_type: "other" }) }),
  );
  assert.equal(
    (
      await failureOf(
        obtain(
          none, { url: SERVER, key: KEY },
          {
            kind: "enterprise", clientId: "c", clientSecret: "s",
            provider: { tokenEndpoint: IDP, clientId: "i", idToken: () => "id" },
          },
          REASON,
        ),
      )
    ).fields.code,
    "oauth_invalid",
  );
  const refused = rig(routes({ [`POST ${ISSUER}/token`]: () => json({ error: "invalid_grant" }, 400) }));
  assert.equal(
    (
      await failureOf(
        obtain(refused, { url: SERVER, key: KEY }, { kind: "workload", assertion: () => "x" }, REASON),
      )
    ).fields.denial,
    "invalid_grant",
  );
  assert.equal(refused.lines().filter((line) => line.endsWith("/token")).length, 1);
});

test("a program that is refused has a token at once, and a new one when that is over", async () => {
  let n = 0;
  const answers = routes({
    [`POST ${ISSUER}/token`]: () => json({ access_token: `at${++n}`, token_type: "Bearer" }),
    [AS_METADATA]: () => json(METADATA),
  });
  const real = globalThis.fetch;
  globalThis.fetch = (
    async (url: string, init: RequestInit) => answers[`${init.method} ${url}`]!({} as never)
  ) as typeof fetch;
  try {
    const auth = await openClientAuth(
      unattended({ kind: "secret", clientId: "c", clientSecret: "s" }), SERVER,
      { store: new MemoryAuthStore(), memory: new Map(), digest, locks: new Locks() },
    );
    for (const token of [undefined, "at1"]) {
      await auth.refused({ status: 401, challenge: undefined, token, nonce: false }, NO_TRIALS);
      assert.equal((await auth.headers("POST", SERVER))!.token, `at${n}`);
    }
    assert.deepEqual([n, auth.state], [2, "signed-in"]);
  } finally {
    globalThis.fetch = real;
  }
});
