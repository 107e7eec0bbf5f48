import assert from "node:assert/strict";
import { test } from "node:test";
import { readAuthorizationServer } from "../src/auth/authorizationserver.js";
import {
  beginFlow, checkRedirectURL, FLOW_TIME, flowKey, type FlowRecord, readCallback, takeFlow, withoutCallback,
} from "../src/auth/flow.js";
import { base64url, makePkce, sha256 } from "../src/auth/pkce.js";
import type { Registration } from "../src/auth/registration.js";
import { failureOf, ISSUER, KEY, METADATA, rig, type Rig, SERVER, thrown } from "./authrig.js";

const redirectUrl = "https://app.example/callback";
const client: Registration = {
  issuer: ISSUER, clientId: "c", authMethod: "none", source: "given", redirectUrl,
};
const server = (change: object = {}) => readAuthorizationServer({ ...METADATA, ...change }, ISSUER, false);
const begin = (hands: Rig, change: object = {}, scope?: string) => beginFlow(hands, {
  signIn: KEY, url: SERVER, resource: SERVER, server: server(change), client, scope,
});

test("the verifier and challenge of RFC 7636 appendix B", async () => {
  assert.equal(
    await sha256({ subtle: crypto.subtle }, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  );
  assert.equal(base64url(new Uint8Array([251, 255, 254])), "-__-");
  const { verifier, challenge } = await makePkce(rig({}));
  assert.ok(
    /^[A-Za-z0-9_-]{43}$/.test(verifier) && /^[A-Za-z0-9_-]{43}$/.test(challenge) && verifier !== challenge,
  );
  assert.equal((await failureOf(makePkce({ ...rig({}), subtle: undefined }))).fields.code, "bad_argument");
});

test("the authorization request", async () => {
  const hands = rig({});
  const { record, address } = await begin(
    hands, { authorization_endpoint: `${ISSUER}/authorize?tenant=1&redirect_uri=https://evil.example` },
    "files offline_access",
  );
  const url = new URL(address);
  assert.equal(url.origin + url.pathname, `${ISSUER}/authorize`);
  assert.deepEqual([...url.searchParams].sort(), [
    ["client_id", "c"],
    ["code_challenge", await sha256(hands, record.verifier)],
    ["code_challenge_method", "S256"],
    ["prompt", "consent"],
    ["redirect_uri", redirectUrl],
    ["resource", SERVER],
    ["response_type", "code"],
    ["scope", "files offline_access"],
    ["state", record.state],
    ["tenant", "1"],
  ]);
  assert.ok(!address.includes(record.verifier));
  const other = await begin(hands);
  assert.ok(
    !new URL(other.address).searchParams.has("scope") && other.record.state !== record.state &&
      other.record.window !== record.window,
  );
});

test("where an answer may come to", () => {
  for (
    const good of [
      "https://app.example/callback", "https://app.example", "http://localhost:3000/callback",
      "http://127.0.0.1/",
    ]
  )
    checkRedirectURL(good);
  for (
    const bad of [
      "javascript:alert(1)", "data:text/html,x", "http://app.example/", "/callback",
      "https://u:p@app.example/", "https://app.example/#x", "java\tscript:alert(1)", "",
    ]
  ) {
    assert.equal(thrown(() => checkRedirectURL(bad)).fields.code, "bad_argument", bad);
  }
});

test("what is an answer", () => {
  const at = (query: string) => readCallback(`${redirectUrl}?${query}`);
  assert.deepEqual(at("code=a&state=s&other=1"), { state: "s", code: "a" });
  assert.deepEqual(at("error=access_denied&state=s&iss=https://as.example&error_description=x"), {
    state: "s", error: "access_denied", iss: "https://as.example",
  });
  for (
    const none of [
      "", "code=a", "state=s", "state=&code=a", "code=a&error=b&state=s", "code=a&code=b&state=s",
      "code=a&state=s&state=t", "code=a&state=s&iss=a&iss=b", `code=${"x".repeat(9000)}&state=s`,
    ]
  ) {
    assert.equal(at(none), undefined, none.slice(0, 40));
  }
  assert.equal(readCallback("no URL"), undefined);
  assert.equal(
    withoutCallback(`${redirectUrl}?a=1&code=x&state=y&iss=z&error=e&error_description=d#part`),
    `${redirectUrl}?a=1#part`,
  );
});

test("an answer is taken once, in time, and of the right issuer, character by character", async () => {
  for (const [name, change, answer, want] of [
    ["with its issuer", {}, { code: "x", iss: ISSUER }, "x"],
    ["without, where it always names itself", {}, { code: "x" }, "oauth_invalid"],
    [
      "without, where it does not say so", { authorization_response_iss_parameter_supported: undefined },
      { code: "x" }, "x",
    ],
    [
      "with, where it does not say so", { authorization_response_iss_parameter_supported: undefined },
      { code: "x", iss: ISSUER }, "x",
    ],
    [
      "of another, where it does not say so", { authorization_response_iss_parameter_supported: undefined },
      { code: "x", iss: "https://evil.example" }, "oauth_invalid",
    ],
    ["with a slash", {}, { code: "x", iss: `${ISSUER}/` }, "oauth_invalid"],
    ["in capitals", {}, { code: "x", iss: "https://AS.example" }, "oauth_invalid"],
    ["with a port", {}, { code: "x", iss: `${ISSUER}:443` }, "oauth_invalid"],
    ["an error", {}, { error: "access_denied", iss: ISSUER }, "oauth_denied"],
    ["an error of another", {}, { error: "access_denied", iss: "https://evil.example" }, "oauth_invalid"],
    ["an error of nobody", {}, { error: "access_denied" }, "oauth_invalid"],
    ["an error with markup", {}, { error: "<img src=x onerror=alert(1)>", iss: ISSUER }, "oauth_denied"],
  ] as const) {
    const hands = rig({});
    const { record } = await begin(hands, change);
    const callback = { state: record.state, ...answer };
    const got = await takeFlow(hands, callback).then(({ code }) => code, async (error: {
      fields: { code: string };
      message: string
    }) => {
      assert.ok(
        !/evil|<|access_denied/.test(error.message) ||
          (name === "an error" && /access_denied/.test(error.message)),
        `${name}: ${error.message}`,
      );
      return error.fields.code;
    });
    assert.equal(got, want, name);
    assert.equal(
      (await failureOf(takeFlow(hands, callback))).fields.code, "sign_in_expired", `${name}, again`,
    );
  }
});

test("two tabs that have one answer: one of them takes it", async () => {
  const hands = rig({});
  const { record } = await begin(hands);
  const callback = { state: record.state, code: "x", iss: ISSUER };
  const taken = await Promise.allSettled(Array.from({ length: 4 }, () => takeFlow(hands, callback)));
  assert.equal(taken.filter(({ status }) => status === "fulfilled").length, 1);
});

test("a flow ends after its time, and is deleted a week later, by the next one; a clock that was put back helps nobody", async () => {
  for (const ms of [FLOW_TIME + 1, -FLOW_TIME - 1]) {
    const hands = rig({});
    const { record } = await begin(hands);
    hands.pass(ms);
    assert.equal(
      (await failureOf(takeFlow(hands, { state: record.state, code: "x", iss: ISSUER }))).fields.code,
      "sign_in_expired",
    );
  }
  const hands = rig({});
  await begin(hands);
  hands.pass(7 * 24 * FLOW_TIME);
  const { record } = await begin(hands);
  hands.pass(1);
  await begin(hands);
  assert.equal((await hands.store.keys("flow/")).length, 2);
  assert.equal((await hands.store.get<FlowRecord>(await flowKey(hands, record.state)))!.value.url, SERVER);
});

test("what waits for a sign-in is there when it comes back", async () => {
  const hands = rig({});
  const { record } = await beginFlow(hands, {
    signIn: KEY, url: SERVER, resource: SERVER, server: server(), client, waiting: { calls: ["a"] },
  });
  assert.deepEqual((await takeFlow(hands, { state: record.state, code: "x", iss: ISSUER })).record.waiting, {
    calls: ["a"],
  });
});
