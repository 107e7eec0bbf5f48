import assert from "node:assert/strict";
import { test } from "node:test";
import { ANSWER_TIME, MAX_ANSWER } from "../src/auth/answers.js";
import { covers } from "../src/auth/addresses.js";
import { serverMetadataURLs } from "../src/auth/authorizationserver.js";
import { oauthChallenge } from "../src/auth/challenge.js";
import { discover } from "../src/auth/discovery.js";
import { isWellKnown } from "../src/auth/protectedresource.js";
import {
  AS_METADATA, failureOf, hidden, ISSUER, json, METADATA, nothing, page, PRM_PATH, PRM_ROOT, RESOURCE, rig,
  type Routes, SERVER,
} from "./authrig.js";
import { ready } from "./ready.js";

const found: Routes = { [PRM_PATH]: () => json(RESOURCE), [AS_METADATA]: () => json(METADATA) };
const at =
  (url: string): ReturnType<typeof oauthChallenge> => oauthChallenge(`Bearer resource_metadata="${url}"`);

test("metadata of the resource: where the challenge says, then at the path, then at the root", async () => {
  const elsewhere = "https://mcp.example/meta/mcp";
  for (const [name, challenge, routes, lines] of [
    [
      "by challenge", at(elsewhere),
      { [`GET ${elsewhere}`]: () => json(RESOURCE), [AS_METADATA]: () => json(METADATA) },
      [`GET ${elsewhere}`, AS_METADATA],
    ],
    ["at the path", undefined, found, [PRM_PATH, AS_METADATA]],
    [
      "at the root", undefined,
      {
        ...found, [PRM_PATH]: () => nothing(),
        [PRM_ROOT]: () => json({ ...RESOURCE, resource: "https://mcp.example" }),
      },
      [PRM_PATH, PRM_ROOT, AS_METADATA],
    ],
    [
      "past a page", undefined, { ...found, [PRM_PATH]: page, [PRM_ROOT]: () => json(RESOURCE) },
      [PRM_PATH, PRM_ROOT, AS_METADATA],
    ],
    [
      "past what CORS hides", undefined, { ...found, [PRM_PATH]: hidden, [PRM_ROOT]: () => json(RESOURCE) },
      [PRM_PATH, PRM_ROOT, AS_METADATA],
    ],
  ] as const) {
    const hands = rig(routes);
    const { server, era, resource } = await discover(hands, SERVER, challenge);
    assert.deepEqual(hands.lines(), lines, name);
    assert.deepEqual([server.issuer, era], [ISSUER, "resource"], name);
    assert.equal(resource, name === "at the root" ? "https://mcp.example" : SERVER, name);
    for (const { init } of hands.sent) assert.equal(init.credentials, "omit", name);
  }
});

test("the addresses of an issuer's metadata, in the specification's order", () => {
  const addresses = (issuer: string): string[] => serverMetadataURLs(new URL(issuer)).map(
    (url) => url.slice("https://a.example".length),
  );
  assert.deepEqual(
    addresses("https://a.example"),
    ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"],
  );
  assert.deepEqual(addresses("https://a.example/"), addresses("https://a.example"));
  assert.deepEqual(addresses("https://a.example/t/1"), [
    "/.well-known/oauth-authorization-server/t/1",
    "/.well-known/openid-configuration/t/1",
    "/t/1/.well-known/openid-configuration",
  ]);
});

test("the servers of 2025-03-26: metadata at their own root, else three paths, where it is sure that there is none", async () => {
  const root = "GET https://mcp.example/.well-known/oauth-authorization-server";
  const own = { ...METADATA, issuer: "https://mcp.example" };
  for (const [name, routes, want] of [
    ["metadata", { [root]: () => json(own) }, "origin"],
    [
      "metadata, its issuer with a slash", { [root]: () => json({ ...own, issuer: "https://mcp.example/" }) },
      "origin",
    ],
    [
      "metadata, and the 404 of the resource's hidden",
      { [PRM_PATH]: hidden, [PRM_ROOT]: hidden, [root]: () => json(own) }, "origin",
    ],
    ["none", {}, "paths"],
    ["the resource's is hidden", { [PRM_PATH]: hidden }, "cors_blocked"],
    ["its own is hidden", { [root]: hidden }, "cors_blocked"],
    ["a page for everything", { [PRM_PATH]: page, [PRM_ROOT]: page, [root]: page }, "oauth_invalid"],
    ["another issuer", { [root]: () => json(METADATA) }, "oauth_invalid"],
  ] as [string, Routes, string][]) {
    const hands = rig(routes);
    const got = await discover(hands, SERVER).then(({ era, server, resource }) => {
      assert.equal(resource, SERVER);
      if (era === "paths") assert.equal(server.tokenEndpoint, "https://mcp.example/token");
      return era as string;
    }, (error: { fields: { code: string } }) => error.fields.code);
    assert.equal(got, want, name);
  }
});

