import { joinable } from "../connect/joinable.js";
import { tellWiped } from "../tabs/loggedout.js";
import { type KeptAuth, keptAuth } from "../storage/keptauth.js";
import { markWipe } from "../storage/marks.js";
import { forgetRevisions } from "../storage/revisions.js";
import { storageFailed } from "../storage/storagefailed.js";
import { wipeAll } from "../storage/wipeall.js"; // not by the store's door, behind which all of it is
import { clientPart } from "./loadauthorization.js";

/** How long, in ms, a wipe waits for authorization servers, and for what tells them, once all is deleted. */
const TELLS = 3_000;

/**
 * Deletes everything that Holdfast has stored for this origin: calls, results,
 * sessions, sign-ins and keys of all servers and users. For a logout. A call that has not
 * left ends `unsent`, in every tab; one under way is read to the end of its open stream, and then its client
 * is closed. Authorization servers hear after that that their tokens are not needed any
 * more, where they can be reached within three seconds. It resolves once each tab and worker where somebody
 * may sign in has ended what it had begun, or three seconds after they were told.
 */
export async function wipe(): Promise<void> {
  markWipe(); // first of all: whoever looks from here on signs nobody in
  forgetRevisions();
  joinable.clear(); // a client that is made from here on is the next user's
  const kept = keptAuth().catch(() => undefined); // what is stored goes all the same
  const deleted = kept.then(() => wipeAll());
  const patience = new AbortController();
  const heard = tellWiped(patience.signal, deleted); // those that there are begin nothing any more
  const signedOut = kept.then((rows) => signOutIfSignedIn(rows, deleted)).catch(() => {});
  await deleted.catch((error: unknown) => {
    patience.abort();
    throw storageFailed("wipe", error);
  });
  const timer = setTimeout(() => patience.abort(), TELLS);
  // what another tab begins from here on the app has asked for
  await Promise.all([atMost(TELLS, signedOut), heard]);
  clearTimeout(timer);
}

async function signOutIfSignedIn(kept: KeptAuth | undefined, deleted: Promise<void>): Promise<void> {
  // Tokens that are in the memory of this page alone have no row.
  if (!clientPart.here && !kept?.rows.length) return;
  const { signOutEverywhere } = clientPart.here ?? (await clientPart.load());
  await signOutEverywhere(kept, deleted);
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
