import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientAuth } from "../src/auth/clientauth.js";
import { makeDPoPKey, proofOf } from "../src/auth/dpop.js";
import type { SigningAlgorithm } from "../src/auth/signing.js";
import { Nonces } from "../src/auth/nonces.js";
import { sha256 } from "../src/auth/pkce.js";
import type { Registration } from "../src/auth/registration.js";
import { tokenRequest } from "../src/auth/tokenrequest.js";
import { Authorization } from "../src/auth/authorization.js";
import { failureOf, ISSUER, json, rig, SERVER } from "./authrig.js";
import { scene } from "./authscene.js";
import { until } from "./ready.js";

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (char) => char.charCodeAt(0));
}

function parts(proof: string): { header: Record<string, unknown>; payload: Record<string, unknown> } {
  const [header, payload] = proof.split(".").map(
    (part) => JSON.parse(new TextDecoder().decode(bytes(part.padEnd(0)))) as Record<string, unknown>,
  ).slice(0, 2);
  return { header: header!, payload: payload! };
}

const read = (proof: string) => parts(proof.split(".").slice(0, 2).join("."));

const VERIFY: Record<SigningAlgorithm, [object, object]> = {
  ES256: [{ name: "ECDSA", namedCurve: "P-256" }, { name: "ECDSA", hash: "SHA-256" }],
  PS256: [{ name: "RSA-PSS", hash: "SHA-256" }, { name: "RSA-PSS", saltLength: 32 }],
  RS256: [{ name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }, { name: "RSASSA-PKCS1-v1_5" }],
};

test("a proof verifies, names its request without query, and never comes twice", async () => {
  const hands = rig({});
  for (const algorithm of ["ES256", "PS256", "RS256"] as const) {
    const key = await makeDPoPKey(hands, ["HS256", algorithm]);
    assert.equal(key.algorithm, algorithm);
    assert.ok(!key.privateKey.extractable);
    assert.equal(key.thumbprint, await sha256(hands, JSON.stringify(key.jwk)));
    const proof = await proofOf(hands, key, {
      method: "POST", url: "https://mcp.example/v1/mcp?tenant=1#x", token: "at", nonce: "n1",
    });
    const { header, payload } = read(proof);
    assert.deepEqual(header, { typ: "dpop+jwt", alg: algorithm, jwk: key.jwk });
    const { jti, ...rest } = payload;
    assert.deepEqual(rest, {
      htm: "POST", htu: "https://mcp.example/v1/mcp", iat: Math.floor(hands.now() / 1000), nonce: "n1",
      ath: await sha256(hands, "at"),
    });
    const again = read(
      await proofOf(hands, key, { method: "POST", url: "https://mcp.example/v1/mcp" }),
    ).payload;
    assert.ok(again.jti !== jti && !("nonce" in again) && !("ath" in again));
    const [how, verify] = VERIFY[algorithm];
    const publicKey = await crypto.subtle.importKey(
      "jwk", key.jwk as JsonWebKey, how as EcKeyImportParams, false, ["verify"],
    );
    const [head, body, signature] = proof.split(".");
    assert.ok(
      await crypto.subtle.verify(
        verify as EcdsaParams, publicKey, bytes(signature!), new TextEncoder().encode(`${head}.${body}`),
      ),
      algorithm,
    );
  }
});

test("an authorization server that takes none of our algorithms is refused", async () => {
  for (const supported of [[], ["HS256"], ["none", "EdDSA"]]) {
    const { leg, fields } = await failureOf(makeDPoPKey(rig({}), supported));
    assert.deepEqual([leg, fields.code], ["auth/dpop", "oauth_invalid"]);
  }
  assert.equal((await makeDPoPKey(rig({}), ["RS256", "ES256"])).algorithm, "ES256");
});

test("the thumbprint is that of RFC 7638: members in order, none more", async () => {
  const { jwk } = await makeDPoPKey(rig({}), ["ES256"]);
  assert.deepEqual(Object.keys(jwk), ["crv", "kty", "x", "y"]);
});

test("nonces are kept for each server and role, and what is none is not taken", () => {
  const nonces = new Nonces();
  const headers = (nonce: string): Headers => new Headers({ "dpop-nonce": nonce });
  assert.ok(nonces.note("authorization", `${ISSUER}/token`, headers("a"), undefined));
  assert.ok(!nonces.note("authorization", `${ISSUER}/other`, headers("a"), "a"));
  assert.ok(nonces.note("resource", `${ISSUER}/mcp`, headers("b"), undefined));
  assert.ok(!nonces.note("resource", `${ISSUER}/mcp`, headers('c"d'), "b"));
  assert.ok(!nonces.note("resource", `${ISSUER}/mcp`, headers("x".repeat(2000)), "b"));
  assert.ok(!nonces.note("resource", `${ISSUER}/mcp`, new Headers(), "b"));
  assert.deepEqual([nonces.get("authorization", ISSUER), nonces.get("resource", ISSUER)], ["a", "b"]);
  for (let i = 0; i < 100; i++) nonces.note("resource", `https://s${i}.example`, headers("n"), undefined);
  assert.equal(nonces.get("authorization", ISSUER), undefined);
  assert.equal(nonces.get("resource", "https://s99.example"), "n");
});

