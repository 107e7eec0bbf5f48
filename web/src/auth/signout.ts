// Signing out: what is kept goes at once, and then the authorization server is told.

import { endEpoch, begunSignIns } from "./epochs.js";
import { sweepFlows } from "./flow.js";
import { type Grant, grantKey } from "./grants.js";
import type { Hands } from "./hands.js";
import { revokeAll } from "./revocation.js";
import { roundsKey } from "./rounds.js";

/**
 * Forgets the grant of a sign-in, then revokes it, as far as that can be done. Resolves
 * with whether the authorization server has taken it, or nothing was there to revoke.
 */
export async function signOut(hands: Hands, signIn: string): Promise<boolean> {
  // First of all: an answer that comes while this runs finds its flow ended.
  await endEpoch(hands, signIn);
  await sweepFlows(hands, signIn);
  await take(hands, roundsKey(signIn));
  const grant = (await take(hands, grantKey(signIn))) as Grant | undefined;
  return revokeAll(hands, grant ? [grant] : []);
}

/**
 * Signs out of all servers: deletes all that is kept, and revokes it then. `ended` gets the key of
 * each, for the other tabs. Resolves with whether all of it is revoked.
 */
export async function signOutOfAll(hands: Hands, ended: (signIn: string) => void): Promise<boolean> {
  const granted = (await hands.store.keys(grantKey(""))).map((key) => key.slice(grantKey("").length));
  // Where tokens are in the memory of tabs, what all know of is the epoch.
  const all = new Set([...granted, ...(await begunSignIns(hands))]);
  for (const signIn of all) await endEpoch(hands, signIn);
  const grants: Grant[] = [];
  for (const key of await hands.store.keys("")) {
    const value = await take(hands, key);
    if (value !== undefined && key.startsWith(grantKey(""))) grants.push(value as Grant);
  }
  for (const signIn of all) ended(signIn);
  return revokeAll(hands, grants);
}

/**
 * Deletes what is kept under a key, and gives it, also where it has ended. Waits for nobody who
 * refreshes it: what comes for it then is revoked by whoever does.
 */
async function take(hands: Hands, key: string): Promise<unknown> {
  for (;;) {
    const kept = await hands.store.get(key);
    if (!kept || (await hands.store.set(key, kept.version, undefined))) return kept?.value;
  }
}
