import { isPlainPath } from "../shared/plainpath.js";
import { digest } from "./digest.js";

/**
 * The key that everything of one server and one user is stored under, so that
 * two users or two servers of an origin never see each other's (fault 82). The
 * origin is readable, for whoever looks into the database; the rest is hashed
 * with the principal, since a path or a query may hold a secret, and keys are not
 * sealed (fault 122).
 *
 * @param url address of the server, absolute; its fragment is ignored. Throws a TypeError where it is none.
 * @param principal whatever tells the users of this origin apart; "" for one user
 */
export async function serverKey(url: string, principal: string): Promise<string> {
  const { protocol, host, pathname, username, password, search } = new URL(url);
  const plain = isPlainPath(pathname); // it stays readable, and what the last build has stored there is still found
  const hidden = [username, password, search, principal];
  if (!plain) hidden.push(pathname);
  return `${protocol}//${host}${plain ? pathname : "/"}#${await digest(hidden)}`;
}

/**
 * Under which keys the last build kept what may belong to that server and user: it
 * left every path as it was, and kept under "" what was stored of users of whom
 * nothing said who they were. One of them may be that of another user of this build,
 * who has opened it: whoever deletes looks at that (former.ts).
 *
 * @param url address of the server, absolute
 * @param principal as for {@link serverKey}; undefined where nobody knows
 */
export async function formerKeys(url: string, principal: string | undefined): Promise<string[]> {
  const { protocol, host, pathname, username, password, search } = new URL(url);
  const keys = new Set<string>();
  for (const user of [principal ?? "", ""]) keys.add(`${protocol}//${host}${pathname}#${await digest([username, password, search, user])}`);
  if (principal !== undefined) keys.delete(await serverKey(url, principal));
  return [...keys];
}

/** What the store has for the app's own name of a call of that server and user: such names may be secrets. */
export function keyDigest(server: string, key: Uint8Array): Promise<string> {
  return digest([server, new TextDecoder().decode(key)]);
}

/**
 * Where a server is, for what is kept of it whoever the user: its address without
 * the query, and with its path hashed where that may hold a secret.
 *
 * @param url address of the server, absolute
 */
export async function placeOf(url: string): Promise<string> {
  const { origin, pathname } = new URL(url);
  return isPlainPath(pathname) ? origin + pathname : `${origin}/#${await digest([pathname])}`;
}

/** Whether a text may be one of placeOf: the last build kept paths as they were. */
export function isPlace(text: string): boolean {
  try {
    const { pathname, hash, search } = new URL(text);
    return search === "" && isPlainPath(pathname) && /^(#[0-9a-f]+)?$/.test(hash);
  } catch {
    return false;
  }
}
