// The place of a sign-in: its store, its channel and its memory, in a page or in a worker.

import type { AskedPages } from "./askedpages.js";
import type { AuthChannel } from "./browser.js";
import type { AuthPlace } from "./opensignin.js";
import { AuthRows, openedRows } from "../storage/authrows.js";
import { Connector, type StoreConnection } from "../storage/connector.js";
import { digest } from "../storage/digest.js";
import { markSignOut, signInMarks } from "../storage/marks.js";
import type { KeptAuth } from "../storage/keptauth.js";
import { storeError } from "../storage/transaction.js";
import { hasBroadcast } from "../tabs/broadcast.js";
import { exclusively } from "../tabs/lease.js";
import { whenLoggedOut } from "../tabs/loggedout.js";

/** Key of the store that holds the rows of all sign-ins of the origin. No server has this key. */
const AUTH = "auth";

let connector: Connector | undefined;

/** Resolves once rows of earlier builds are deleted, as far as the browser deletes them. */
let dropped: Promise<void> | undefined;

/** Rows that this page keeps in its memory alone. */
const memory: AuthPlace["memory"] = new Map();

/** The rows of all sign-ins of this origin; undefined where nothing can be stored. */
async function authRows(): Promise<AuthRows | undefined> {
  // After a wipe it is closed for good: who signs in again begins with an empty database.
  const connect = (): ReturnType<Connector["connect"]> =>
    (
      connector ??= new Connector(AUTH, {
        onLost: (why) => void (why === "closed" && (connector = undefined)),
      })
    ).connect();
  if (!(await opened(connect))?.key) return undefined;
  const rows = new AuthRows(connect);
  await (dropped ??= rows.dropFormer().catch(() => {}));
  return rows;
}

/** How often an empty database is opened where everybody logs out meanwhile. */
const WIPES = 5;

/**
 * The open connection. A wipe during the opening ends one connection; rows after the wipe are stored all the
 * same.
 */
async function opened(connect: Connector["connect"]): Promise<StoreConnection | undefined> {
  for (let wipes = 0; ; wipes++) {
    try {
      return await connect();
    } catch (error) {
      if (wipes >= WIPES || storeError(error).reason !== "closed") return undefined;
    }
  }
}

/**
 * Where the sign-in at a server is, in this page; or in this worker, with the pages that it asks. Its channel
 * is the page's or worker's, until that goes.
 */
export async function authPlace(pages?: AskedPages): Promise<AuthPlace> {
  return { ...placeOf(await authRows(), memory), ...(pages && { pages }) };
}

/**
 * Takes all tokens out of the memory of this page. What is given puts them, and what was stored, in a place
 * of their own, to be revoked.
 */
export function leftPlace(): (kept: KeptAuth | undefined) => Promise<AuthPlace> {
  const tokens = [...memory];
  memory.clear();
  return async (kept) => placeOf(undefined, new Map([...(kept ? await openedRows(kept) : []), ...tokens]));
}

function placeOf(store: AuthRows | undefined, memory: AuthPlace["memory"]): AuthPlace {
  const inPage = typeof document !== "undefined";
  return {
    store,
    memory,
    digest,
    locks: { run: exclusively },
    whenWiped: (gone) => void whenLoggedOut((store) => (store === undefined ? gone() : undefined), true),
    ...(inPage && { page: window, logouts: { marks: signInMarks, mark: markSignOut } }),
    ...(hasBroadcast() && {
      channel: (name: string) => ({
        port: new BroadcastChannel(name) as AuthChannel, origin: location.origin,
      })
    }),
  };
}
