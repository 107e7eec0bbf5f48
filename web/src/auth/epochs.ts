// What ends with a sign-out: every flow that was begun before it, wherever its answer still is.

import type { Hands } from "./hands.js";
import { unguessable } from "./pkce.js";

const EPOCH = "epoch/";

function keyOf(url: string): string {
  return EPOCH + url;
}

/** The servers that somebody has begun to sign in at, and has not signed out of. */
export async function serversOf(hands: Hands): Promise<string[]> {
  return (await hands.store.keys(EPOCH)).map((key) => key.slice(EPOCH.length));
}

/** The mark of all that was begun since somebody last signed out of a server; undefined where nothing was. */
export async function readEpoch(hands: Hands, url: string): Promise<string | undefined> {
  return (await hands.store.get<string>(keyOf(url)))?.value;
}

/** The same, made where there is none. It is random: what was wiped comes back as another one. */
export async function openEpoch(hands: Hands, url: string): Promise<string> {
  for (;;) {
    const epoch = await readEpoch(hands, url);
    if (epoch !== undefined) return epoch;
    await hands.store.set(keyOf(url), 0, unguessable(hands));
  }
}

/** Ends it. */
export async function endEpoch(hands: Hands, url: string): Promise<void> {
  for (;;) {
    const kept = await hands.store.get(keyOf(url));
    if (!kept || (await hands.store.set(keyOf(url), kept.version, undefined))) return;
  }
}
