// What a server, an authorization server, whoever sends a person to the page, and an app can give that is
// bad.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "../src/auth/answers.js";
import { readAuthorizationServer } from "../src/auth/authorizationserver.js";
import { authNews, type AuthChannel, type Page, takeAnswer } from "../src/auth/browser.js";
import { discover } from "../src/auth/discovery.js";
import { AuthFailure } from "../src/auth/failure.js";
import { beginFlow } from "../src/auth/flow.js";
import { type Grant, grantKey } from "../src/auth/grants.js";
import { MemoryAuthStore } from "../src/auth/memorystore.js";
import { openSignIn } from "../src/auth/opensignin.js";
import { liveGrant } from "../src/auth/refresh.js";
import { type Credentials, register, type Registration } from "../src/auth/registration.js";
import { tokenRequest } from "../src/auth/tokenrequest.js";
import {
  AS_METADATA, CLIENT, failureOf, hidden, ISSUER, json, KEY, Locks, METADATA, nothing, PRM_PATH, RESOURCE,
  type Rig, rig, type Routes, SERVER,
} from "./authrig.js";
import { redirectUrl } from "./authscene.js";
import { until } from "./ready.js";

const server = readAuthorizationServer(
  { ...METADATA, client_id_metadata_document_supported: false }, ISSUER, false,
);
const client: Registration = {
  issuer: ISSUER, clientId: "c", authMethod: "none", source: "dynamic", redirectUrl,
};

function pageAt(href: string): Page {
  const location = { href, origin: new URL(href).origin, assign: () => {} };
  return {
    location,
    history: { replaceState: (_, __, url) => void (location.href = url) },
    name: "",
    open: () => null,
    close: () => {},
    addEventListener: () => {},
    removeEventListener: () => {},
  };
}

test("Fault 321: an answer that is none, since it says something twice or at length, is out of the address bar all the same", () => {
  for (
    const query of [
      "code=CODE&code=b&state=s", "code=CODE&error=e&state=s", `code=CODE&state=${"s".repeat(9000)}`,
      "code=CODE&state=s&state=t", "code=CODE&state=s&iss=a&iss=b", "state=&code=CODE",
    ]
  ) {
    const page = pageAt(`${redirectUrl}?tab=2&${query}#part`);
    assert.equal(takeAnswer(page, redirectUrl), undefined, query.slice(0, 40));
    assert.equal(page.location.href, `${redirectUrl}?tab=2#part`, query.slice(0, 40));
  }
  // What an app itself has there is no answer.
  for (const query of ["state=s", "code=a", "error=e&tab=2", ""]) {
    const page = pageAt(`${redirectUrl}?${query}`);
    takeAnswer(page, redirectUrl);
    assert.equal(page.location.href, `${redirectUrl}?${query}`);
  }
});

test("Fault 322: scopes without end make no address that no server takes", async () => {
  const scope = Array.from({ length: 256 }, (_, i) => `${i}`.padEnd(250, "x")).join(" ");
  const hands = rig({});
  const { leg, fields } = await failureOf(
    beginFlow(hands, { signIn: KEY, url: SERVER, resource: SERVER, server, client, scope }),
  );
  assert.deepEqual([leg, fields.code], ["auth/authorization", "limit_exceeded"]);
  assert.ok(/scopes/.test(fields.hint!) && !fields.message.includes("xx"));
  assert.deepEqual(await hands.store.keys("flow/"), [], "and no flow");
  await beginFlow(hands, {
    signIn: KEY, url: SERVER, resource: SERVER, server, client, scope: scope.slice(0, 8000),
  });
});

test("Fault 323: what an app gives as credentials is checked, and the error names them; so is what it throws", async () => {
  const none = readAuthorizationServer(
    { ...METADATA, registration_endpoint: undefined, client_id_metadata_document_supported: false }, ISSUER,
    false,
  );
  for (const credentials of [
    () => ({ clientId: 7 }),
    () => ({ clientId: "" }),
    () => ({ clientId: "c", clientSecret: {} }),
    () => ({}),
    () => "c",
    () => Promise.reject(new Error("the app's own CANARY")),
    () => {
      throw new TypeError("a slip CANARY");
    },
  ] as unknown as (() => Credentials)[]) {
    const hands = rig({});
    const failure = await failureOf(register(hands, none, { redirectUrl, credentials }));
    assert.deepEqual(
      [failure.leg, failure.fields.code], ["auth/registration", "bad_argument"], String(credentials),
    );
    assert.ok(/credentials/.test(failure.message) && !/CANARY/.test(failure.message));
    assert.deepEqual(await hands.store.keys("client/"), []);
  }
});

test("Fault 324: a server whose metadata is slow at each of many addresses is given up all the same", async () => {
  const issuers = Array.from({ length: 5 }, (_, i) => `${ISSUER}/${i}`);
  let hands: Rig;
  const slow = (): Response => {
    hands.pass(14_000); // just in time, each
    return nothing();
  };
  const routes: Routes = new Proxy(
    { [PRM_PATH]: () => json({ ...RESOURCE, authorization_servers: issuers }) } as Routes,
    { get: (found, line: string) => found[line] ?? slow },
  );
  hands = rig(routes);
  const began = hands.now();
  const { leg, fields } = await failureOf(discover(hands, SERVER));
  assert.deepEqual([leg, fields.code, fields.retryable], ["auth/server-metadata", "timeout", true]);
  assert.ok(hands.now() - began <= 60_000, `${hands.now() - began} ms`);
});

