import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryAuthStore } from "../src/auth/memorystore.js";
import { type AuthorizationServer, readAuthorizationServer } from "../src/auth/authorizationserver.js";
import {
  type ClientOptions, doubt, register, registrationKey, unregister,
} from "../src/auth/registration.js";
import { authenticated } from "../src/auth/tokenrequest.js";
import {
  failureOf, ISSUER, json, Locks, METADATA, NO_LOCKS, nothing, rig, type Routes, type Sent,
} from "./authrig.js";

const REGISTER = `POST ${ISSUER}/register`;
const redirectUrl = "https://app.example/callback";
const server = (change: object = {}): AuthorizationServer => {
  const issuer = (change as { issuer?: string }).issuer ?? ISSUER;
  return readAuthorizationServer(
    { ...METADATA, client_id_metadata_document_supported: undefined, ...change }, issuer, false,
  );
};
const body =
  ({ init }: Sent): Record<string, unknown> => JSON.parse(init.body as string) as Record<string, unknown>;

test("a client is the one agreed on, then its metadata, then one that registers itself, then what the app says", async () => {
  const routes: Routes = { [REGISTER]: () => json({ client_id: "dynamic" }, 201) };
  const clientMetadataUrl = "https://app.example/client.json";
  const metadata = { client_id_metadata_document_supported: true };
  const none = { registration_endpoint: undefined };
  const credentials = () => ({ clientId: "asked" });
  for (const [options, change, want] of [
    [{ clientId: "given", clientMetadataUrl }, metadata, "given"],
    [{ clientMetadataUrl }, metadata, clientMetadataUrl],
    [{ clientMetadataUrl }, {}, "dynamic"],
    [{}, metadata, "dynamic"],
    [{ credentials }, {}, "dynamic"],
    [{ credentials }, none, "asked"],
  ] as [Partial<ClientOptions>, object, string][]) {
    const made = await register(rig(routes), server(change), { redirectUrl, ...options });
    assert.deepEqual([made.clientId, made.authMethod, made.issuer], [want, "none", ISSUER]);
  }
  for (const [options, change, hint] of [
    [{}, none, /by hand/],
    [{}, { ...none, ...metadata }, /clientMetadataUrl/],
    [{ credentials: () => undefined }, none, /by hand/],
  ] as [Partial<ClientOptions>, object, RegExp][]) {
    const failure = await failureOf(register(rig(routes), server(change), { redirectUrl, ...options }));
    assert.ok(failure.leg === "auth/registration" && hint.test(failure.fields.hint!), failure.fields.hint);
  }
  for (
    const url of [
      "http://app.example/client.json", "https://app.example", "https://app.example/#x", "data:text/plain,x",
    ]
  ) {
    await failureOf(register(rig(routes), server(metadata), { redirectUrl, clientMetadataUrl: url }));
  }
});

test("what is registered is asked for once, and is of one issuer", async () => {
  let n = 0;
  const routes: Routes = {
    [REGISTER]: () => json({ client_id: `c${++n}` }, 201),
    "POST https://other.example/register": () => json({ client_id: "other" }, 201),
  };
  const hands = rig(routes);
  const options = { redirectUrl };
  const [a, b] = await Promise.all([register(hands, server(), options), register(hands, server(), options)]);
  assert.equal(a.clientId, b.clientId);
  assert.equal((await register(hands, server(), options)).clientId, a.clientId);
  const moved = server({
    issuer: "https://other.example", registration_endpoint: "https://other.example/register",
  });
  assert.equal((await register(hands, moved, options)).clientId, "other");
  assert.equal((await register(hands, server(), options)).clientId, a.clientId);
  assert.equal(
    (await register(hands, server(), { redirectUrl: "https://app.example/other" })).clientId, "c2",
  );
  await unregister(hands, a);
  assert.equal((await register(hands, server(), options)).clientId, "c3");
  await unregister(hands, a);
  assert.equal((await register(hands, server(), options)).clientId, "c3");
});

