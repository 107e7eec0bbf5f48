// Proof Key for Code Exchange (RFC 7636), and other values that nobody can guess.

import { AuthFailure } from "./failure.js";
import type { Hands } from "./hands.js";

/** Bytes as base64url without padding (RFC 7515 appendix C). */
export function base64url(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** 256 bits that nobody can guess: a state, a verifier, the id of a proof. */
export function unguessable(hands: Pick<Hands, "random">): string {
  return base64url(hands.random(32));
}

/** The SHA-256 of ASCII text, as base64url: a challenge of PKCE, the `ath` of a proof. */
export async function sha256(hands: Pick<Hands, "subtle">, text: string): Promise<string> {
  return base64url(new Uint8Array(await cipher(hands).digest("SHA-256", new TextEncoder().encode(text))));
}

/** WebCrypto; throws where the page has none. */
export function cipher({ subtle }: Pick<Hands, "subtle">): SubtleCrypto {
  if (subtle) return subtle;
  throw new AuthFailure("auth/authorization", {
    code: "bad_argument",
    message: "a page on plain http cannot sign in: it has no WebCrypto",
    hint: "Serve the page over https, or from localhost.",
  });
}

/** A verifier and its challenge. */
export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

/**
 * Makes a verifier of 43 characters, and its challenge. S256 is the only method: `plain` protects from
 * nothing.
 */
export async function makePkce(hands: Pick<Hands, "random" | "subtle">): Promise<Pkce> {
  const verifier = unguessable(hands);
  return { verifier, challenge: await sha256(hands, verifier) };
}
