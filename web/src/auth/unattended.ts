// Signing in without a person, for programs that are no page: what they sign in with is a
// secret, and a page keeps none. The extensions of MCP's: client credentials, enterprise-managed
// authorization, workload identity.

import type { Reason } from "./authorize.js";
import { discover, type Discovered } from "./discovery.js";
import { AuthFailure, invalid } from "./failure.js";
import { type Grant, storeGrant } from "./grants.js";
import type { Hands } from "./hands.js";
import { openEpoch } from "./epochs.js";
import { cipher, unguessable } from "./pkce.js";
import type { Registration } from "./registration.js";
import { chooseScopes } from "./scopes.js";
import { SIGNING, type SigningAlgorithm, signedToken } from "./signing.js";
import { subjectOf } from "./subject.js";
import { tokenRequest } from "./tokenrequest.js";
import { readTokens } from "./tokens.js";

/** How a program signs in by itself. */
export type Unattended =
  /** Client credentials with a secret (RFC 6749 section 4.4). */
  | { kind: "secret"; clientId: string; clientSecret: string }
  /** Client credentials with a signed assertion (RFC 7523). The key is PKCS #8, as PEM. */
  | { kind: "key"; clientId: string; privateKey: string; algorithm: SigningAlgorithm }
  /**
   * The identity provider of the company exchanges the id token of its user (RFC 8693) for one that the
   * authorization server takes.
   */
  | {
    kind: "enterprise";
    clientId: string;
    clientSecret: string;
    provider: { tokenEndpoint: string; clientId: string; idToken(): Promise<string> | string }
  }
  /** The platform that the program runs on says who it is. */
  | { kind: "workload"; assertion(): Promise<string> | string };

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";

/** How long an assertion is good, in seconds. */
const ASSERTION_TIME = 60;

/** Gets a token, and stores it as the grant for the server. */
export async function obtain(
  hands: Hands, { url, key }: { readonly url: string; readonly key: string }, how: Unattended,
  { challenge, scope }: Reason,
): Promise<Grant> {
  const epoch = await openEpoch(hands, key);
  const found = await discover(hands, url, challenge, undefined, false);
  const { server, resource } = found;
  const requested = scope ?? chooseScopes({ challenge: challenge?.scope, resource: found.scopes });
  const client = clientOf(how, found);
  const form = { ...(await formOf(hands, how, found, requested)), resource, scope: requested };
  const json = await tokenRequest(hands, "auth/token", server.tokenEndpoint, { client }, form);
  const { access, scope: said } = readTokens("auth/token", json, "Bearer", hands.now());
  if (access instanceof AuthFailure) throw access;
  const granted = said ?? requested;
  return storeGrant(hands, key, {
    url,
    epoch,
    resource,
    server,
    client,
    access,
    principal: subjectOf({ token: access.token }, server.issuer, client.clientId) ??
      JSON.stringify([server.issuer, { client: client.clientId }]),
    ...(requested === undefined ? {} : { requested }),
    ...(granted === undefined ? {} : { granted }),
  });
}

function clientOf(how: Unattended, { server }: Discovered): Registration {
  const base = { issuer: server.issuer, source: "given", redirectUrl: "" } as const;
  if (how.kind === "workload") return { ...base, clientId: "", authMethod: "none" };
  if (how.kind === "key") return { ...base, clientId: how.clientId, authMethod: "none" };
  const post = server.authMethods?.includes("client_secret_post") &&
    !server.authMethods.includes("client_secret_basic");
  return {
    ...base, clientId: how.clientId, clientSecret: how.clientSecret,
    authMethod: post ? "client_secret_post" : "client_secret_basic",
  };
}

async function formOf(
  hands: Hands, how: Unattended, found: Discovered, scope: string | undefined,
): Promise<Record<string, string>> {
  switch (how.kind) {
    case "secret":
      return { grant_type: "client_credentials" };
    case "key":
      return {
        grant_type: "client_credentials",
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: await clientAssertion(hands, how, found.server.issuer),
      };
    case "enterprise":
      return { grant_type: JWT_BEARER, assertion: await exchanged(hands, how.provider, found, scope) };
    case "workload":
      return { grant_type: JWT_BEARER, assertion: await how.assertion() };
  }
}

/** Says who the client is (RFC 7523 section 3), for one request. */
async function clientAssertion(
  hands: Hands, { clientId, privateKey, algorithm }: Extract<Unattended, { kind: "key" }>, issuer: string,
): Promise<string> {
  const now = Math.floor(hands.now() / 1000);
  let key: CryptoKey;
  try {
    const der = Uint8Array.from(
      atob(privateKey.replace(/-----[^-]+-----|\s/g, "")), (char) => char.charCodeAt(0),
    );
    key = await cipher(hands).importKey("pkcs8", der, SIGNING[algorithm].make, false, ["sign"]);
  } catch {
    throw new AuthFailure("auth/token", {
      code: "bad_argument", message: "privateKey is no key in PKCS #8 for that algorithm",
    });
  }
  return signedToken(
    hands, algorithm, key, { typ: "JWT" },
    {
      iss: clientId, sub: clientId, aud: issuer, jti: unguessable(hands), iat: now, exp: now + ASSERTION_TIME,
    },
  );
}

/** Exchanges an id token at the identity provider for an assertion that the authorization server takes. */
async function exchanged(
  hands: Hands, provider: Extract<Unattended, { kind: "enterprise" }>["provider"],
  { server, resource }: Discovered, scope: string | undefined,
): Promise<string> {
  const client: Registration = {
    issuer: provider.tokenEndpoint, clientId: provider.clientId, authMethod: "none", source: "given",
    redirectUrl: "",
  };
  const json = await tokenRequest(hands, "auth/token", provider.tokenEndpoint, { client }, {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: ID_JAG,
    subject_token: await provider.idToken(),
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    audience: server.issuer,
    resource,
    scope,
  });
  if (json.issued_token_type !== ID_JAG || typeof json.access_token !== "string")
    throw invalid("auth/token", "the identity provider gave no assertion for the authorization server");
  return json.access_token;
}
