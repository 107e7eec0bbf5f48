// Whose tokens they are, as far as the authorization server says so.

/**
 * Issuer and subject as one string, in the same form as a token of the app's provider
 * has it. An id token is believed where its issuer and its client are ours; it came over
 * TLS from the token endpoint, so no signature is checked (OpenID Connect 3.1.3.7). Else the
 * access token's own claims do. Undefined where neither says it.
 */
export function subjectOf(
  tokens: { idToken?: string | undefined; token?: string | undefined }, issuer: string, clientId: string,
): string | undefined {
  const identity = claimsOf(tokens.idToken);
  const audience = Array.isArray(identity?.aud) ? identity.aud : [identity?.aud];
  if (identity && identity.iss === issuer && audience.includes(clientId) && isSubject(identity.sub))
    return JSON.stringify([issuer, identity.sub]);
  const access = claimsOf(tokens.token);
  return access && isSubject(access.sub)
    ? JSON.stringify([typeof access.iss === "string" ? access.iss : "", access.sub])
    : undefined;
}

function isSubject(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function claimsOf(token: string | undefined): Readonly<Record<string, unknown>> | undefined {
  const payload = token?.split(".")[1];
  if (payload === undefined) return undefined;
  try {
    const json: unknown = JSON.parse(atob(payload.replace(/-/g, "+").replace(/_/g, "/")));
    return typeof json === "object" && json !== null ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
