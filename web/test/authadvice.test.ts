import assert from "node:assert/strict";
import { test } from "node:test";
import { type AuthCode, AuthFailure, DENIALS, denied, invalid } from "../src/auth/failure.js";
import { HoldfastError } from "../src/base/errors.js";

/** All codes: the type refuses a table that lacks one. */
const CODES: Record<AuthCode, true> = {
  bad_argument: true,
  network_error: true,
  cors_blocked: true,
  http_error: true,
  timeout: true,
  limit_exceeded: true,
  unauthorized: true,
  oauth_invalid: true,
  oauth_denied: true,
  sign_in_required: true,
  sign_in_expired: true,
  storage_failed: true,
};

const hintOf = (failure: AuthFailure): string => new HoldfastError(failure.toFields()).hint ?? "";

test("every error of signing in has a hint, and one that the place gives goes before the usual one", () => {
  for (const code of Object.keys(CODES) as AuthCode[])
    assert.ok(hintOf(new AuthFailure("auth/token", { code, message: "no" })).length > 10, code);
  for (const denial of [...DENIALS, "not registered", undefined])
    assert.ok(hintOf(denied("auth/callback", denial)).length > 10, denial);
  assert.equal(hintOf(invalid("auth/token", "no", "Do this.")), "Do this.");
  assert.equal(hintOf(denied("auth/registration", "invalid_redirect_uri", 400, "By hand.")), "By hand.");
});

test("the hint is for who can do something about it", () => {
  for (const [failure, hint] of [
    [denied("auth/callback", "access_denied"), /signIn\(\)/],
    [denied("auth/token", "invalid_scope"), /scopes/],
    [denied("auth/token", "invalid_client"), /clientId/],
    [denied("auth/callback", "temporarily_unavailable"), /later/],
    [denied("auth/callback", "<b>CANARY"), /log/],
    [invalid("auth/server-metadata", "no"), /RFC 8414/],
    [invalid("auth/resource-metadata", "no"), /RFC 9728/],
  ] as const) {
    assert.ok(hint.test(hintOf(failure)), hintOf(failure));
    assert.ok(!hintOf(failure).includes("CANARY"));
  }
});
