import type { TokenSubject } from "../shared/clientstate.js";

/** The subject of a token's user where that is known, and is not whom the app has named. */
export function otherSubject(user: string | undefined, named: string | undefined): TokenSubject | undefined {
  if (user === undefined || named === undefined || user === named) return undefined;
  const [issuer, subject] = JSON.parse(user) as [unknown, unknown];
  return typeof issuer === "string" && typeof subject === "string" && subject !== named ? { issuer, subject } : undefined;
}

/**
 * Whom a bearer token belongs to, as far as it says so itself: issuer and
 * subject of a JWT. Undefined for an opaque token, and for what is none. It is not verified, which is
 * the server's business: it only keeps the calls of two users apart.
 */
export function principalOf(token: unknown): string | undefined {
  const payload = typeof token === "string" ? token.split(".")[1] : undefined;
  if (payload === undefined) return undefined;
  try {
    const json = JSON.parse(atob(payload.replace(/-/g, "+").replace(/_/g, "/"))) as { iss?: unknown; sub?: unknown };
    return typeof json.sub === "string" ? JSON.stringify([json.iss ?? "", json.sub]) : undefined;
  } catch {
    return undefined;
  }
}
