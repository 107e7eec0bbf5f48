// Pages that leave for the authorization server by themselves, and are soon back with nothing that helps: what stops them.

import { AuthFailure } from "./failure.js";
import type { Hands } from "./hands.js";

/** So many pages, reloads included, leave within so many ms for one server by themselves: no person signs in as often. */
const TIMES = 5;
const WITHIN = 60_000;

/** The key of when pages left for a server, in ms since 1970. */
export function roundsKey(url: string): string {
  return `round/${url}`;
}

/** Notes that a page leaves for a server; reports whether that is too often, and then notes nothing. */
export async function goesRound(hands: Hands, url: string): Promise<boolean> {
  const key = roundsKey(url);
  for (;;) {
    const kept = await hands.store.get<number[]>(key);
    const now = hands.now();
    // A clock that was put back makes nothing recent.
    const recent = (kept?.value ?? []).filter((at) => Math.abs(now - at) < WITHIN);
    if (recent.length >= TIMES) return true;
    if (await hands.store.set(key, kept?.version ?? 0, [...recent, now])) return false;
  }
}

/** What an app is told then. */
export function wentRound(): AuthFailure {
  return new AuthFailure("auth/authorization", {
    code: "sign_in_required",
    message: `this page has left ${TIMES} times in a minute, and each time the server wanted a sign-in again`,
    hint: "Its server has to take what its authorization server gives, and that has to answer to redirectUrl, with the state that it was given. The app asks again from a click, by signIn().",
  });
}
