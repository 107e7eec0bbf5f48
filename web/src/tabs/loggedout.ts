// Listeners that hear at once that one user of this origin has logged out (forget), or all have (wipe). They
// are the clients of this page or worker, and the clients elsewhere that their database does not tell.

import { hasBroadcast } from "./broadcast.js";
import { lockSnapshot } from "./lockqueries.js";
import { lock } from "./locks.js";

/** The name of the channel, and of the mark of the last wipe (storage/marks.ts). */
const CHANNEL = "holdfast.wiped";

/** How the names of the locks begin by which others know who hears: each has another name once it has heard of a wipe. */
const HEARS = "hears.";

/** Hears of a logout: of the user with that store, or of everybody. Its word is given once what it returns has settled. */
type Hears = (store?: string) => unknown;

const here: Set<Hears> = new Set();
const heard: Set<Hears> = new Set();
let channel: BroadcastChannel | undefined;
/** The lock that shows others that this page or worker listens, as long as it does. */
let lives: { readonly name: string; end(): void } | undefined;
/** The mark of the last wipe as this page went last; undefined before that. */
let markThen: string | null | undefined;

/** Has `gone` called by a logout here, and where `elsewhere` by one of another page. Returns what ends that. */
export function whenLoggedOut(gone: Hears, elsewhere: boolean): () => void {
  here.add(gone);
  if (elsewhere) heard.add(gone);
  if (elsewhere && !channel && hasBroadcast()) {
    channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      const told = tell(heard, typeof data === "string" ? data : undefined);
      if (typeof data !== "string") void told.then(live);
    };
    live();
    globalThis.addEventListener?.("pagehide", away); // the back/forward cache takes no page that has a lock
    globalThis.addEventListener?.("pageshow", back);
    (channel as { unref?: () => void }).unref?.(); // Node would wait for it; a browser has no such thing
  }
  return () => {
    here.delete(gone);
    heard.delete(gone);
    if (heard.size > 0) return;
    channel?.close();
    channel = undefined;
    die();
    globalThis.removeEventListener?.("pagehide", away);
    globalThis.removeEventListener?.("pageshow", back);
  };
}

/** Lets go of the name that it is known by, and takes another one: that is its word. */
function live(): void {
  die();
  if (!channel) return;
  const over = new AbortController();
  const name = HEARS + crypto.randomUUID();
  const held = lock(name, over.signal);
  const end = (): void => {
    over.abort();
    void held.then((release) => release?.());
  };
  lives = { name: `holdfast.${name}`, end };
}

function die(): void {
  lives?.end();
  lives = undefined;
}

/** The page goes, perhaps to the back/forward cache, where it hears nothing. */
function away(): void {
  die();
  markThen = wipeMark();
}

function wipeMark(): string | null | undefined {
  try {
    return globalThis.localStorage?.getItem(CHANNEL);
  } catch {
    return undefined; // it may store nothing
  }
}

/** The page is there, or there again: a wipe that it has not heard of is told now. */
function back(): void {
  if (markThen !== undefined && wipeMark() !== markThen) void tell(heard);
  live();
}

/** Tells all of them that the user with that store has logged out, or everybody. */
export function tellLoggedOut(store?: string): void {
  void tell(here, store);
  post(store);
}

/**
 * Tells all of them that everybody has logged out: those of this page at once, and the others when all is `deleted`, so that none finds
 * anything of before. Resolves when each that lives has done what follows, or once `patience` is aborted.
 */
export async function tellWiped(patience: AbortSignal, deleted: Promise<unknown>): Promise<void> {
  const told = tell(here);
  await deleted.catch(() => {}); // they are told all the same
  const late = new Promise<void>((resolve) => patience.addEventListener("abort", () => resolve(), { once: true }));
  if (patience.aborted) return post();
  const { held = [] } = await lockSnapshot().catch(() => ({}) as LockManagerSnapshot); // before they hear: who has heard has another name
  const others = held.map(({ name = "" }) => name).filter((name) => name.startsWith(`holdfast.${HEARS}`) && name !== lives?.name);
  post();
  const gone = others.map((name) => navigator.locks.request(name, { mode: "shared", signal: patience }, () => {}).catch(() => {}));
  await Promise.race([Promise.all([told, ...gone]), late]);
}

function post(store?: string): void {
  if (!hasBroadcast()) return;
  const others = new BroadcastChannel(CHANNEL);
  others.postMessage(store ?? null);
  others.close();
}

async function tell(clients: ReadonlySet<Hears>, store?: string): Promise<void> {
  await Promise.allSettled([...clients].map((gone) => gone(store)));
}
