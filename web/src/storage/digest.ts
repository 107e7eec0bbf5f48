/**
 * The SHA-256 of the parts in hex, where the parts must not be readable. Plain http has no crypto.subtle:
 * FNV-1a takes its place there, which keeps parts apart and hides nothing.
 */
export async function digest(parts: readonly string[]): Promise<string> {
  // A frame of JSON: no two lists of parts give the same text.
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (!subtle) return fnv1a(bytes);
  return Array.from(
    new Uint8Array(await subtle.digest("SHA-256", bytes)), (byte) => byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** FNV-1a of 64 bits: with 32, one pair of users in a few ten thousand would meet. */
function fnv1a(bytes: Uint8Array): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, "0");
}