test("Fault 291: tabs that replace a client at once register one, or take that of the first; nobody goes on with the old one", async () => {
  for (const locks of [new Locks(), NO_LOCKS]) {
    let n = 0;
    const store = new MemoryAuthStore();
    const routes: Routes = { [REGISTER]: () => json({ client_id: `c${++n}` }, 201) };
    const tabs = Array.from({ length: 4 }, () => rig(routes, { store, locks }));
    const old = await register(tabs[0]!, server(), { redirectUrl });
    await Promise.all(tabs.map((hands) => doubt(hands, old)));
    const made = new Set(
      (
        await Promise.all(tabs.map((hands) => register(hands, server(), { redirectUrl })))
      ).map(({ clientId }) => clientId),
    );
    assert.ok(made.size === 1 && !made.has("c1"), [...made].join());
    // without locks, as many as are at it at once
    assert.ok(locks === NO_LOCKS ? n >= 2 && n <= 5 : n === 2, `${n} are registered`);
    await doubt(tabs[1]!, old); // its page hears late that it came to nothing
    assert.ok(made.has((await register(tabs[2]!, server(), { redirectUrl })).clientId));
  }
});

test("Fault 291: a client that the app has named is not replaced", async () => {
  const hands = rig({});
  const options = { redirectUrl, credentials: () => ({ clientId: "asked" }) };
  const made = await register(hands, server({ registration_endpoint: undefined }), options);
  await doubt(hands, made);
  assert.equal((await register(hands, server(), { redirectUrl })).clientId, "asked");
});

test("a client id that was agreed on is never shown to another issuer", async () => {
  const hands = rig({});
  await register(hands, server(), { redirectUrl, clientId: "given" });
  await register(hands, server(), { redirectUrl, clientId: "given" });
  const moved = server({ issuer: "https://other.example" });
  assert.ok(
    /changed its authorization server/.test(
      (await failureOf(register(hands, moved, { redirectUrl, clientId: "given" }))).message,
    ),
  );
  await register(hands, moved, { redirectUrl, clientId: "given", issuer: "https://other.example" });
  await failureOf(
    register(hands, server(), { redirectUrl, clientId: "new", issuer: "https://other.example" }),
  );
});

test("application_type is what the page is; where it is refused the other one is tried, once", async () => {
  for (const [name, redirect, replies, types, want] of [
    ["web", redirectUrl, [json({ client_id: "c" }, 201)], ["web"], "c"],
    ["native", "http://localhost:3000/callback", [json({ client_id: "c" }, 201)], ["native"], "c"],
    [
      "refused", redirectUrl, [json({ error: "invalid_redirect_uri" }, 400), json({ client_id: "c" }, 200)],
      ["web", "native"], "c",
    ],
    [
      "refused twice", redirectUrl,
      [json({ error: "invalid_client_metadata" }, 400), json({ error: "access_denied" }, 403)],
      ["web", "native"], "oauth_denied",
    ],
    ["not wanted", redirectUrl, [json({ error: "access_denied" }, 403)], ["web"], "oauth_denied"],
    ["a page", redirectUrl, [nothing(403)], ["web"], "http_error"],
    ["down", redirectUrl, [nothing(503)], ["web"], "http_error"],
  ] as const) {
    const left: Response[] = [...replies];
    const hands = rig({ [REGISTER]: () => left.shift()! });
    const got = await register(hands, server(), { redirectUrl: redirect }).then(
      ({ clientId }) => clientId, (error: { fields: { code: string } }) => error.fields.code,
    );
    assert.deepEqual([got, hands.sent.map((sent) => body(sent).application_type)], [want, types], name);
  }
  const hands = rig({ [REGISTER]: () => json({ error: "invalid_redirect_uri" }, 400) });
  assert.equal(
    (await register(hands, server(), { redirectUrl, credentials: () => ({ clientId: "asked" }) })).clientId,
    "asked",
  );
});