test("Fault 325: a refusal that says 200 is a refusal: a person is asked, and no token is refreshed with it for ever", async () => {
  for (const [error, code] of [
    ["invalid_grant", "sign_in_required"],
    ["bad_refresh_token", "sign_in_required"],
    ["temporarily_unavailable", "oauth_denied"],
  ] as const) {
    const hands = rig({ [`POST ${ISSUER}/token`]: () => json({ error, error_description: "CANARY" }) }, {
      store: new MemoryAuthStore(),
    });
    const grant: Grant = {
      url: SERVER, resource: SERVER, server, client, refreshToken: "rt", epoch: "e", principal: "p",
    };
    await hands.store.set(grantKey(KEY), 0, grant);
    const { leg, fields } = await failureOf(liveGrant(hands, KEY));
    assert.deepEqual([leg, fields.code], ["auth/refresh", code], error);
    const denied = await failureOf(tokenRequest(hands, "auth/token", `${ISSUER}/token`, { client }, {}));
    assert.ok(
      denied.fields.code === "oauth_denied" &&
        !/CANARY|bad_refresh/.test(denied.message + denied.fields.hint),
    );
  }
  // What is there beside a token is none.
  const both = rig({ [`POST ${ISSUER}/token`]: () => json({ access_token: "at", error: "" }) });
  assert.equal(
    (await tokenRequest(both, "auth/token", `${ISSUER}/token`, { client }, {})).access_token, "at",
  );
});

test("Fault 326: answers never go to another origin, where nobody waits for them: redirectUrl has to be of the origin of the page", async () => {
  for (const [at, good] of [
    ["https://evil.example/callback", false],
    ["https://app.example:8443/callback", false],
    ["https://www.app.example/callback", false],
    [redirectUrl, true],
  ] as const) {
    const hands = rig({ [PRM_PATH]: () => json(RESOURCE), [AS_METADATA]: () => json(METADATA) });
    const opening = openSignIn(SERVER, { redirectUrl: at }, {
      how: "popup", storage: "persistent", client: CLIENT, own: hands,
      place: {
        store: hands.store, memory: new Map(), locks: new Locks(), digest: hands.digest,
        page: pageAt("https://app.example/work"),
      },
    });
    const error = await opening.then(() => undefined, (reason: unknown) => reason as AuthFailure);
    assert.equal(error?.fields.code, good ? undefined : "bad_argument", at);
    assert.ok(good || /redirectUrl/.test(error!.message));
  }
});

test("Fault 327: what another build, or another script, says on the channel is checked member by member", () => {
  const channel: AuthChannel = { postMessage: () => {}, onmessage: null, close: () => {} };
  const heard: AuthFailure[] = [];
  authNews(channel, "https://app.example", {
    stored: () => {}, answered: () => {}, failed: (_, failure) => void heard.push(failure),
  });
  const say = (leg: unknown, fields: unknown): void => channel.onmessage!({
    data: { kind: "failed", window: "holdfast-1", leg, fields }, origin: "https://app.example",
  });
  const good = {
    code: "oauth_denied", message: "no", status: 0, retryable: false, denial: "access_denied", hint: "h",
  };
  for (const [leg, fields] of [
    [{}, good],
    ["connect", good],
    ["auth/token", "no"],
    ["auth/token", { ...good, code: "ok" }],
    ["auth/token", { ...good, message: { html: 1 } }],
    ["auth/token", { ...good, status: "x" }],
    ["auth/token", []],
  ]) say(leg, fields);
  assert.deepEqual(heard, []);
  say("auth/callback", { ...good, more: "CANARY", denial: "of no register" });
  assert.deepEqual({ ...heard[0]!.fields }, {
    code: "oauth_denied", message: "no", status: 0, retryable: false, hint: "h",
  });
});

test("metadata with lists without end is kept no larger than what is gone by", () => {
  const many = Array.from({ length: 20_000 }, (_, i) => `m${i}`);
  const read = readAuthorizationServer(
    {
      ...METADATA, token_endpoint_auth_methods_supported: ["none", ...many],
      dpop_signing_alg_values_supported: ["ES256", ...many], scopes_supported: many,
    },
    ISSUER, false,
  );
  assert.ok(JSON.stringify(read).length < 10_000, String(JSON.stringify(read).length));
  assert.ok(read.authMethods!.includes("none") && read.dpopAlgorithms.includes("ES256"));
});

test("Fault 374: what is asked only to see whether anybody answers ends with the wait for it, and holds no connection", async () => {
  const signals: (AbortSignal | null | undefined)[] = [];
  const hands = rig({});
  hands.fetch = (_, init) => {
    if (init.mode !== "no-cors") return Promise.reject(hidden());
    signals.push(init.signal);
    return new Promise(() => {}); // it takes the connection, and says nothing
  };
  const asked = assert.rejects(
    ask(hands, "auth/server-metadata", AS_METADATA.slice("GET ".length)),
    (error) => (error as AuthFailure).fields.code === "network_error",
  );
  await until(() => signals.length === 1);
  assert.equal(signals[0]?.aborted, false);
  hands.pass(15_000);
  await asked;
  assert.equal(signals[0]?.aborted, true);
});
