/**
 * Whom a bearer token belongs to, as far as it says so itself: issuer and
 * subject of a JWT. Undefined for an opaque token. It is not verified, which is
 * the server's business: it only keeps the calls of two users apart.
 */
export function principalOf(token: string): string | undefined {
  const payload = token.split(".")[1];
  if (payload === undefined) return undefined;
  try {
    const json = JSON.parse(atob(payload.replace(/-/g, "+").replace(/_/g, "/"))) as { iss?: unknown; sub?: unknown };
    return typeof json.sub === "string" ? JSON.stringify([json.iss ?? "", json.sub]) : undefined;
  } catch {
    return undefined;
  }
}
