import { isPlainPath } from "../base/plainpath.js";
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
  const plain = isPlainPath(pathname); // it stays readable
  const hidden = [username, password, search, principal];
  if (!plain) hidden.push(pathname);
  return `${protocol}//${host}${plain ? pathname : "/"}#${await digest(hidden)}`;
}

/**
 * The digest that the store has for the app's own name of a call, by server and user: such names may be
 * secrets.
 */
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
