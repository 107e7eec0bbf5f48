// What ends with a sign-out: every flow that was begun before it, wherever its answer still is.

import type { Hands } from "./hands.js";
import { unguessable } from "./pkce.js";

const EPOCH = "epoch/";

function keyOf(signIn: string): string {
  return EPOCH + signIn;
}

/** The sign-ins that somebody has begun, and has not signed out of. */
export async function begunSignIns(hands: Hands): Promise<string[]> {
  return (await hands.store.keys(EPOCH)).map((key) => key.slice(EPOCH.length));
}

/** The mark of all that was begun since somebody last signed out; undefined where nothing was. */
export async function readEpoch(hands: Hands, signIn: string): Promise<string | undefined> {
  return (await hands.store.get<string>(keyOf(signIn)))?.value;
}

/** The same, made where there is none. It is random: what was wiped comes back as another one. */
export async function openEpoch(hands: Hands, signIn: string): Promise<string> {
  for (;;) {
    const epoch = await readEpoch(hands, signIn);
    if (epoch !== undefined) return epoch;
    await hands.store.set(keyOf(signIn), 0, unguessable(hands));
  }
}

/** Ends it. */
export async function endEpoch(hands: Hands, signIn: string): Promise<void> {
  for (;;) {
    const kept = await hands.store.get(keyOf(signIn));
    if (!kept || (await hands.store.set(keyOf(signIn), kept.version, undefined))) return;
  }
}
