// Signing out: what is kept goes at once, and then the authorization server is told.

import { grantKey, readGrant } from "./grants.js";
import type { Hands } from "./hands.js";
import { revoke } from "./revocation.js";

/**
 * Forgets the grant for a server, then revokes it, as far as that can be done. Resolves
 * with whether the authorization server has taken it, or nothing was there to revoke.
 */
export async function signOut(hands: Hands, url: string): Promise<boolean> {
  const grant = await hands.locks.run(`auth/${url}`, async () => {
    for (;;) {
      const kept = await readGrant(hands, url);
      if (!kept || (await hands.store.set(grantKey(url), kept.version, undefined))) return kept?.value;
    }
  });
  return grant ? revoke(hands, grant) : true;
}
