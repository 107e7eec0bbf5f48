// JSON Web Tokens that this client signs (RFC 7515): proofs of possession, and assertions of who it is.

import type { Hands } from "./hands.js";
import { base64url, cipher } from "./pkce.js";

/** The algorithms that are signed with. The best first. */
export type SigningAlgorithm = "ES256" | "PS256" | "RS256";

/** How each is named in WebCrypto: to make a key, and to sign. */
export const SIGNING: Readonly<Record<
  SigningAlgorithm,
  { make: EcKeyGenParams | RsaHashedKeyGenParams; sign: EcdsaParams | RsaPssParams | Algorithm }
>> = {
  ES256: { make: { name: "ECDSA", namedCurve: "P-256" }, sign: { name: "ECDSA", hash: "SHA-256" } },
  PS256: { make: rsa("RSA-PSS"), sign: { name: "RSA-PSS", saltLength: 32 } },
  RS256: { make: rsa("RSASSA-PKCS1-v1_5"), sign: { name: "RSASSA-PKCS1-v1_5" } },
};

function rsa(name: string): RsaHashedKeyGenParams {
  return { name, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" };
}

/** Signs a token. The header gets its `alg`. */
export async function signedToken(
  hands: Pick<Hands, "subtle">, algorithm: SigningAlgorithm, key: CryptoKey, header: object, payload: object,
): Promise<string> {
  const text = `${encode({ ...header, alg: algorithm })}.${encode(payload)}`;
  const signature = await cipher(hands).sign(SIGNING[algorithm].sign, key, new TextEncoder().encode(text));
  return `${text}.${base64url(new Uint8Array(signature))}`;
}

function encode(value: object): string {
  return base64url(new TextEncoder().encode(JSON.stringify(value)));
}
