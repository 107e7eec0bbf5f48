// Grants: the tokens of a sign-in, the place where they are stored, and the exchange of a code for them.

import type { AuthorizationServer } from "./authorizationserver.js";
import type { DPoPKey } from "./dpop.js";
import { readEpoch } from "./epochs.js";
import { AuthFailure } from "./failure.js";
import type { FlowRecord } from "./flow.js";
import type { AuthStore, Hands, Versioned } from "./hands.js";
import { unguessable } from "./pkce.js";
import { type Registration, unregister } from "./registration.js";
import { revoke } from "./revocation.js";
import { namelessPrincipal, stillThere } from "./stepup.js";
import { subjectOf } from "./subject.js";
import { tokenRequest } from "./tokenrequest.js";
import { type AccessToken, lifeOf, readTokens } from "./tokens.js";

/**
 * The tokens for one server, and all that refreshing and revoking them needs, so that neither has to find it
 * out again.
 */
export interface Grant {
  /** The MCP server or agent that it is for. */
  readonly url: string;
  readonly resource: string;
  readonly server: AuthorizationServer;
  readonly client: Registration;
  /** Missing where the authorization server gave one that cannot be used. */
  readonly access?: AccessToken;
  readonly refreshToken?: string;
  readonly dpop?: DPoPKey;
  /** The scopes that were asked for, and those that were granted. */
  readonly requested?: string;
  readonly granted?: string;
  /** How often they were asked for in turn, where they came by step-ups. */
  readonly asked?: number;
  /**
   * The sign-in that it came by; missing where no person signed in. Some authorization servers give the same
   * token again, which may do more by then.
   */
  readonly cameBy?: string;
  /** When it came, in ms since 1970, until a request has passed with it. */
  readonly unproven?: number;
  /**
   * Principal: the user. Where no token names the user, a name of this sign-in alone: two users never share
   * one.
   */
  readonly principal: string;
  /** Where the challenge that it came by said that the server's metadata is. */
  readonly resourceMetadata?: string;
  /** Epoch of the sign-in. A sign-out ends it. */
  readonly epoch: string;
  /** Somebody refreshes it: who, since when, in ms since 1970, and whether under the lock. */
  readonly refreshing?: { readonly by: string; readonly since: number; readonly alone: boolean };
}

/** The key in the store of the grant of a sign-in ({@link signInKey}). */
export function grantKey(signIn: string): string {
  return `grant/${signIn}`;
}

/** The sign-in that a grant came by. */
export function cameBy(grant: Grant): string {
  return grant.cameBy ?? "";
}

/** True if a page can get a token from the grant without a person, or may: by a refresh, for example. */
export function isUsable(grant: Grant | undefined, now: number): grant is Grant {
  return grant !== undefined &&
    (
      grant.refreshToken !== undefined || (grant.access !== undefined && lifeOf(grant.access, now) !== "over")
    );
}

/**
 * The grant of a sign-in, if there is one. A grant that is this page's alone ends with its epoch:
 * then somebody has signed out in another tab, which cannot delete it.
 */
export async function readGrant(hands: Hands, signIn: string): Promise<Versioned<Grant> | undefined> {
  const kept = await hands.store.get<Grant>(grantKey(signIn));
  return kept && hands.store.alone && (await readEpoch(hands, signIn)) !== kept.value.epoch
    ? undefined
    : kept;
}

/** Deletes a grant that has ended with its epoch, and has its tokens revoked. */
export async function dropEnded(hands: Hands, signIn: string): Promise<void> {
  if (hands.store.alone && !(await readGrant(hands, signIn))) await drop(hands, hands.store, signIn);
}

/** Deletes the grant of a sign-in, and has its tokens revoked. */
export async function drop(hands: Hands, store: AuthStore, signIn: string): Promise<void> {
  const kept = await store.get<Grant>(grantKey(signIn));
  if (kept && (await store.set(grantKey(signIn), kept.version, undefined))) void revoke(hands, kept.value);
}

/**
 * Exchanges a code, and stores what comes for it. The code is used once, whatever
 * happens: after an error somebody has to sign in again.
 */
export async function exchange(hands: Hands, record: FlowRecord, code: string): Promise<Grant> {
  const { signIn, url, resource, server, client, scope, dpop, stepUp, resourceMetadata } = record;
  const json = await tokenRequest(hands, "auth/token", server.tokenEndpoint, { client, dpop }, {
    grant_type: "authorization_code",
    code,
    code_verifier: record.verifier,
    redirect_uri: client.redirectUrl,
    resource,
  }).catch(async (error: unknown) => {
    // The next sign-in makes another client: with this one it would come to nothing again.
    if (
      error instanceof AuthFailure &&
        ["invalid_client", "unauthorized_client"].includes(error.fields.denial ?? "")
    )
      await unregister(hands, client);
    throw error;
  });
  const { access, refreshToken, scope: said, idToken } = readTokens(
    "auth/token", json, dpop ? "DPoP" : "Bearer", hands.now(),
  );
  if (access instanceof AuthFailure) throw access;
  const granted = said ?? scope;
  const grant: Grant = {
    url,
    resource,
    server,
    client,
    access,
    epoch: record.epoch,
    cameBy: unguessable(hands),
    unproven: hands.now(),
    principal:
      subjectOf({ idToken, token: access.token }, server.issuer, client.clientId) ??
      stillThere(stepUp, (await readGrant(hands, signIn))?.value, server.issuer) ??
      namelessPrincipal(server.issuer, unguessable(hands)),
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(dpop === undefined ? {} : { dpop }),
    ...(scope === undefined ? {} : { requested: scope }),
    ...(granted === undefined ? {} : { granted }),
    ...(stepUp === undefined ? {} : { asked: stepUp.asked }),
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
  };
  return storeGrant(hands, signIn, grant);
}

/** Stores a grant, unless somebody has signed out since its epoch was read: then it has ended. */
export async function storeGrant(hands: Hands, signIn: string, grant: Grant): Promise<Grant> {
  const { epoch } = grant;
  // The former grant is not revoked: many servers would then revoke all that the user has granted to this
  // client.
  for (;;) {
    const before = await hands.store.get(grantKey(signIn));
    if ((await readEpoch(hands, signIn)) !== epoch) return ended(hands, grant);
    if (await hands.store.set(grantKey(signIn), before?.version ?? 0, grant)) break;
  }
  // A sign-out ends the epoch first, and deletes the grant after that: one of the two sees the other.
  if ((await readEpoch(hands, signIn)) === epoch) return grant;
  const mine = await hands.store.get<Grant>(grantKey(signIn));
  if (mine && mine.value.access?.token === grant.access?.token)
    await hands.store.set(grantKey(signIn), mine.version, undefined);
  return ended(hands, grant);
}

/** Somebody has signed out since the flow was begun: nobody may be signed in by it. */
async function ended(hands: Hands, grant: Grant): Promise<never> {
  await revoke(hands, grant);
  throw new AuthFailure("auth/callback", {
    code: "sign_in_expired", message: "somebody has signed out meanwhile", hint: "Sign in again.",
  });
}
