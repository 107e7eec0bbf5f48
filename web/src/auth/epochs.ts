// The epoch of a sign-in. A sign-out ends it, and with it every flow that was begun before, wherever its
// answer still is.

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

/** A person's wish to sign in, or that of a page where nobody has logged out since. */
export interface Wish {
  /** The epoch, until a sign-out. It is random: behind a wipe there is another one. */
  readonly epoch: string;
  /** The marks of logouts that there were ({@link Hands.marks}). */
  readonly marks: string;
}

/** The mark of every sign-in since the last sign-out; undefined where there was none. */
export async function readEpoch(hands: Hands, signIn: string): Promise<string | undefined> {
  return (await hands.store.get<Wish>(keyOf(signIn)))?.value.epoch;
}

/**
 * The wish by which a sign-in begins. Behind a logout it is made where the app has asked for it, and there
 * alone: undefined for a sign-in that would begin by itself.
 */
export async function openWish(
  hands: Hands, signIn: string, isAsked: () => boolean,
): Promise<Wish | undefined> {
  for (;;) {
    const marks = await hands.marks();
    const kept = await hands.store.get<Wish>(keyOf(signIn));
    if (kept?.value.marks === marks) return kept.value;
    if (marks !== "" && !isAsked()) return undefined;
    const wish = { epoch: unguessable(hands), marks };
    if (await hands.store.set(keyOf(signIn), kept?.version ?? 0, wish)) return wish;
  }
}

/** True if the user has logged out since the wish: its epoch or its marks are former ones. */
export async function isOver(
  hands: Hands, { signIn, epoch, marks }: Wish & { readonly signIn: string },
): Promise<boolean> {
  return (await readEpoch(hands, signIn)) !== epoch || (await hands.marks()) !== marks;
}

/** The epoch of a program, which nobody clicks for. */
export async function openEpoch(hands: Hands, signIn: string): Promise<string> {
  return (await openWish(hands, signIn, () => true))!.epoch;
}

/** Ends the epoch of a sign-in. */
export async function endEpoch(hands: Hands, signIn: string): Promise<void> {
  for (;;) {
    const kept = await hands.store.get(keyOf(signIn));
    if (!kept || (await hands.store.set(keyOf(signIn), kept.version, undefined))) return;
  }
}
