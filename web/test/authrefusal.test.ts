import assert from "node:assert/strict";
import { test } from "node:test";
import { oauthChallenge } from "../src/auth/challenge.js";
import { type HeldToken, judge, NO_TRIALS, type Refusal } from "../src/auth/refusal.js";

const held: HeldToken = { token: "t1", canRefresh: true, requested: "a", granted: "a b" };
const refused = (status: number, challenge?: string, change: Partial<Refusal> = {}): Refusal => ({
  status, challenge: oauthChallenge(challenge), token: "t1", nonce: false, ...change
});

test("what follows a refusal", () => {
  const SCOPE = 'Bearer error="insufficient_scope", scope="c"';
  const NONCE = 'DPoP error="use_dpop_nonce"';
  for (const [name, refusal, of, trials, want] of [
    ["nobody has signed in", refused(401, "Bearer", { token: undefined }), undefined, {}, "sign-in"],
    ["no challenge can be read", refused(401, undefined, { token: undefined }), undefined, {}, "sign-in"],
    ["the token is old", refused(401, "Bearer", { token: "t0" }), held, {}, "retry"],
    ["it had no token", refused(401, "Bearer", { token: undefined }), held, {}, "retry"],
    [
      "the token is old, again and again", refused(401, "Bearer", { token: "t0" }), held, { retries: 5 },
      "give-up",
    ],
    [
      "the token that there was is over", refused(401, "Bearer", { token: undefined }),
      { ...held, token: undefined, canRefresh: false }, {}, "sign-in",
    ],
    ["the token is refused", refused(401, "Bearer"), held, {}, "refresh"],
    ["nothing to refresh with", refused(401, "Bearer"), { ...held, canRefresh: false }, {}, "sign-in"],
    ["the refreshed one too", refused(401, "Bearer"), held, { refreshes: 1 }, "sign-in"],
    ["and that of a new sign-in", refused(401, "Bearer"), held, { refreshes: 1, signIns: 1 }, "give-up"],
    ["a nonce", refused(401, NONCE, { nonce: true }), held, {}, "retry"],
    ["one more", refused(401, NONCE, { nonce: true }), held, { nonces: 1 }, "retry"],
    [
      "where others had each of them first", refused(401, NONCE, { nonce: true }), held, { nonces: 4 },
      "retry",
    ],
    ["nonces for ever", refused(401, NONCE, { nonce: true }), held, { nonces: 5 }, "give-up"],
    ["a nonce that cannot be read", refused(401, NONCE), held, {}, "give-up"],
    ["a nonce, and the challenge is hidden", refused(401, undefined, { nonce: true }), held, {}, "retry"],
    ["then it is the token", refused(401, undefined, { nonce: true }), held, { nonces: 1 }, "refresh"],
    ["more scopes", refused(403, SCOPE), held, {}, "sign-in a b c"],
    ["and more", refused(403, SCOPE), held, { stepUps: 1 }, "sign-in a b c"],
    ["and more for ever", refused(403, SCOPE), held, { stepUps: 2 }, "give-up"],
    [
      "the same for ever, over many pages", refused(403, SCOPE), { ...held, requested: "a c", asked: 2 }, {},
      "give-up",
    ],
    ["another one after that", refused(403, SCOPE), { ...held, asked: 2 }, {}, "sign-in a b c"],
    ["more scopes than an old token has", refused(403, SCOPE, { token: "t0" }), held, {}, "retry"],
    ["more, unnamed", refused(403, 'Bearer error="insufficient_scope"'), held, {}, "sign-in a b"],
    ["forbidden", refused(403, "Bearer"), held, {}, "pass"],
    ["forbidden, without a word", refused(403), held, {}, "pass"],
    ["something else", refused(500, "Bearer"), held, {}, "pass"],
  ] as const) {
    const verdict = judge(refusal, of, { ...NO_TRIALS, ...trials });
    assert.equal(
      verdict.kind === "sign-in" && refusal.status === 403
        ? `${verdict.kind} ${verdict.scope}`
        : verdict.kind,
      want, name,
    );
  }
});

test("whatever a server answers, it ends", () => {
  const challenges = [
    undefined, "Bearer", 'Bearer error="insufficient_scope", scope="x"', 'DPoP error="use_dpop_nonce"',
  ];
  for (let walk = 0; walk < 500; walk++) {
    let trials = NO_TRIALS;
    let asked = 0;
    let current = 0;
    for (let step = 0; ; step++) {
      assert.ok(step < 12, `walk ${walk}`);
      const challenge = challenges[(walk * 7 + step * ((walk % 5) + 1)) % 4];
      const verdict = judge(
        refused((walk + step) % 3 ? 401 : 403, challenge, { token: `t${current}`, nonce: true }),
        { ...held, token: `t${current}` }, trials,
      );
      if (verdict.kind === "pass" || verdict.kind === "give-up") break;
      if (verdict.kind === "sign-in") asked++;
      if (verdict.kind !== "retry") current++;
      trials = verdict.trials;
    }
    assert.ok(asked <= 3);
  }
});
