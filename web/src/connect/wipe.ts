import { joinable } from "./joinable.js";
import { forgetRevisions } from "../storage/revisions.js";
import { storageFailed } from "../storage/storagefailed.js";
import { wipeAll } from "../storage/wipeall.js"; // not by the store's door, behind which all of it is

/**
 * Deletes everything that Holdfast has stored for this origin: calls, results,
 * sessions and keys of all servers and users. For a logout. Clients that are open
 * go on in memory.
 */
export async function wipe(): Promise<void> {
  forgetRevisions();
  joinable.clear(); // a client that is made from here on is the next user's
  await wipeAll().catch((error: unknown) => {
    throw storageFailed("wipe", error);
  });
}