test("where the challenge cannot be read, the hint says which header shows it", async () => {
  const routes: Routes = { [PRM_PATH]: hidden };
  assert.ok(
    /Access-Control-Expose-Headers: WWW-Authenticate/.test(
      (await failureOf(discover(rig(routes), SERVER))).fields.hint!,
    ),
  );
  assert.ok(
    !/Expose/.test((await failureOf(discover(rig(routes), SERVER, oauthChallenge("Bearer")))).fields.hint!),
  );
});

test("a resource above the server counts where the host says so, and not whoever has one of its paths", async () => {
  const above = { ...RESOURCE, resource: "https://mcp.example/" };
  const routes = {
    "GET https://mcp.example/tenant/metadata": () => json(above), [PRM_ROOT]: () => json(above),
    [AS_METADATA]: () => json(METADATA),
  };
  assert.equal((await discover(rig(routes), SERVER)).resource, above.resource);
  assert.equal(
    (await discover(rig(routes), SERVER, at(PRM_ROOT.slice("GET ".length)))).resource, above.resource,
  );
  const failure = await failureOf(discover(rig(routes), SERVER, at("https://mcp.example/tenant/metadata")));
  assert.deepEqual([failure.leg, failure.fields.code], ["auth/resource-metadata", "oauth_invalid"]);
  const own = { ...routes, "GET https://mcp.example/tenant/metadata": () => json(RESOURCE) };
  assert.equal(
    (await discover(rig(own), SERVER, at("https://mcp.example/tenant/metadata"))).resource, SERVER,
  );
});

test("a challenge that names metadata leaves no way back to 2025-03-26", async () => {
  const failure = await failureOf(discover(rig({}), SERVER, at("https://mcp.example/m")));
  assert.deepEqual(
    [failure.leg, failure.fields.code, failure.fields.status], ["auth/resource-metadata", "http_error", 404],
  );
});

