// From a refusal to the address where a person signs in.

import type { OAuthChallenge } from "./challenge.js";
import type { Wish } from "./epochs.js";
import { discover } from "./discovery.js";
import { makeDPoPKey } from "./dpop.js";
import { beginFlow, type BegunFlow, hasFlow } from "./flow.js";
import { readGrant } from "./grants.js";
import type { Hands } from "./hands.js";
import type { Refusal } from "./refusal.js";
import { type ClientOptions, doubt, register } from "./registration.js";
import { chooseScopes } from "./scopes.js";
import { stepUpFrom } from "./stepup.js";

/** How the app wants to sign in. */
export interface SignInOptions extends ClientOptions {
  /** The scopes to ask for, in place of what the server names. */
  scopes?: readonly string[];
  /** True binds tokens to a key of this browser. Default: where the server demands that. */
  dpop?: boolean;
}

/** Why a person is asked. */
export interface Reason {
  readonly challenge: OAuthChallenge | undefined;
  /** The token that the server has rejected, and the scopes to ask for instead of the usual ones. */
  readonly rejected: Pick<Refusal, "token" | "cameBy"> | undefined;
  readonly scope: string | undefined;
  /** The window that is open for it already. */
  readonly window?: string | undefined;
  readonly wish?: Wish | undefined;
}

/**
 * Finds the authorization server, registers where that is needed, and begins a flow. All of it
 * each time: the server may have changed its authorization server since. `leaves`: the page goes away to sign
 * in, so a flow without an answer came to nothing. Its client may be one that the authorization server has
 * forgotten: then that shows a page of its own, and sends nobody back.
 */
export async function authorize(
  hands: Hands, { url, key }: { readonly url: string; readonly key: string }, options: SignInOptions,
  { challenge, scope, window, wish }: Reason, waiting: unknown, leaves: boolean,
): Promise<BegunFlow> {
  const { server, resource, scopes, dpopRequired } = await discover(
    hands, url, challenge, (issuers) => issuers.find((issuer) => issuer === options.issuer),
  );
  let client = await register(hands, server, options);
  if (leaves && (await hasFlow(hands, key, client.clientId))) {
    await doubt(hands, client);
    client = await register(hands, server, options);
  }
  const dpop = (options.dpop ?? dpopRequired) ? await makeDPoPKey(hands, server.dpopAlgorithms) : undefined;
  const usual = chooseScopes({
    ...(options.scopes ? { app: options.scopes } : {}), challenge: challenge?.scope, resource: scopes,
    server: server.scopesSupported,
  });
  const grant = scope === undefined ? undefined : (await readGrant(hands, key))?.value;
  const stepUp = grant && scope !== undefined ? stepUpFrom(grant, scope) : undefined;
  return beginFlow(hands, {
    wish, signIn: key, url, resource, server, client, scope: scope ?? usual, dpop, waiting, stepUp,
    resourceMetadata: challenge?.resourceMetadata, window,
  });
}
