// Servers that have moved to another authorization server while somebody was signed in.

import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_TRIALS } from "../src/auth/refusal.js";
import {
  AS_METADATA, failureOf, hidden, ISSUER, json, METADATA, nothing, PRM_PATH, RESOURCE, SERVER,
} from "./authrig.js";
import { refusal, scene } from "./authscene.js";
import { until } from "./ready.js";

test("Fault 579: a server has moved whose metadata is where its challenge said, and not at a well-known address", async () => {
  const other = "https://other.example";
  const named = "https://mcp.example/v1/mcp/oauth";
  const challenge = `Bearer resource_metadata="${named}"`;
  for (const [name, moves, at] of [
    ["it says so where it was", true, "named"],
    ["it says so at the well-known address by now", true, "well-known"],
    ["it has not moved: the authorization server is away", false, "named"],
  ] as const) {
    let isGone = false;
    const issuer = (): string => (isGone && moves ? other : ISSUER);
    const resource = () => json({ ...RESOURCE, authorization_servers: [issuer()] });
    const { tab, shown, answer } = scene({}, {
      [PRM_PATH]: () => (isGone && at === "well-known" ? resource() : nothing(404)),
      [`GET ${named}`]: () => (isGone && at === "well-known" ? nothing(404) : resource()),
      [AS_METADATA]: () => json(METADATA),
      [`GET ${other}/.well-known/oauth-authorization-server`]: () => json({
        ...METADATA, issuer: other, token_endpoint: `${other}/token`,
      }),
      [`POST ${ISSUER}/token`]: () => (
        isGone
          ? hidden()
          : json({ access_token: "at1", token_type: "Bearer", expires_in: 3600, refresh_token: "rt1" })
      ),
    });
    const { signIn, hands } = tab();
    const first = signIn.refused(refusal(401, undefined, challenge), NO_TRIALS);
    await until(() => shown.length === 1);
    await answer(signIn);
    await first;
    await signIn.passed("at1");
    isGone = true;
    hands.pass(3_600_000);
    if (moves) assert.equal(await signIn.headers("POST", SERVER), undefined, name); // a person is needed
    else assert.equal((await failureOf(signIn.headers("POST", SERVER))).fields.retryable, true, name);
  }
});
