import { forgetFormer, memoryStore, openStore, type Store, StoreError } from "../storage/storage.js";
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
    if (reason === "quota") return forgetFormerly([server]); // nothing of this build's is in it, or it would open
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

/** Deletes what the last build stored under other keys, and tells its pages. */
export async function forgetFormerly(servers: readonly string[]): Promise<void> {
  await forgetFormer(servers).catch((error: unknown) => {
    throw storageFailed("forget", error);
  });
  for (const server of servers) {
    const channel = new Channel(server, "", () => {});
    channel.send({ kind: "wiped", generation: "" });
    channel.close();
  }
}
