// Telling the authorization server that tokens are not needed any more (RFC 7009).

import type { AuthorizationServer } from "./authorizationserver.js";
import type { Hands } from "./hands.js";
import { type Requester, tokenRequest } from "./tokenrequest.js";
import type { AccessToken } from "./tokens.js";

/** The part of a grant that a revocation needs. */
export interface Revocable extends Requester {
  readonly server: AuthorizationServer;
  readonly access?: AccessToken;
  readonly refreshToken?: string;
}

/** Revokes the tokens of a grant; false where the authorization server was not reached, or cannot. */
export async function revoke(
  hands: Hands, { server, client, dpop, refreshToken, access }: Revocable,
): Promise<boolean> {
  const { revocationEndpoint } = server;
  if (revocationEndpoint === undefined) return false;
  const one = (token: string | undefined, hint: string): Promise<boolean> => {
    if (token === undefined) return Promise.resolve(true);
    return tokenRequest(
      hands, "auth/revocation", revocationEndpoint, { client, dpop }, { token, token_type_hint: hint },
    ).then(
      () => true,
      () => false,
    );
  };
  // The refresh token first: with it goes what it could still bring.
  return isAll([one(refreshToken, "refresh_token"), one(access?.token, "access_token")]);
}

/** How long, in ms, somebody who signs out waits for authorization servers. The requests go on after that. */
const WAITS = 3_000;

/** Revokes all of these at the same time; false also where that takes too long. */
export function revokeAll(hands: Hands, grants: readonly Revocable[]): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = hands.after(WAITS, () => resolve(false));
    void isAll(grants.map((grant) => revoke(hands, grant))).then((all) => {
      stop();
      resolve(all);
    });
  });
}

async function isAll(done: readonly Promise<boolean>[]): Promise<boolean> {
  return (await Promise.all(done)).every((one) => one);
}