test("what is asked of the authorization server, and what it gives back", async () => {
  const hands = rig({ [REGISTER]: () => json({ client_id: "c" }, 201) });
  await register(hands, server(), { redirectUrl, clientName: "App" });
  assert.deepEqual(body(hands.sent[0]!), {
    client_name: "App",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "web",
  });
  const nameless = rig({ [REGISTER]: () => json({ client_id: "c" }, 201) });
  await register(nameless, server(), { redirectUrl });
  assert.equal((body(nameless.sent[0]!) as { client_name: string }).client_name, "Holdfast");
  const now = rig({}).now();
  const soon = Math.floor(now / 1000) + 60;
  for (const [given, methods, want] of [
    [{ client_id: "c" }, ["none"], "none"],
    [{ client_id: "c", client_secret: "s" }, ["client_secret_post"], "client_secret_post"],
    [{ client_id: "c", client_secret: "s" }, ["client_secret_basic"], "client_secret_basic"],
    [{ client_id: "c", client_secret: "s" }, undefined, "client_secret_basic"],
    [{ client_id: "c", client_secret: "s", token_endpoint_auth_method: "none" }, undefined, "none"],
    [
      { client_id: "c", client_secret: "s", token_endpoint_auth_method: "client_secret_post" }, undefined,
      "client_secret_post",
    ],
    [
      { client_id: "c", client_secret: "s", client_secret_expires_at: soon }, ["client_secret_post"],
      "client_secret_post",
    ],
    [
      { client_id: "c", client_secret: "s", client_secret_expires_at: 0 }, ["client_secret_post"],
      "client_secret_post",
    ],
    [
      { client_id: "c", client_secret: "s", client_secret_expires_at: 1 }, ["client_secret_post"],
      "oauth_invalid",
    ],
    [{ client_id: "" }, ["none"], "oauth_invalid"],
    [{ client_id: 7 }, ["none"], "oauth_invalid"],
    [{ client_id: "x".repeat(5000) }, ["none"], "oauth_invalid"],
    [{ client_id: "c", client_secret: {} }, ["none"], "oauth_invalid"],
    [{ client_id: "c", redirect_uris: ["https://evil.example"] }, ["none"], "oauth_invalid"],
    [{}, ["none"], "oauth_invalid"],
  ] as const) {
    const answers = rig({ [REGISTER]: () => json(given, 201) });
    const got = await register(answers, server({ token_endpoint_auth_methods_supported: methods }), {
      redirectUrl,
    }).then(
      ({ authMethod }) => authMethod as string,
      (error: { fields: { code: string } }) => error.fields.code,
    );
    assert.equal(got, want, JSON.stringify(given));
  }
});

test("a client whose secret is over registers again", async () => {
  let n = 0;
  const hands = rig({
    [REGISTER]: () => json(
      {
        client_id: `c${++n}`, client_secret: "s",
        client_secret_expires_at: Math.floor(hands.now() / 1000) + 60,
      },
      201,
    ),
  });
  const options = { redirectUrl };
  assert.equal((await register(hands, server(), options)).clientId, "c1");
  hands.pass(30_000);
  assert.equal((await register(hands, server(), options)).clientId, "c1");
  hands.pass(30_000);
  assert.equal((await register(hands, server(), options)).clientId, "c2");
  assert.equal(
    (
      await hands.store.get<{ clientId: string }>(await registrationKey(hands, ISSUER, redirectUrl))
    )!.value.clientId,
    "c2",
  );
});

test("the ways to show who the client is", () => {
  const client = {
    issuer: ISSUER, clientId: "a:b", clientSecret: "p w+é", source: "given", redirectUrl,
  } as const;
  for (const [authMethod, authorization, form] of [
    ["none", undefined, "code=x+y&client_id=a%3Ab"],
    ["client_secret_post", undefined, "code=x+y&client_id=a%3Ab&client_secret=p+w%2B%C3%A9"],
    ["client_secret_basic", `Basic ${btoa("a%3Ab:p+w%2B%C3%A9")}`, "code=x+y"],
  ] as const) {
    const got = authenticated({ ...client, authMethod }, { code: "x y", scope: undefined });
    assert.deepEqual([got.headers.authorization, got.body], [authorization, form]);
  }
});
