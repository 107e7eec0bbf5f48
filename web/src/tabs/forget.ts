import { forgetUnopened, memoryStore, openStore, type Store, StoreError } from "../storage/storage.js";
import { storageFailed } from "../storage/storagefailed.js";
import { forgetTraces } from "../storage/traces.js";
import { Channel } from "./channel.js";
import { tellLoggedOut } from "./loggedout.js";

/**
 * Deletes all that is stored of a server and user, and tells the other pages to
 * write no more. Works with a store of its own, since the client's may be closed.
 */
export async function forgetStored(server: string): Promise<void> {
  const traces = forgetTraces(server).catch((error: unknown) => {
    throw storageFailed("forget", error);
  });
  traces.catch(() => {}); // waited for below
  tellLoggedOut(server);
  await forgetRows(server);
  await traces;
}

async function forgetRows(server: string): Promise<void> {
  const options = { server, tab: "" };
  const memory = memoryStore(options);
  await memory.forget();
  memory.close();
  let store: Store;
  try {
    store = await openStore(options);
  } catch (error) {
    const reason = error instanceof StoreError && error.reason;
    if (reason === "missing") return; // so nothing is in it
    if (reason === "quota") return forgetWithoutRoom(server);
    throw storageFailed("forget", error);
  }
  const channel = new Channel(server, "", () => {});
  try {
    const generation = await store.forget().catch((error: unknown) => {
      if (error instanceof StoreError && error.reason === "closed") return store.generation; // another page has just done it
      throw storageFailed("forget", error);
    });
    channel.send({ kind: "wiped", generation });
  } finally {
    channel.close();
    store.close();
  }
}

/** The same of a store that does not open: as a rule there is nothing in it, and other pages have theirs in memory. */
async function forgetWithoutRoom(server: string): Promise<void> {
  await forgetUnopened(server).catch((error: unknown) => {
    throw storageFailed("forget", error);
  });
  const channel = new Channel(server, "", () => {});
  channel.send({ kind: "wiped", generation: "" });
  channel.close();
}
