// The metadata of a protected resource (RFC 9728): which authorization servers a server trusts.

import { shownAddress } from "../base/plainpath.js";
import { checkedURL, covers, isLoopback } from "./addresses.js";
import { invalid, type Leg } from "./failure.js";
import { scopeArray } from "./scopes.js";

const LEG: Leg = "auth/resource-metadata";
const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** How many authorization servers of a resource are tried. */
const MAX_SERVERS = 5;

/** The fields of the protected-resource metadata (RFC 9728) that a sign-in uses. */
export interface ProtectedResource {
  /** The resource, word for word as it says so: what authorization and token requests name. */
  readonly resource: string;
  /** Issuers, at least one, word for word. */
  readonly authorizationServers: readonly string[];
  readonly scopesSupported: readonly string[] | undefined;
  /** Tokens are only accepted with a proof of possession (RFC 9728 section 2). */
  readonly dpopRequired: boolean;
}

/**
 * Where the metadata may be, in this order: where the challenge says, at the server's
 * path, at the root. A challenge that names another origin, or plain http, is refused:
 * what is read there would decide where a person types a password.
 */
export function resourceMetadataURLs(server: URL, named?: string): string[] {
  if (named !== undefined) {
    const url = checkedURL(LEG, "resource_metadata of the challenge", named, isLoopback(server));
    if (url.origin !== server.origin)
      throw invalid(LEG, "the challenge names metadata on another origin than the server's");
    return [url.href];
  }
  const path = server.pathname === "/" ? "" : server.pathname;
  const root = server.origin + WELL_KNOWN;
  return [...new Set([root + path + server.search, root])];
}

/**
 * True if only the operator of the host can answer at an address that a challenge names: at the root's, or
 * the server's own. A host may treat any other path as it likes: `..%2f`, for example, as a way to another
 * path.
 */
export function isWellKnown(named: string | undefined, server: URL): boolean {
  if (named === undefined) return true;
  const { pathname } = new URL(named);
  return pathname === WELL_KNOWN || pathname === WELL_KNOWN + server.pathname;
}

/**
 * Checks metadata that was found; throws `oauth_invalid`. With `wellKnown` the resource may be above
 * the server. Else whoever has one path of a host could have a token that all of its paths take.
 */
export function readProtectedResource(
  json: Readonly<Record<string, unknown>>, server: URL, wellKnown = true,
): ProtectedResource {
  const local = isLoopback(server);
  const resource = checkedURL(LEG, "resource", json.resource, local);
  if (!covers(resource, server) || !(wellKnown || resource.pathname === server.pathname)) {
    throw invalid(
      LEG, "it is the metadata of another resource",
      `resource has to be ${server.pathname === "/" ? server.origin : shownAddress(server)}${
        wellKnown ? ", or above it" : ""
      }.`,
    );
  }
  const issuers = json.authorization_servers;
  if (!Array.isArray(issuers) || issuers.length === 0) {
    throw invalid(
      LEG, "it names no authorization server", "authorization_servers has to have at least one issuer.",
    );
  }
  const servers = issuers.slice(0, MAX_SERVERS) as unknown[];
  for (const issuer of servers) checkedURL(LEG, "a member of authorization_servers", issuer, local);
  return {
    resource: json.resource as string,
    authorizationServers: servers as string[],
    scopesSupported: scopeArray(json.scopes_supported),
    dpopRequired: json.dpop_bound_access_tokens_required === true,
  };
}
