// Refreshing a token: once over all tabs and hosts, and never so that a passing error signs somebody out.

import type { OAuthChallenge } from "./challenge.js";
import { type Discovered, discover } from "./discovery.js";
import { type AuthCode, AuthFailure, type Denial } from "./failure.js";
import { type Grant, grantKey, readGrant } from "./grants.js";
import type { Hands } from "./hands.js";
import { locked, REFRESH_LEASE } from "./locked.js";
import { unguessable } from "./pkce.js";
import { unregister } from "./registration.js";
import { revoke } from "./revocation.js";
import { subjectOf } from "./subject.js";
import { tokenRequest } from "./tokenrequest.js";
import { lifeOf, readTokens } from "./tokens.js";

/** After how long, in ms, a token that could not be refreshed before its end is tried again. */
const PAUSE = 10_000;

/** How often somebody who waits looks again, in ms. */
const LOOK = 500;

/** A grant whose token can be used now. */
export type LiveGrant = Grant & { readonly access: NonNullable<Grant["access"]> };

/**
 * The grant with a token to use: the stored one, or a refreshed one. Throws
 * `sign_in_required` where only a person can help; any other error is passing.
 *
 * @param rejected a token that the server has refused: it is not given again
 */
export async function liveGrant(hands: Hands, signIn: string, rejected?: string): Promise<LiveGrant> {
  const now = (await readGrant(hands, signIn))?.value;
  if (now && isFresh(hands, now, rejected)) return now; // whoever has the lock may hang
  return locked(hands, signIn, async (alone) => {
    for (;;) {
      const kept = await readGrant(hands, signIn);
      if (!kept) throw signInRequired("nobody has signed in");
      const { value: grant } = kept;
      if (isFresh(hands, grant, rejected)) return grant;
      if (grant.refreshToken === undefined) {
        if (isLive(grant, rejected) && lifeOf(grant.access, hands.now()) === "stale") return grant;
        throw signInRequired("the token is over or was refused, and there is none to refresh it with");
      }
      if (isHeld(grant, hands.now(), alone)) {
        await new Promise<void>((resolve) => void hands.after(LOOK, resolve));
        continue;
      }
      const by = unguessable(hands);
      const claim: Grant = { ...grant, refreshing: { by, since: hands.now(), alone } };
      const claimed =
        await hands.store.set(grantKey(signIn), kept.version, claim).catch(() => "failed" as const);
      if (claimed === "failed") {
        if (isLive(grant, rejected) && lifeOf(grant.access, hands.now()) === "stale") return grant;
        // New tokens could not be stored either. The page would lose them when it ends, so the refresh waits
        // for room.
        throw new AuthFailure("auth/refresh", {
          code: "storage_failed", message: "the token is not refreshed while nothing can be stored",
          retryable: true,
        });
      }
      if (!claimed) continue;
      const done = await refreshOnce(hands, signIn, claim, rejected);
      if (done) return done;
    }
  });
}

function isLive(grant: Grant, rejected: string | undefined): grant is LiveGrant {
  return grant.access !== undefined && grant.access.token !== rejected;
}

function isFresh(hands: Hands, grant: Grant, rejected: string | undefined): grant is LiveGrant {
  return isLive(grant, rejected) && lifeOf(grant.access, hands.now()) === "fresh";
}

/**
 * True if another page may still refresh the grant: this page then waits for it. A mark under the lock is
 * over, since this page has that lock now. A mark without the lock (another page hung) still counts: a second
 * use of the refresh token would be taken for theft.
 */
function isHeld({ refreshing }: Grant, now: number, alone: boolean): boolean {
  return refreshing !== undefined && !(alone && refreshing.alone) &&
    Math.abs(now - refreshing.since) < REFRESH_LEASE;
}

/** One request; undefined where what is stored has changed meanwhile, and is to be looked at again. */
async function refreshOnce(
  hands: Hands, signIn: string, claim: Grant, rejected: string | undefined,
): Promise<LiveGrant | undefined> {
  const { server, client, dpop, resource, refreshToken } = claim;
  let json: Readonly<Record<string, unknown>>;
  try {
    json = await tokenRequest(
      hands, "auth/refresh", server.tokenEndpoint, { client, dpop },
      { grant_type: "refresh_token", refresh_token: refreshToken, resource },
    );
  } catch (error) {
    if (!(error instanceof AuthFailure)) throw error;
    // It let this page in when it gave the token. The error page of a proxy, or of one that counts requests,
    // has no CORS header.
    const isAway = error.fields.code === "cors_blocked";
    return refused(
      hands, signIn, claim, rejected,
      isAway ? new AuthFailure(error.leg, { ...error.fields, retryable: true }) : error,
    );
  }
  const next = refreshed(hands, claim, json);
  // Before anything else: the authorization server no longer takes the old one.
  const stored = await replace(hands, signIn, next.grant, (now) => isSameSignIn(now, claim));
  // Somebody has signed out meanwhile: nobody knows of what came, and it would live on.
  if (stored === "gone") await revoke(hands, next.grant);
  if (stored === "gone" || stored === "changed") return undefined;
  if (next.failure) throw next.failure;
  return next.grant as LiveGrant;
}

/**
 * True if the stored grant comes from the refreshed one. It still does after another page, which thought this
 * one dead, has tried the old token and been refused.
 */
