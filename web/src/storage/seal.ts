import { type Bytes, own } from "./rows.js";

const ALGORITHM = "AES-GCM";

/** Bytes of the random number in front of each ciphertext. */
const IV_BYTES = 12;

/** The key of a record as associated data: a ciphertext that was moved to another row does not open. */
export type Identity = readonly (string | number)[];

/**
 * Makes the key of an origin: it can be used and stored, and never read. Null where there is no cipher (plain
 * http).
 */
export async function makeKey(): Promise<CryptoKey | null> {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (!subtle) return null;
  return subtle.generateKey({ name: ALGORITHM, length: 256 }, false, ["encrypt", "decrypt"]);
}

/** True if a value from the database is a key to seal with. */
export function isKey(value: unknown): value is CryptoKey {
  return (
    typeof CryptoKey === "function" &&
    value instanceof CryptoKey &&
    value.algorithm.name === ALGORITHM &&
    value.usages.includes("encrypt") &&
    value.usages.includes("decrypt")
  );
}

/** Seals a secret: a fresh random number, then the ciphertext. */
export async function seal(key: CryptoKey, row: Identity, secret: Uint8Array): Promise<Bytes> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const text =
    await crypto.subtle.encrypt({ name: ALGORITHM, iv, additionalData: name(row) }, key, own(secret));
  const sealed = new Uint8Array(IV_BYTES + text.byteLength);
  sealed.set(iv);
  sealed.set(new Uint8Array(text), IV_BYTES);
  return sealed;
}

/** Opens what seal made; null for anything else, and where there is no key. */
export async function unseal(
  key: CryptoKey | null, row: Identity, sealed: Bytes | null,
): Promise<Bytes | null> {
  if (!key || !sealed) return null;
  try {
    const iv = sealed.subarray(0, IV_BYTES);
    const text = sealed.subarray(IV_BYTES);
    return new Uint8Array(
      await crypto.subtle.decrypt({ name: ALGORITHM, iv, additionalData: name(row) }, key, text),
    );
  } catch {
    return null;
  }
}

function name(row: Identity): Bytes {
  return new TextEncoder().encode(JSON.stringify(row)) as Bytes;
}
