import assert from "node:assert/strict";
import { test } from "node:test";
import { AuthFailure } from "../src/auth/failure.js";
import { subjectOf } from "../src/auth/subject.js";
import { chooseScopes, union } from "../src/auth/scopes.js";
import { tokenRequest } from "../src/auth/tokenrequest.js";
import { lifeOf, readTokens } from "../src/auth/tokens.js";
import { base64url } from "../src/auth/pkce.js";
import type { Registration } from "../src/auth/registration.js";
import { failureOf, hidden, ISSUER, json, nothing, rig, type Reply } from "./authrig.js";

const GOOD = { access_token: "at", token_type: "Bearer", expires_in: 60 };

test("the answer of a token endpoint is checked member by member", () => {
  for (const [name, change, want, type = "Bearer"] of [
    ["good", {}, 60_000],
    ["no lifetime", { expires_in: undefined }, "for ever"],
    ["null", { expires_in: null }, "for ever"],
    ["as a string", { expires_in: "60" }, 60_000],
    ["a fraction", { expires_in: 0.5 }, 500],
    ["a thousand years", { expires_in: 4e10 }, 365 * 24 * 3600_000],
    ["0", { expires_in: 0 }, "expires_in"],
    ["-1", { expires_in: -1 }, "expires_in"],
    ["soon", { expires_in: "soon" }, "expires_in"],
    ["-1 as a string", { expires_in: "-1" }, "expires_in"],
    ["infinity", { expires_in: Infinity }, "expires_in"],
    ["a list", { expires_in: [60] }, "expires_in"],
    ["small letters", { token_type: "bearer" }, 60_000],
    ["no type", { token_type: undefined }, "type"],
    ["mac", { token_type: "mac" }, "type"],
    ["N_A", { token_type: "N_A" }, "type"],
    ["a number for a type", { token_type: 7 }, "type"],
    ["proof that was not asked for", { token_type: "DPoP" }, "type"],
    ["proof", { token_type: "DPoP" }, 60_000, "DPoP"],
    ["no proof, and it was asked for", {}, "type", "DPoP"],
    ["no token", { access_token: undefined }, "access_token"],
    ["an empty token", { access_token: "" }, "access_token"],
    ["a token with a line break", { access_token: "a\r\nx-admin: 1" }, "access_token"],
    ["a token that is long", { access_token: "x".repeat(40_000) }, "access_token"],
    ["a token that is an object", { access_token: {} }, "access_token"],
  ] as [string, object, number | string, ("Bearer" | "DPoP")?][]) {
    const { access } = readTokens("auth/token", { ...GOOD, ...change }, type, 1000);
    if (access instanceof AuthFailure)
      assert.ok(
        access.leg === "auth/token" && access.fields.code === "oauth_invalid" &&
          access.message.includes(String(want)),
        `${name}: ${access.message}`,
      );
    else assert.equal(access.expiresAt === undefined ? "for ever" : access.expiresAt - 1000, want, name);
  }
  assert.ok(readTokens("auth/token", undefined, "Bearer", 0).access instanceof AuthFailure);
});

test("a new refresh token is kept, whatever the access token is", () => {
  const { access, refreshToken, scope } = readTokens(
    "auth/refresh", { ...GOOD, expires_in: 0, refresh_token: "rt", scope: "a  b <x> a" }, "Bearer", 0,
  );
  assert.ok(access instanceof AuthFailure);
  assert.deepEqual([refreshToken, scope], ["rt", "a b <x>"]);
});

test("how long a token lives", () => {
  const at = (ms: number | undefined) => lifeOf(
    { token: "t", type: "Bearer", ...(ms === undefined ? {} : { expiresAt: ms }) }, 1_000_000,
  );
  assert.deepEqual(
    [at(undefined), at(1_060_001), at(1_060_000), at(1_000_001), at(1_000_000), at(0), at(1e12)],
    ["fresh", "fresh", "stale", "stale", "over", "over", "over"],
  );
});

