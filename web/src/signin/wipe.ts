import { joinable } from "../connect/joinable.js";
import { hasAuthRows } from "../storage/hasauthrows.js";
import { forgetRevisions } from "../storage/revisions.js";
import { storageFailed } from "../storage/storagefailed.js";
import { wipeAll } from "../storage/wipeall.js"; // not by the store's door, behind which all of it is
import { clientPart } from "./loadauthorization.js";

/**
 * Deletes everything that Holdfast has stored for this origin: calls, results,
 * sessions, sign-ins and keys of all servers and users. For a logout. Clients that are open
 * go on in memory. Authorization servers hear that their tokens are not needed any more,
 * where they can be reached.
 */
export async function wipe(): Promise<void> {
  forgetRevisions();
  joinable.clear(); // a client that is made from here on is the next user's
  await signOutIfSignedIn().catch(() => {}); // what is stored goes all the same
  await wipeAll().catch((error: unknown) => {
    throw storageFailed("wipe", error);
  });
}

async function signOutIfSignedIn(): Promise<void> {
  // Tokens that are in the memory of this page alone have no row.
  if (!clientPart.here && !(await hasAuthRows())) return;
  const { signOutEverywhere } = clientPart.here ?? (await clientPart.load());
  await signOutEverywhere();
}
