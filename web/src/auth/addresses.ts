// Which URLs of a server or an authorization server are safe to go to.

import { isLoopback } from "../base/origins.js";
import { NOT_HTTPS, unsafeAddress } from "../base/safeaddress.js";
import { AuthFailure, invalid, type Leg } from "./failure.js";

export { isLoopback };

/** Characters of a URL in metadata; longer ones no browser or server agrees on. */
const MAX_URL = 2048;

/**
 * Checks a URL that somebody else wrote ({@link unsafeAddress}), which has no fragment either. Throws
 * `oauth_invalid`; `what` names it.
 */
export function checkedURL(leg: Leg, what: string, text: unknown, local: boolean): URL {
  if (typeof text === "string" && text.length > MAX_URL)
    throw invalid(leg, `${what} has over ${MAX_URL} characters`);
  const problem = unsafeAddress(text, local);
  if (problem !== undefined)
    throw invalid(
      leg, `${what} ${problem}`,
      problem === NOT_HTTPS
        ? "Only on this machine, for a server of this machine, may it be http."
        : undefined,
    );
  if (String(text).includes("#")) throw invalid(leg, `${what} has a fragment`);
  return new URL(text as string);
}

/** The URL of the server that is signed in to: https, or of this machine. */
export function serverAddress(server: string): URL {
  const url = new URL(server);
  if (url.protocol !== "https:" && !isLoopback(url)) {
    throw new AuthFailure("auth/challenge", {
      code: "bad_argument",
      message: "a token is never sent over plain http",
      hint: "Use https, or a server at localhost.",
    });
  }
  return url;
}

/**
 * The canonical URI of a server (RFC 8707 section 2): no fragment, and no slash at the
 * end where there is no path. What its metadata says goes before it.
 */
export function canonicalResource(server: URL): string {
  const { origin, pathname, search } = server;
  return pathname === "/" && search === "" ? origin : origin + pathname + search;
}

/**
 * True if a token for `resource` may be sent to `server`. RFC 9728 section 3.3 wants the two to be identical;
 * the metadata at the root of a host, which MCP has the client try last, names the host. So a resource may be
 * above the server, on the same origin.
 */
export function covers(resource: URL, server: URL): boolean {
  if (resource.origin !== server.origin) return false;
  if (resource.search !== "" && resource.search !== server.search) return false;
  const above = resource.pathname.endsWith("/") ? resource.pathname : `${resource.pathname}/`;
  return `${server.pathname}/`.startsWith(above);
}