test("what is refused, and by which leg", async () => {
  const resource = (change: object): Routes => ({
    ...found, [PRM_PATH]: () => json({ ...RESOURCE, ...change }),
  });
  const server = (change: object): Routes => ({
    ...found, [AS_METADATA]: () => json({ ...METADATA, ...change }),
  });
  const redirected = (): Response => Object.defineProperties(json(RESOURCE), {
    redirected: { value: true }, url: { value: "https://evil.example/m" },
  });
  for (const [name, routes, leg, code, says, challenge] of [
    [
      "of another resource", resource({ resource: "https://mcp.example/other" }), "resource", "oauth_invalid",
      "another resource",
    ],
    [
      "of a resource with that beginning", resource({ resource: "https://mcp.example/v1/mc" }), "resource",
      "oauth_invalid", "another resource",
    ],
    [
      "of another origin", resource({ resource: "https://evil.example/v1/mcp" }), "resource", "oauth_invalid",
      "another resource",
    ],
    ["no resource", resource({ resource: undefined }), "resource", "oauth_invalid", "resource is missing"],
    [
      "no servers", resource({ authorization_servers: [] }), "resource", "oauth_invalid",
      "no authorization server",
    ],
    [
      "a server over http", resource({ authorization_servers: ["http://as.example"] }), "resource",
      "oauth_invalid", "not https",
    ],
    [
      "a server of this machine", resource({ authorization_servers: ["http://localhost:1"] }), "resource",
      "oauth_invalid", "not https",
    ],
    [
      "a server of javascript", resource({ authorization_servers: ["javascript:alert(1)"] }), "resource",
      "oauth_invalid", "not https",
    ],
    [
      "a server that is an object", resource({ authorization_servers: [{}] }), "resource", "oauth_invalid",
      "no string",
    ],
    [
      "a list", { [PRM_PATH]: () => json([RESOURCE]), [PRM_ROOT]: page }, "resource", "oauth_invalid",
      "no JSON object",
    ],
    [
      "a challenge to another origin", found, "resource", "oauth_invalid", "another origin",
      "https://evil.example/m",
    ],
    ["a challenge to http", found, "resource", "oauth_invalid", "not https", "http://mcp.example/m"],
    ["a challenge to a script", found, "resource", "oauth_invalid", "not https", "javascript:alert(1)"],
    ["a challenge with a name", found, "resource", "oauth_invalid", "user name", "https://u:p@mcp.example/m"],
    ["a challenge to nothing", found, "resource", "oauth_invalid", "absolute", "/m"],
    [
      "redirected elsewhere", { ...found, [PRM_PATH]: redirected }, "resource", "oauth_invalid",
      "another origin",
    ],
    ["down", { ...found, [PRM_PATH]: () => nothing(503) }, "resource", "http_error", "503"],
    ["another issuer", server({ issuer: "https://evil.example" }), "server", "oauth_invalid", "issuer"],
    ["the issuer with a slash", server({ issuer: `${ISSUER}/` }), "server", "oauth_invalid", "issuer"],
    ["no PKCE", server({ code_challenge_methods_supported: undefined }), "server", "oauth_invalid", "S256"],
    [
      "PKCE that is plain", server({ code_challenge_methods_supported: ["plain"] }), "server",
      "oauth_invalid", "S256",
    ],
    ["tokens alone", server({ response_types_supported: ["token"] }), "server", "oauth_invalid", "no codes"],
    [
      "no token endpoint", server({ token_endpoint: undefined }), "server", "oauth_invalid",
      "token_endpoint is missing",
    ],
    [
      "a script to go to", server({ authorization_endpoint: "javascript:alert(1)" }), "server",
      "oauth_invalid", "authorization_endpoint is not https",
    ],
    [
      "a script with a line break", server({ authorization_endpoint: "java\nscript:alert(1)" }), "server",
      "oauth_invalid", "characters",
    ],
    [
      "tokens over http", server({ token_endpoint: "http://as.example/token" }), "server", "oauth_invalid",
      "token_endpoint is not https",
    ],
    [
      "a long address", server({ token_endpoint: `https://as.example/${"x".repeat(3000)}` }), "server",
      "oauth_invalid", "characters",
    ],
    ["nobody knows it", { ...found, [AS_METADATA]: () => nothing() }, "server", "http_error", "404"],
    ["CORS hides it", { ...found, [AS_METADATA]: hidden }, "server", "cors_blocked", "CORS"],
    ["a page", { ...found, [AS_METADATA]: page }, "server", "oauth_invalid", "text/html"],
  ] as [string, Routes, string, string, string, string?][]) {
    const failure = await failureOf(
      discover(rig(routes), SERVER, challenge === undefined ? undefined : at(challenge)),
    );
    assert.deepEqual([failure.leg, failure.fields.code], [`auth/${leg}-metadata`, code], name);
    assert.ok(failure.message.includes(says), `${name}: ${failure.message}`);
    assert.ok(
      code !== "cors_blocked" ||
        failure.fields.hint!.includes("https://as.example has to answer with  Access-Control-Allow-Origin"),
      name,
    );
  }
});

test("metadata that is huge is not read to its end, and metadata that is slow is given up", async () => {
  let pulled = 0;
  let ended = false;
  const body = new ReadableStream({
    pull(controller) {
      pulled += 64 * 1024;
      controller.enqueue(new Uint8Array(64 * 1024).fill(32));
    },
    cancel: () => void (ended = true),
  });
  const huge = await failureOf(discover(rig({ [PRM_PATH]: () => new Response(body) }), SERVER));
  assert.deepEqual([huge.leg, huge.fields.code], ["auth/resource-metadata", "limit_exceeded"]);
  assert.ok(ended && pulled < 2 * MAX_ANSWER);

  for (const slow of [() => new Promise<Response>(() => {}), () => new Response(new ReadableStream({}))]) {
    const hands = rig({ [PRM_PATH]: slow });
    const failing = failureOf(discover(hands, SERVER));
    await ready();
    hands.pass(ANSWER_TIME);
    const { leg, fields } = await failing;
    assert.deepEqual([leg, fields.code, fields.retryable], ["auth/resource-metadata", "timeout", true]);
    assert.ok(hands.sent[0]!.init.signal!.aborted);
  }
});

