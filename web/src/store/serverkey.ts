/**
 * The key that everything of one server and one user is stored under, so that
 * two users or two servers of an origin never see each other's (fault 82). The
 * address is readable up to its path, for whoever looks into the database; the
 * rest is hashed with the principal, since a query may hold a secret and keys
 * are not sealed.
 *
 * @param url address of the server, absolute; its fragment is ignored. Throws a TypeError where it is none.
 * @param principal whatever tells the users of this origin apart; "" for one user
 */
export async function serverKey(url: string, principal: string): Promise<string> {
  const { protocol, host, pathname, username, password, search } = new URL(url);
  // A frame of JSON: no two pairs of parts give the same text.
  const hidden = new TextEncoder().encode(JSON.stringify([username, password, search, principal]));
  return `${protocol}//${host}${pathname}#${await digest(hidden)}`;
}

/** SHA-256 in hex. crypto.subtle is not there on plain http, where FNV-1a has to do: it keeps apart, it hides nothing. */
async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (!subtle) return fnv1a(bytes);
  let hex = "";
  for (const byte of new Uint8Array(await subtle.digest("SHA-256", bytes))) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

/** FNV-1a of 64 bits: with 32, one pair of users in a few ten thousand would meet. */
function fnv1a(bytes: Uint8Array): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, "0");
}
