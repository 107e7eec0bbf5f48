import { identify, type Identified } from "./keys.js";
import { openDatabase } from "./open.js";
import { StoreError, type StoreEvents } from "./store.js";
import { storeError } from "./transaction.js";

/**
 * Pauses before the next try to connect, in ms, where a connection broke while
 * it was made. Chrome closes the handles before it clears the data, and closes
 * one that was opened meanwhile, too.
 */
const PAUSES = [20, 80, 320, 1_000];

/** An open database. */
export interface StoreConnection extends Identified {
  db: IDBDatabase;
}

/**
 * Holds the one handle of a store, lets go of it when others need the database
 * or it is dead, and opens a new one when asked.
 */
export class Connector {
  readonly #server: string;
  readonly #events: StoreEvents;
  #open: StoreConnection | undefined;
  #opening: Promise<StoreConnection> | undefined;
  #last: Identified | undefined;
  #closed = false;

  constructor(server: string, events: StoreEvents) {
    this.#server = server;
    this.#events = events;
  }

  /** The open database, for work that cannot wait; undefined while there is none. */
  get current(): StoreConnection | undefined {
    return this.#open;
  }

  /** The generation of the store; empty before it was opened. */
  get generation(): string {
    return this.#last?.generation ?? "";
  }

  /** True if the last look at the database found a key of the origin. */
  get seals(): boolean {
    return !!this.#last?.key;
  }

  /** Returns the open database, or opens it. Rejects with a StoreError. */
  async connect(): Promise<StoreConnection> {
    if (this.#open) return this.#open;
    this.#opening ??= this.#try().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** Forgets a handle that is dead. */
  drop(connection: StoreConnection): void {
    if (this.#open === connection) this.#open = undefined;
    connection.db.close();
  }

  /** Ends it. Transactions that were started still complete. */
  close(): void {
    this.#closed = true;
    this.#open?.db.close();
    this.#open = undefined;
  }

  /**
   * Ends it for good: what was stored has been deleted, as by a logout. A page that
   * went on writing would bring back what the user wanted gone.
   */
  end(): void {
    if (this.#closed) return;
    this.close();
    this.#events.onLost?.("closed");
  }

  async #try(): Promise<StoreConnection> {
    for (const pause of PAUSES) {
      try {
        return await this.#connect();
      } catch (error) {
        if (storeError(error).reason !== "lost") throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    return this.#connect();
  }

  async #connect(): Promise<StoreConnection> {
    if (this.#closed) throw closed();
    const last = this.#last;
    const db =
      await openDatabase(() => this.#events.onBlocked?.(), { make: !last }).catch((error: unknown) => {
      if (storeError(error).reason === "closed") this.end();
      throw error;
    });
    let alive = true;
    db.onversionchange = (event) => {
      alive = false;
      db.close();
      if (this.#open?.db === db) this.#open = undefined;
      if (event.newVersion !== null) return this.#events.onLost?.("newer");
      this.end();
    };
    db.onclose = () => {
      alive = false;
      if (this.#open?.db !== db) return;
      this.#open = undefined;
      // Looks at once whether the data went with the handle: an idle page has
      // to know, too. Where it did, that is reported already.
      this.connect()
        .catch((error: unknown) => this.#closed || this.#events.onLost?.(storeError(error).reason));
    };
    try {
      const found = await identify(db, this.#server, last);
      if (this.#closed) throw closed();
      // The database is gone: a user has cleared the site's data, a developer has deleted it, or a logout did
      // (Clear-Site-Data). No page can tell these apart, so all of them end the store.
      if (!found) this.end();
      if (!found) throw closed();
      if (!alive) throw new StoreError("lost", "the connection broke while it was made");
      this.#last = found;
      this.#open = { db, ...found };
      return this.#open;
    } catch (error) {
      db.close();
      throw storeError(error);
    }
  }
}

function closed(): StoreError {
  return new StoreError("closed", "the store was closed");
}
