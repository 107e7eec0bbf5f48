// No secret is in any error: everything that a server is sent comes back in every place where it can write.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readAuthorizationServer } from "../src/auth/authorizationserver.js";
import { makeDPoPKey } from "../src/auth/dpop.js";
import { AuthFailure } from "../src/auth/failure.js";
import { beginFlow, takeFlow } from "../src/auth/flow.js";
import { exchange, type Grant, grantKey } from "../src/auth/grants.js";
import { MemoryAuthStore } from "../src/auth/memorystore.js";
import { liveGrant } from "../src/auth/refresh.js";
import { register, type Registration } from "../src/auth/registration.js";
import { revoke } from "../src/auth/revocation.js";
import { discover } from "../src/auth/discovery.js";
import { HoldfastError } from "../src/base/errors.js";
import {
  ISSUER, json, KEY, METADATA, PRM_PATH, type Reply, rig, type Routes, type Sent, SERVER,
} from "./authrig.js";

/** All that a request held, as one text. */
function said({ init, headers, line }: Sent): string {
  return `${line} ${String(init.body)} ${[...headers].join(" ")} CANARY-nonce`;
}

/** The ways of a server to give it back. */
const ECHOES: Record<string, (sent: Sent) => Reply> = {
  "as a code": (sent) => json({ error: said(sent) }, 400),
  "as a description": (sent) => json(
    { error: "invalid_grant", error_description: said(sent), error_uri: `https://x.example/?${said(sent)}` },
    400,
  ),
  "as an error of the client": (sent) => json(
    { error: "invalid_client", error_description: said(sent) }, 401,
  ),
  "as a page": (sent) => new Response(`<b>${said(sent)}`, {
    status: 400, headers: { "content-type": "text/html" },
  }),
  "as a page that is good": (sent) => new Response(said(sent), { headers: { "content-type": "text/html" } }),
  "as JSON that breaks off": (sent) => new Response(`{"access_token":"${said(sent)}`, {
    headers: { "content-type": "application/json" },
  }),
  "as a type": (sent) => json({
    access_token: "CANARY-access", token_type: said(sent), expires_in: said(sent),
    refresh_token: "CANARY-next",
  }),
  "as a lifetime": (sent) => json({
    access_token: "CANARY-access", token_type: "Bearer", expires_in: said(sent), refresh_token: "CANARY-next",
  }),
  "as everything of a client": (sent) => json(
    { client_id: { x: said(sent) }, client_secret: "CANARY-secret" }, 201,
  ),
  "as a redirect": (sent) => json({ client_id: "CANARY-id", redirect_uris: [said(sent)] }, 201),
  "as a nonce": (sent) => json({ error: "use_dpop_nonce", error_description: said(sent) }, 400, {
    "dpop-nonce": "CANARY-nonce",
  }),
  "as an error of fetch": (sent) => new TypeError(`Failed to fetch ${said(sent)}`),
  "as any error": (sent) => new Error(said(sent)),
  "as a server that is down": (sent) => new Response(said(sent), { status: 503 }),
  "as a body that is cut": (sent) => new Response(
    new ReadableStream({ start: (controller) => controller.error(new Error(said(sent))) }),
  ),
};

const client: Registration = {
  issuer: ISSUER, clientId: "c", clientSecret: "CANARY-secret", authMethod: "client_secret_basic",
  source: "dynamic", redirectUrl: "https://app.example/",
};
const server = readAuthorizationServer(
  { ...METADATA, client_id_metadata_document_supported: false }, ISSUER, false,
);

test("whatever a server gives back, no secret of ours is in an error", async () => {
  for (const [name, echo] of Object.entries(ECHOES)) {
    for (const bound of [false, true]) {
      const routes: Routes = Object.fromEntries(
        ["token", "register", "revoke"].map((path) => [`POST ${ISSUER}/${path}`, echo]),
      );
      const hands = rig(routes, { store: new MemoryAuthStore() });
      const dpop = bound ? await makeDPoPKey(hands, ["ES256"]) : undefined;
      const begun = await beginFlow(hands, {
        signIn: KEY, url: SERVER, resource: SERVER, server, client, dpop,
      });
      const { record, code } = await takeFlow(hands, {
        state: begun.record.state, code: "CANARY-code", iss: ISSUER,
      });
      const grant: Grant = {
        url: SERVER, resource: SERVER, server, client, refreshToken: "CANARY-refresh", epoch: "e",
        principal: "p", ...(dpop ? { dpop } : {})
      };
      const secrets = [
        "CANARY", record.verifier, record.state, btoa("c:CANARY-secret"),
        ...(dpop ? [dpop.thumbprint, dpop.jwk.x!] : [])
      ];
      const all: Record<string, () => Promise<unknown>> = {
        exchange: () => exchange(hands, record, code),
        refresh: async () => {
          await hands.store.set(grantKey(KEY), (await hands.store.get(grantKey(KEY)))?.version ?? 0, grant);
          return liveGrant(hands, KEY, "CANARY-old");
        },
        register: () => register(hands, server, { redirectUrl: "https://app.example/" }),
        revoke: () => revoke(hands, grant),
      };
      let failed = 0;
      for (const [what, run] of Object.entries(all)) {
        const error = await run().then(() => undefined, (reason: unknown) => reason);
        if (error === undefined) continue;
        failed++;
        assert.ok(error instanceof AuthFailure, `${what} ${name}: ${String(error)}`);
        const failure = error as AuthFailure;
        const made = new HoldfastError(failure.toFields());
        // A stack has the message in it, and names no values.
        const text = [
          failure.message, JSON.stringify(failure), JSON.stringify(failure.fields), String(failure.stack),
          JSON.stringify(made), String(made.stack), String(made.cause), String(failure.cause),
        ].join("\n");
        for (const secret of secrets) assert.ok(!text.includes(secret), `${what} ${name}: ${text}`);
        assert.ok(made.op === failure.leg && made.code === failure.fields.code);
        for (const [, value] of hands.sent.flatMap(({ form }) => [...form]))
          if (value.length > 20 && !value.startsWith("https://"))
            assert.ok(!text.includes(value), `${what} ${name}: ${text}`);
      }
      assert.ok(failed >= 2, name);
    }
  }
});

test("an answer that names another issuer says nothing of what was in it", async () => {
  const hands = rig({});
  const { record } = await beginFlow(hands, { signIn: KEY, url: SERVER, resource: SERVER, server, client });
  const error = await takeFlow(
    hands, { state: record.state, error: "CANARY", iss: "https://CANARY.example" },
  ).then(() => undefined, (reason: unknown) => reason as AuthFailure);
  assert.ok(!`${error?.message}${JSON.stringify(error?.fields)}`.includes("CANARY"));
});

test("metadata is not repeated either, but for its origin", async () => {
  for (
    const value of [
      "<img src=x onerror=CANARY>", "https://as.example/CANARY#", "javascript:CANARY",
      "http://x.example/CANARY", { CANARY: 1 },
    ]
  ) {
    const hands = rig({
      [PRM_PATH]: () => json({ resource: SERVER, authorization_servers: [value], CANARY: value }),
    });
    const error = await discover(hands, SERVER).then(
      () => undefined, (reason: unknown) => reason as AuthFailure,
    );
    assert.ok(
      error instanceof AuthFailure && !`${error.message}${JSON.stringify(error.fields)}`.includes("CANARY"),
    );
  }
});
