/**
 * Whom a bearer token belongs to, as far as it says so itself: issuer and
 * subject of a JWT. Undefined for an opaque token, and for what is none. It is not verified, which is
 * the server's business: it only keeps the calls of two users apart.
 */
export function principalOf(token: unknown): string | undefined {
  const payload = typeof token === "string" ? token.split(".")[1] : undefined;
  if (payload === undefined) return undefined;
  try {
    const json =
      JSON.parse(atob(payload.replace(/-/g, "+").replace(/_/g, "/"))) as { iss?: unknown; sub?: unknown };
    return typeof json.sub === "string" ? JSON.stringify([json.iss ?? "", json.sub]) : undefined;
  } catch {
    return undefined;
  }
}