test("the challenges in the answers of discovery are not followed", async () => {
  const loop = (): Response => json({}, 401, {
    "www-authenticate": `Bearer resource_metadata="https://mcp.example/again"`,
  });
  const hands = rig({ [PRM_PATH]: loop, [PRM_ROOT]: loop, "GET https://mcp.example/again": loop });
  await discover(hands, SERVER);
  assert.ok(!hands.lines().includes("GET https://mcp.example/again"));
});

test("of several authorization servers the first that has metadata, or the one that is chosen", async () => {
  const two = { ...RESOURCE, authorization_servers: ["https://gone.example", ISSUER] };
  const routes = { ...found, [PRM_PATH]: () => json(two) };
  assert.equal((await discover(rig(routes), SERVER)).server.issuer, ISSUER);
  const chosen = rig(routes);
  await discover(chosen, SERVER, undefined, (issuers) => issuers[1]);
  assert.deepEqual(chosen.lines(), [PRM_PATH, AS_METADATA]);
  const foreign = rig(routes);
  await discover(foreign, SERVER, undefined, () => "https://evil.example");
  assert.ok(!foreign.lines().some((line) => line.includes("evil")));
});

test("plain http is for this machine alone", async () => {
  assert.equal((await failureOf(discover(rig({}), "http://mcp.example/mcp"))).fields.code, "bad_argument");
  for (const host of ["localhost:3000", "127.0.0.1:3000", "[::1]:3000", "app.localhost:3000"]) {
    assert.equal((await discover(rig({}), `http://${host}/mcp`)).era, "paths", host);
  }
  assert.equal(
    (await failureOf(discover(rig({}), "http://localhost.evil.example/mcp"))).fields.code, "bad_argument",
  );
});

test("metadata is read through the app's own proxy, and nothing else is", async () => {
  const hands = rig({
    [`GET https://app.example/proxy?url=${encodeURIComponent(PRM_PATH.slice(4))}`]: () => json(RESOURCE),
    [`GET https://app.example/proxy?url=${encodeURIComponent(AS_METADATA.slice(4))}`]: () => json(METADATA),
  });
  hands.proxied = (url) => `https://app.example/proxy?url=${encodeURIComponent(url)}`;
  assert.equal((await discover(hands, SERVER)).server.issuer, ISSUER);
});

test("which resources a server is covered by", () => {
  for (const [resource, want] of [
    ["https://mcp.example/v1/mcp", true],
    ["https://mcp.example/v1/mcp/", true],
    ["https://mcp.example/v1", true],
    ["https://mcp.example/v1/", true],
    ["https://mcp.example", true],
    ["https://mcp.example/v", false],
    ["https://mcp.example/v1/mcp/more", false],
    ["https://mcp.example/v1/mcp?tenant=1", false],
    ["https://mcp.example:8443/v1/mcp", false],
    ["http://mcp.example/v1/mcp", false],
  ] as const) {
    assert.equal(covers(new URL(resource), new URL(SERVER)), want, resource);
  }
});

test("Fault 277: well-known is one address of the host and one for the server, and no path below or beside them", () => {
  const [host, server] = ["https://mcp.example", new URL("https://mcp.example/a/mcp?b=c")];
  const known = "/.well-known/oauth-protected-resource";
  for (const path of [known, `${known}/a/mcp`, `${known}/a/mcp?b=c`])
    assert.ok(isWellKnown(host + path, server), path);
  assert.ok(isWellKnown(undefined, server));
  for (
    const path of [
      `${known}/..%2f..%2fevil/meta`, `${known}/..%2F..%2Fa/mcp`, `${known}-evil`, `${known}/evil/mcp`,
      `${known}/a`, `${known}/`, `/evil${known}`,
    ]
  )
    assert.ok(!isWellKnown(host + path, server), path);
});
