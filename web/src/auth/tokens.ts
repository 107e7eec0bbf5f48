// The answer of a token endpoint (RFC 6749 section 5.1), checked.

import { AuthFailure, invalid, type Leg } from "./failure.js";
import { scopeList } from "./scopes.js";

/** How a token is shown to the server. */
export type TokenType = "Bearer" | "DPoP";

/** A token for the server. */
export interface AccessToken {
  readonly token: string;
  readonly type: TokenType;
  /**
   * End of the token, in ms since 1970, by the clock of this machine at its arrival; missing where the server
   * named none.
   */
  readonly expiresAt?: number;
  /** Before its end, in ms, when it is refreshed; missing for {@link MARGIN}. */
  readonly margin?: number;
}

/** Tokens of one answer of a token endpoint. */
export interface Tokens {
  /** The access token, or its fault. A fault here leaves the new refresh token good: the old one is spent. */
  readonly access: AccessToken | AuthFailure;
  readonly refreshToken?: string;
  /** Missing where it is what was asked for (RFC 6749 section 5.1). */
  readonly scope?: string;
  readonly idToken?: string;
}

/** Characters of a token. Servers refuse header fields that are longer. */
const MAX_TOKEN = 32 * 1024;

/** The longest that a lifetime is believed, in seconds: a year. */
const MAX_LIFETIME = 365 * 24 * 3600;

/** Reads the answer; `wanted` is the type that was asked for. */
export function readTokens(
  leg: Leg, json: Readonly<Record<string, unknown>> | undefined, wanted: TokenType, now: number,
): Tokens {
  const { refresh_token: refresh, scope, id_token: identity } = json ?? {};
  const scopes = typeof scope === "string" ? scopeList(scope) : [];
  return {
    access: readAccess(leg, json ?? {}, wanted, now),
    ...(isToken(refresh) ? { refreshToken: refresh } : {}),
    ...(scopes.length > 0 ? { scope: scopes.join(" ") } : {}),
    ...(typeof identity === "string" ? { idToken: identity } : {}),
  };
}

function readAccess(
  leg: Leg, json: Readonly<Record<string, unknown>>, wanted: TokenType, now: number,
): AccessToken | AuthFailure {
  const { access_token: token, token_type: type, expires_in: lifetime } = json;
  if (!isToken(token)) return invalid(leg, "the answer has no access_token that a header field can carry");
  if (typeof type !== "string" || type.toLowerCase() !== wanted.toLowerCase()) {
    return invalid(
      leg, `the token is of another type than ${wanted}`,
      wanted === "DPoP"
        ? "The authorization server has bound it to no key."
        : "Only the scheme Bearer is asked for.",
    );
  }
  if (lifetime === undefined || lifetime === null) return { token, type: wanted };
  const seconds = lifetimeOf(lifetime);
  if (seconds === undefined) return invalid(leg, "expires_in is no number of seconds above 0");
  const life = Math.min(seconds, MAX_LIFETIME) * 1000;
  // One that lives no longer than the margin would be refreshed for each request.
  return { token, type: wanted, expiresAt: now + life, ...(life < 2 * MARGIN ? { margin: life / 2 } : {}) };
}

/** Some servers write the number as a string. */
function lifetimeOf(value: unknown): number | undefined {
  const seconds = typeof value === "string" && /^\d{1,12}$/.test(value) ? Number(value) : value;
  return typeof seconds === "number" && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

/** Visible ASCII, as RFC 6750 and RFC 6749 appendix A have it. */
function isToken(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_TOKEN && /^[\x21-\x7e]+$/.test(value);
}

/** Before its end, in ms, when a token is refreshed. */
const MARGIN = 60_000;

/** The life of a token at a time: `stale` is about to end, and is used only where there is no other. */
export function lifeOf({ expiresAt, margin = MARGIN }: AccessToken, now: number): "fresh" | "stale" | "over" {
  if (expiresAt === undefined) return "fresh";
  const left = expiresAt - now;
  // A clock that was put back makes no token live longer than any is given for.
  if (left <= 0 || left > MAX_LIFETIME * 1000) return "over";
  return left <= margin ? "stale" : "fresh";
}
