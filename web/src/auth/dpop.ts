// Demonstrating Proof of Possession (RFC 9449): a token that only this browser can use.

import { AuthFailure, invalid } from "./failure.js";
import type { Hands } from "./hands.js";
import { cipher, sha256, unguessable } from "./pkce.js";
import { SIGNING, type SigningAlgorithm, signedToken } from "./signing.js";

/** A key that can be used and stored, and never read. */
export interface DPoPKey {
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: CryptoKey;
  /** The public half, as the header of a proof has it. */
  readonly jwk: Readonly<Record<string, string>>;
  /** The thumbprint of that (RFC 7638): what tokens are bound to. */
  readonly thumbprint: string;
}

/**
 * Makes a key that an authorization server takes; throws `oauth_invalid` where it has none of our algorithms.
 */
export async function makeDPoPKey(
  hands: Pick<Hands, "subtle">, supported: readonly string[],
): Promise<DPoPKey> {
  const algorithm = (Object.keys(SIGNING) as SigningAlgorithm[]).find((name) => supported.includes(name));
  if (algorithm === undefined) {
    throw invalid(
      "auth/dpop", "the authorization server takes no proof of possession that this page can sign",
      'It has to answer with  "dpop_signing_alg_values_supported": ["ES256"]',
    );
  }
  const subtle = cipher(hands);
  const pair = (
    await subtle.generateKey(SIGNING[algorithm].make, false, ["sign", "verify"])
  ) as CryptoKeyPair;
  const exported = await subtle.exportKey("jwk", pair.publicKey);
  // Only these members, in this order: RFC 7638 section 3.2 hashes them so.
  const members = algorithm === "ES256" ? (["crv", "kty", "x", "y"] as const) : (["e", "kty", "n"] as const);
  const jwk: Record<string, string> = {};
  for (const name of members) jwk[name] = exported[name]!;
  return {
    algorithm, privateKey: pair.privateKey, jwk, thumbprint: await sha256(hands, JSON.stringify(jwk)),
  };
}

/** The request that a proof is for. */
export interface Proven {
  method: string;
  url: string;
  nonce?: string | undefined;
  /** The access token that goes with it; the authorization server gets none. */
  token?: string | undefined;
}

/** A proof for one request. Each has an id of its own, and is refused when it comes twice. */
export async function proofOf(
  hands: Pick<Hands, "now" | "random" | "subtle">, key: DPoPKey, { method, url, nonce, token }: Proven,
): Promise<string> {
  const target = new URL(url);
  const payload = {
    jti: unguessable(hands),
    htm: method,
    htu: target.origin + target.pathname,
    iat: Math.floor(hands.now() / 1000),
    ...(nonce === undefined ? {} : { nonce }),
    ...(token === undefined ? {} : { ath: await sha256(hands, token) }),
  };
  return signedToken(hands, key.algorithm, key.privateKey, { typ: "dpop+jwt", jwk: key.jwk }, payload);
}

/** The failure of proofs that a server refuses again and again: mostly the clock is wrong. */
export function proofRefused(): AuthFailure {
  return new AuthFailure("auth/dpop", {
    code: "oauth_denied",
    message: "the proof of possession was refused",
    denial: "invalid_dpop_proof",
    hint: "Is the clock of this machine right? Does the server expose its nonce, by  " +
      "Access-Control-Expose-Headers: DPoP-Nonce?",
  });
}
