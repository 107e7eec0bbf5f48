// Who hears at once that all users of this origin have logged out (wipe), or one (forget): the clients of this page or
// worker, and of others those whose database does not tell them.

import { hasBroadcast } from "./broadcast.js";

const CHANNEL = "holdfast.wiped";

/** Hears of a logout: of the user with that store, or of everybody. */
type Hears = (store?: string) => void;

const here: Set<Hears> = new Set();
const heard: Set<Hears> = new Set();
let channel: BroadcastChannel | undefined;

/** Has `gone` called by a logout here, and where `elsewhere` by one of another page. Returns what ends that. */
export function whenLoggedOut(gone: Hears, elsewhere: boolean): () => void {
  here.add(gone);
  if (elsewhere) heard.add(gone);
  if (elsewhere && !channel && hasBroadcast()) {
    channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = ({ data }: MessageEvent<unknown>) => tell(heard, typeof data === "string" ? data : undefined);
    (channel as { unref?: () => void }).unref?.(); // Node would wait for it; a browser has no such thing
  }
  return () => {
    here.delete(gone);
    heard.delete(gone);
    if (heard.size > 0) return;
    channel?.close();
    channel = undefined;
  };
}

/** Tells all of them that the user with that store has logged out, or everybody. */
export function tellLoggedOut(store?: string): void {
  tell(here, store);
  if (!hasBroadcast()) return;
  const others = new BroadcastChannel(CHANNEL);
  others.postMessage(store ?? null);
  others.close();
}

function tell(clients: ReadonlySet<Hears>, store: string | undefined): void {
  for (const gone of [...clients]) gone(store);
}