test("a wish for a nonce is granted once; the next request has it at once", async () => {
  const endpoint = `${ISSUER}/token`;
  const client: Registration = {
    issuer: ISSUER, clientId: "c", authMethod: "none", source: "given", redirectUrl: "https://app.example/",
  };
  let wanted = "n1";
  const seen: unknown[] = [];
  const hands = rig({
    [`POST ${endpoint}`]: ({ headers }) => {
      const { nonce } = read(headers.get("dpop")!).payload;
      seen.push(nonce);
      return nonce === wanted ? json({}) : json({ error: "use_dpop_nonce" }, 400, { "dpop-nonce": wanted });
    },
  });
  const dpop = await makeDPoPKey(hands, ["ES256"]);
  const send = () => tokenRequest(hands, "auth/token", endpoint, { client, dpop }, {});
  await send();
  await send();
  wanted = "n2";
  await send();
  assert.deepEqual(seen, [undefined, "n1", "n1", "n1", "n2"]);

  let n = 0;
  const endless = rig({
    [`POST ${endpoint}`]: () => json({ error: "use_dpop_nonce" }, 400, { "dpop-nonce": `n${n++}` }),
  });
  const failure = await failureOf(tokenRequest(endless, "auth/token", endpoint, { client, dpop }, {}));
  assert.deepEqual([failure.leg, endless.sent.length], ["auth/dpop", 2]);
  // CORS hides the nonce: it is of no use to try again.
  const hiding = rig({ [`POST ${endpoint}`]: () => json({ error: "use_dpop_nonce" }, 400) });
  assert.ok(
    /Expose-Headers: DPoP-Nonce/.test(
      (await failureOf(tokenRequest(hiding, "auth/token", endpoint, { client, dpop }, {}))).fields.hint!,
    ),
  );
  assert.equal(hiding.sent.length, 1);
});

test("Fault 533: several requests that are refused at once are given one nonce, and each is sent again with it", async () => {
  const endpoint = `${ISSUER}/token`;
  const client: Registration = {
    issuer: ISSUER, clientId: "c", authMethod: "none", source: "given", redirectUrl: "https://app.example/",
  };
  // All of them are there before the first is answered, as after a reload, which has forgotten the nonce.
  let [all, arrived] = [() => {}, 0];
  const gate = new Promise<void>((resolve) => (all = resolve));
  const hands = rig({
    [`POST ${endpoint}`]: async ({ headers }) => {
      if (++arrived === 3) all();
      await gate;
      return read(headers.get("dpop")!).payload.nonce === "n1"
        ? json({})
        : json({ error: "use_dpop_nonce" }, 400, { "dpop-nonce": "n1" });
    },
  });
  const dpop = await makeDPoPKey(hands, ["ES256"]);
  await Promise.all([1, 2, 3].map(() => tokenRequest(hands, "auth/refresh", endpoint, { client, dpop }, {})));
  assert.equal(hands.sent.length, 6);

  // The same of what goes to the server.
  const { tab, shown, answer } = scene({ dpop: true }, {
    [`POST ${ISSUER}/token`]: () => json({ access_token: "at", token_type: "DPoP", expires_in: 3600 }),
  });
  const { signIn } = tab();
  const first = signIn.signIn();
  await until(() => shown.length === 1);
  await answer(signIn);
  await first;
  const sent = await Promise.all([1, 2, 3].map(() => signIn.headers("POST", SERVER)));
  const repairs = [];
  for (const one of sent) {
    const answered = {
      status: 401,
      headers: new Headers({ "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": "r1" }),
    };
    repairs.push((await signIn.repaired(answered, one, signIn.noted(SERVER, answered.headers, one)))?.kind);
  }
  assert.deepEqual(repairs, ["retry", "retry", "retry"]);
});

test("Fault 577: where each nonce is good for one proof, any number of requests at once are each sent again with their own", async () => {
  // A server that takes each nonce once, and gives each that it refuses another one.
  let given = 0;
  const open = new Set<unknown>();
  const refuses = (proof: string): string | undefined => {
    if (open.delete(read(proof).payload.nonce)) return undefined;
    open.add(`n${++given}`);
    return `n${given}`;
  };
  const { tab, shown, answer } = scene({ dpop: true }, {
    [`POST ${ISSUER}/token`]: () => json({ access_token: "at", token_type: "DPoP", expires_in: 3600 }),
  });
  const { signIn } = tab();
  const first = signIn.signIn();
  await until(() => shown.length === 1);
  await answer(signIn);
  await first;
  const calls = new Authorization(
    SERVER, async () => ({ auth: signIn as unknown as ClientAuth, attended: true, listeners: new Set() }),
  );
  // What is under way is answered at once, whatever each request took to leave.
  let [sent, left] = [0, 32];
  const waiting: (() => void)[] = [];
  const release = (): void => {
    if (waiting.length === left) for (const answer of waiting.splice(0)) answer();
  };
  const leave = async (fields: readonly (readonly [string, string])[]): Promise<Response> => {
    sent++;
    await new Promise<void>((resolve) => (waiting.push(resolve), release()));
    const nonce = refuses(new Map(fields).get("dpop")!);
    return nonce === undefined
      ? new Response()
      : new Response(null, {
        status: 401, headers: { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": nonce },
      });
  };
  const ended = (): void => (left--, release());
  const answers = await Promise.all(
    Array.from({ length: 32 }, () => calls.send("POST", SERVER, leave).finally(ended)),
  );
  assert.deepEqual([[...new Set(answers.map(({ status }) => status))], sent], [[200], 64]);
});
