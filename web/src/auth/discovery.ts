// From a server that wants a token to the authorization server that gives it one.

import { shownPath } from "../base/plainpath.js";
import { canonicalResource, isLoopback, serverAddress } from "./addresses.js";
import { type AuthAnswer, ask } from "./answers.js";
import {
  type AuthorizationServer, legacyServer, readAuthorizationServer, serverMetadataURLs,
} from "./authorizationserver.js";
import type { OAuthChallenge } from "./challenge.js";
import { AuthFailure, invalid, type Leg, originOf } from "./failure.js";
import type { Hands } from "./hands.js";
import { isWellKnown, readProtectedResource, resourceMetadataURLs } from "./protectedresource.js";

/**
 * How long all of it may take, in ms, before no further address is asked. Each answer has its own time as
 * well.
 */
const DISCOVERY_TIME = 30_000;

/** The result of discovery: all that a sign-in at a server needs. */
export interface Discovered {
  /** The resource that authorization and token requests name (RFC 8707). */
  readonly resource: string;
  /** The scopes that the resource lists. */
  readonly scopes: readonly string[] | undefined;
  /** Tokens are only accepted with a proof of possession. */
  readonly dpopRequired: boolean;
  readonly server: AuthorizationServer;
  /** How it was found: by metadata of the resource, or as 2025-03-26 has it. */
  readonly era: "resource" | "origin" | "paths";
}

/**
 * Finds the authorization server of an MCP server. Nothing that is read on the way
 * can lead to a further address of the same kind: no answer's own challenge is
 * followed, and so no chain of them can go in a circle.
 *
 * @param choose of several issuers, the one to sign in at; without it the first that has metadata
 * @param person whether a person is to sign in there
 */
export async function discover(
  hands: Hands,
  url: string,
  challenge?: OAuthChallenge,
  choose?: (issuers: readonly string[]) => string | undefined,
  person = true,
): Promise<Discovered> {
  const server = serverAddress(url);
  const local = isLoopback(server);
  const until = hands.now() + DISCOVERY_TIME;
  const found = await firstFound(
    hands, until, "auth/resource-metadata", resourceMetadataURLs(server, challenge?.resourceMetadata),
  );
  if (found.json) {
    const resource = readProtectedResource(
      found.json, server, isWellKnown(challenge?.resourceMetadata, server),
    );
    const chosen = choose?.(resource.authorizationServers);
    const issuers = chosen !== undefined && resource.authorizationServers.includes(chosen)
      ? [chosen]
      : resource.authorizationServers;
    return {
      resource: resource.resource,
      scopes: resource.scopesSupported,
      dpopRequired: resource.dpopRequired,
      server: await firstServer(hands, until, issuers, local, person),
      era: "resource",
    };
  }
  // The challenge has named it, so it is no server of 2025-03-26, whatever is at its origin.
  if (challenge?.resourceMetadata !== undefined) throw found.failure;
  const origin = await firstFound(
    hands, until, "auth/server-metadata", serverMetadataURLs(new URL(server.origin)).slice(0, 1),
  );
  const rest = { resource: canonicalResource(server), scopes: undefined, dpopRequired: false };
  if (origin.json) {
    // The issuer has no name before this, and both forms are the origin: many servers write it with a slash.
    const issuer = origin.json.issuer === `${server.origin}/` ? `${server.origin}/` : server.origin;
    return { ...rest, server: readAuthorizationServer(origin.json, issuer, local, person), era: "origin" };
  }
  // Its paths are guessed at only where it is sure that there is no metadata: what CORS hides is there.
  if (!found.absent) throw exposed(found.failure, challenge);
  if (!origin.absent) throw exposed(origin.failure, challenge);
  return { ...rest, server: legacyServer(server.origin), era: "paths" };
}

/** A server whose challenge cannot be read may have named its metadata there. */
function exposed(failure: AuthFailure, challenge: OAuthChallenge | undefined): AuthFailure {
  if (challenge) return failure;
  const { hint, ...fields } = failure.fields;
  return new AuthFailure(failure.leg, {
    ...fields,
    hint: [
      hint,
      "If the server names its metadata in WWW-Authenticate, it has to answer with  " +
        "Access-Control-Expose-Headers: WWW-Authenticate",
    ].filter(Boolean).join("  "),
  });
}

/** The first issuer whose metadata can be used. Where none has any, the first one's failure. */
async function firstServer(
  hands: Hands, until: number, issuers: readonly string[], local: boolean, person: boolean,
): Promise<AuthorizationServer> {
  let first: AuthFailure | undefined;
  for (const issuer of issuers) {
    const found = await firstFound(hands, until, "auth/server-metadata", serverMetadataURLs(new URL(issuer)));
    // Metadata that claims another issuer ends the search: somebody lies.
    if (found.json) return readAuthorizationServer(found.json, issuer, local, person);
    first ??= found.failure;
  }
  throw first ?? invalid("auth/server-metadata", "there is no authorization server");
}

/** The document at the first of several addresses that had one. */
type Found =
  | { readonly json: Readonly<Record<string, unknown>> }
  /** `absent`: each of them says that it has nothing. */
  | { readonly json?: undefined; readonly absent: boolean; readonly failure: AuthFailure };

/**
 * Asks one address after the other. One that has nothing, that CORS hides or that answers
 * with a page is passed over. A server that is down or slow ends it: what it would have
 * said must not be replaced by what comes later in the order. After `until` nothing more is asked.
 */
async function firstFound(hands: Hands, until: number, leg: Leg, urls: readonly string[]): Promise<Found> {
  let worst: AuthFailure | undefined;
  let none: AuthFailure | undefined;
  for (const url of urls) {
    if (hands.now() > until)
      throw new AuthFailure(leg, {
        code: "timeout", message: `what answers took over ${DISCOVERY_TIME / 1000} s in all`, retryable: true,
      });
    const verdict = await look(hands, leg, url);
    if (!(verdict instanceof AuthFailure)) return verdict;
    if (verdict.fields.retryable || verdict.fields.code === "limit_exceeded") throw verdict;
    if (verdict.fields.code === "http_error") none ??= verdict;
    else worst ??= verdict;
  }
  return {
    absent: worst === undefined, failure: worst ?? none ?? invalid(leg, "there is no address to ask"),
  };
}

async function look(hands: Hands, leg: Leg, url: string): Promise<Found | AuthFailure> {
  let answer: AuthAnswer;
  try {
    answer = await ask(hands, leg, url);
  } catch (error) {
    // A redirect elsewhere is refused for good: the search does not pass over it.
    if (error instanceof AuthFailure && error.fields.code !== "oauth_invalid") return error;
    throw error;
  }
  const { status, json, type } = answer;
  const place = originOf(url);
  if (status >= 500 || status === 429)
    return new AuthFailure(leg, {
      code: "http_error", status, message: `${place} answered ${status}`, retryable: true,
    });
  if (status < 200 || status > 299) {
    return new AuthFailure(leg, {
      code: "http_error", status, message: `${place} has no metadata (status ${status})`,
      hint: `It is looked for at ${shownPath(new URL(url).pathname)}.`,
    });
  }
  if (json && type !== "text/html") return { json };
  return invalid(
    leg,
    `${place} answered ${status} with ` +
      `${type === "text/html" ? "a page (text/html)" : "what is no JSON object"} where its metadata belongs`,
    "It has to be application/json, or 404.",
  );
}