function isSameSignIn(now: Grant, claim: Grant): boolean {
  return now.refreshToken === claim.refreshToken ||
    (now.refreshToken === undefined && now.access?.token === claim.access?.token);
}

/** The grant after a refresh. What is wrong with the access token takes nothing from a new refresh token. */
function refreshed(
  hands: Hands, claim: Grant, json: Readonly<Record<string, unknown>>,
): { grant: Grant; failure?: AuthFailure } {
  const tokens = readTokens("auth/refresh", json, claim.dpop ? "DPoP" : "Bearer", hands.now());
  const { refreshing: _, access: former, ...rest } = claim;
  const grant: Grant = {
    ...rest,
    // Without a new one the old one stays (RFC 6749 section 6).
    ...(tokens.refreshToken === undefined ? {} : { refreshToken: tokens.refreshToken }),
    ...(tokens.scope === undefined ? {} : { granted: tokens.scope }),
  };
  const failure = tokens.access instanceof AuthFailure ? tokens.access : otherSubject(claim, tokens.idToken);
  if (failure) return { grant: former ? { ...grant, access: former } : grant, failure };
  return { grant: { ...grant, access: tokens.access as LiveGrant["access"] } };
}

/** An id token that comes with a refresh is of the same user (OpenID Connect 12.2). */
function otherSubject(
  { principal, server, client }: Grant, idToken: string | undefined,
): AuthFailure | undefined {
  const subject = subjectOf({ idToken }, server.issuer, client.clientId);
  if (subject === undefined || subject === principal) return undefined;
  return signInRequired("the authorization server refreshed the token of another user");
}

/**
 * The grant after an error. Only the authorization server's own word about this very token ends the grant.
 */
async function refused(
  hands: Hands, signIn: string, claim: Grant, rejected: string | undefined, error: AuthFailure,
): Promise<LiveGrant | undefined> {
  const { refreshing: _, ...grant } = claim;
  const { denial } = error.fields;
  const ours = (now: Grant): boolean => now.refreshing?.by === claim.refreshing?.by;
  const lost = (stored: string): boolean => stored === "changed" || stored === "gone";
  if (denial !== undefined && FINAL.includes(denial)) {
    const { refreshToken: __, ...spent } = grant;
    // Where it has changed, what was refused is an old one: another host has the new one.
    if (lost(await replace(hands, signIn, spent, ours))) return undefined;
    if (denial !== "invalid_grant") await unregister(hands, grant.client);
    throw signInRequired("the authorization server no longer takes the refresh token", denial);
  }
  // It was refreshed before its time: what there is still works, and the next request does not try the same
  // at once.
  const now = hands.now();
  const still = isLive(grant, rejected) && lifeOf(grant.access, now) !== "over"
    ? { ...grant, access: { ...grant.access, margin: grant.access.expiresAt! - now - PAUSE } }
    : undefined;
  if (lost(await replace(hands, signIn, still ?? grant, ours))) return undefined;
  if (still) return still;
  const { code, retryable } = error.fields;
  if (!retryable && (code === "oauth_denied" || code === "http_error"))
    throw signInRequired(
      "the authorization server refused to refresh the token, or does so elsewhere by now", denial,
    );
  if (UNREACHED.includes(code) && (await hasMoved(hands, grant)))
    throw signInRequired("the server has another authorization server by now");
  throw error;
}

/** The errors after which nobody knows whether there still is an authorization server. */
const UNREACHED: readonly AuthCode[] = ["network_error", "cors_blocked", "timeout"];

/**
 * True if the server's metadata now names another source of its tokens. The metadata is at the address of the
 * challenge, or at the well-known addresses. Missing metadata says nothing: then false.
 */
async function hasMoved(
  hands: Hands, { url, resourceMetadata, server: { issuer, tokenEndpoint } }: Grant,
): Promise<boolean> {
  const look = (challenge?: OAuthChallenge): Promise<Discovered | undefined> => discover(
    hands, url, challenge, (issuers) => issuers.find((one) => one === issuer),
  ).catch(() => undefined);
  const found =
    (resourceMetadata === undefined ? undefined : await look({ resourceMetadata, dpop: false })) ??
    (await look());
  return found?.era === "resource" &&
    (found.server.issuer !== issuer || found.server.tokenEndpoint !== tokenEndpoint);
}

/** The errors after which a refresh token is of no use any more. */
const FINAL: readonly Denial[] = ["invalid_grant", "invalid_client", "unauthorized_client"];

/**
 * Writes what has become of a grant, if `still` holds for what is stored now: "changed" where
 * somebody has signed in meanwhile or has taken over, "gone" where somebody has signed
 * out. A store that fails is tried again: what is not written is lost with the page.
 */
async function replace(
  hands: Hands, signIn: string, next: Grant, still: (now: Grant) => boolean,
): Promise<"stored" | "changed" | "gone" | "memory"> {
  for (let failures = 0; failures < 3; ) {
    try {
      const now = await readGrant(hands, signIn);
      if (!now) return "gone";
      if (!still(now.value)) return "changed";
      if (await hands.store.set(grantKey(signIn), now.version, next)) return "stored";
    } catch {
      failures++;
    }
  }
  return "memory";
}

/** Only a person can help. */
export function signInRequired(message: string, denial?: Denial): AuthFailure {
  return new AuthFailure("auth/refresh", {
    code: "sign_in_required", message, ...(denial === undefined ? {} : { denial }), hint: "Sign in again.",
  });
}
