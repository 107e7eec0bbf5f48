// Signing out: what is kept goes at once, and then the authorization server is told.

import { endEpoch, serversOf } from "./epochs.js";
import { sweepFlows } from "./flow.js";
import { type Grant, grantKey } from "./grants.js";
import type { Hands } from "./hands.js";
import { revoke } from "./revocation.js";

/**
 * Forgets the grant for a server, then revokes it, as far as that can be done. Resolves
 * with whether the authorization server has taken it, or nothing was there to revoke.
 */
export async function signOut(hands: Hands, url: string): Promise<boolean> {
  // First of all: an answer that comes while this runs finds its flow ended.
  await endEpoch(hands, url);
  await sweepFlows(hands, url);
  const grant = await hands.locks.run(`auth/${url}`, async () => {
    for (;;) {
      const kept = await hands.store.get<Grant>(grantKey(url)); // also where it has ended
      if (!kept || (await hands.store.set(grantKey(url), kept.version, undefined))) return kept?.value;
    }
  });
  return grant ? revoke(hands, grant) : true;
}

/**
 * Signs out of all servers, and deletes all that is kept: for `wipe()`. `ended` gets the URL of
 * each, for the other tabs. Resolves with whether all of it is revoked.
 */
export async function signOutOfAll(hands: Hands, ended: (url: string) => void): Promise<boolean> {
  let all = true;
  const granted = (await hands.store.keys(grantKey(""))).map((key) => key.slice(grantKey("").length));
  // Where tokens are in the memory of tabs, what all know of is the epoch.
  for (const url of new Set([...granted, ...(await serversOf(hands))])) {
    all = (await signOut(hands, url)) && all;
    ended(url);
  }
  for (const key of await hands.store.keys("")) {
    const kept = await hands.store.get(key);
    if (kept) await hands.store.set(key, kept.version, undefined);
  }
  return all;
}