test("which scopes are asked for", () => {
  for (const [sources, want] of [
    [{ challenge: "a b", resource: ["c"] }, "a b"],
    [{ challenge: "", resource: ["c"] }, undefined],
    [{ resource: ["c", "d", "c", 'q"'] }, "c d"],
    [{ resource: [] }, undefined],
    [{}, undefined],
    [{ app: ["x"], challenge: "a", resource: ["c"] }, "x"],
    [{ challenge: "a", server: ["offline_access"] }, "a offline_access"],
    [{ challenge: "a offline_access", server: ["offline_access"] }, "a offline_access"],
    [{ challenge: "a offline_access" }, "a"],
    [{ resource: ["a", "offline_access"], server: ["a"] }, "a"],
    [{ server: ["offline_access"] }, undefined],
  ] as const) {
    assert.equal(chooseScopes(sources), want, JSON.stringify(sources));
  }
  assert.equal(union("a b", undefined, "b c", ""), "a b c");
  assert.equal(union(undefined, ""), undefined);
  assert.ok(union(Array.from({ length: 1000 }, (_, i) => `s${i}`).join(" "))!.split(" ").length === 256);
});

test("whose tokens they are", () => {
  const jwt =
    (claims: object): string => `h.${base64url(new TextEncoder().encode(JSON.stringify(claims)))}.s`;
  const mine = { iss: ISSUER, sub: "u1", aud: "c" };
  for (const [tokens, want] of [
    [{ idToken: jwt(mine), token: jwt({ sub: "other" }) }, '["https://as.example","u1"]'],
    [{ idToken: jwt({ ...mine, aud: ["x", "c"] }) }, '["https://as.example","u1"]'],
    [{ idToken: jwt({ ...mine, aud: "x" }), token: "opaque" }, undefined],
    [{ idToken: jwt({ ...mine, iss: "https://evil.example" }) }, undefined],
    [{ token: jwt({ sub: "u2", iss: "i" }) }, '["i","u2"]'],
    [{ token: jwt({ sub: "u2" }) }, '["","u2"]'],
    [{ token: jwt({ sub: 7 }) }, undefined],
    [{ token: "a.b.c" }, undefined],
    [{ token: "opaque" }, undefined],
    [{}, undefined],
  ] as const) {
    assert.equal(subjectOf(tokens, ISSUER, "c"), want, JSON.stringify(tokens));
  }
});

const client: Registration = {
  issuer: ISSUER, clientId: "c", authMethod: "none", source: "given", redirectUrl: "https://app.example/",
};

test("the answers of a token endpoint, and what each is for the app", async () => {
  const endpoint = `${ISSUER}/token`;
  for (const [name, reply, code, retryable, denial] of [
    [
      "invalid_grant", () => json({ error: "invalid_grant", error_description: "SECRET" }, 400),
      "oauth_denied", false, "invalid_grant",
    ],
    [
      "busy", () => json({ error: "temporarily_unavailable" }, 400), "oauth_denied", true,
      "temporarily_unavailable",
    ],
    ["its own words", () => json({ error: "<b>SECRET</b>" }, 400), "oauth_denied", false, undefined],
    [
      "a page", () => new Response("<html>SECRET", { status: 400, headers: { "content-type": "text/html" } }),
      "http_error", false, undefined,
    ],
    ["down", () => json({ error: "invalid_grant" }, 503), "http_error", true, undefined],
    ["too many", () => nothing(429), "http_error", true, undefined],
    ["no CORS", hidden, "cors_blocked", false, undefined],
  ] as [string, () => Reply, string, boolean, string | undefined][]) {
    const failure = await failureOf(
      tokenRequest(rig({ [`POST ${endpoint}`]: reply }), "auth/token", endpoint, { client }, { code: "x" }),
    );
    assert.deepEqual(
      [failure.leg, failure.fields.code, failure.fields.retryable ?? false, failure.fields.denial],
      ["auth/token", code, retryable, denial], name,
    );
    assert.ok(!JSON.stringify([failure.toFields(), failure.message]).includes("SECRET"), name);
  }
  const hands = rig({ [`POST ${endpoint}`]: () => json({ ok: true }) });
  await tokenRequest(hands, "auth/token", endpoint, { client }, { code: "x" });
  const { init } = hands.sent[0]!;
  assert.deepEqual(
    [init.redirect, init.credentials, init.referrerPolicy, init.cache],
    ["error", "omit", "no-referrer", "no-store"],
  );
});
