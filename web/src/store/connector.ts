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
export interface Connection extends Identified {
  db: IDBDatabase;
}

/**
 * Holds the one handle of a store, lets go of it when others need the database
 * or it is dead, and opens a new one when asked.
 */
export class Connector {
  readonly #events: StoreEvents;
  #open: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #last: Identified | undefined;
  #closed = false;

  constructor(events: StoreEvents) {
    this.#events = events;
  }

  /** The open database, for work that cannot wait; undefined while there is none. */
  get current(): Connection | undefined {
    return this.#open;
  }

  /** The mark of the database that was open last: what the app believes is stored is in that one. */
  get mark(): string | undefined {
    return this.#last?.mark;
  }

  /** Returns the open database, or opens it. Rejects with a StoreError. */
  async connect(): Promise<Connection> {
    if (this.#open) return this.#open;
    this.#opening ??= this.#try().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** Forgets a handle that is dead. */
  drop(connection: Connection): void {
    if (this.#open === connection) this.#open = undefined;
    connection.db.close();
  }

  /** Ends it. Transactions that were started still complete. */
  close(): void {
    this.#closed = true;
    this.#open?.db.close();
    this.#open = undefined;
  }

  async #try(): Promise<Connection> {
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

  async #connect(): Promise<Connection> {
    if (this.#closed) throw closed();
    const db = await openDatabase(() => this.#events.onBlocked?.());
    let alive = true;
    db.onversionchange = (event) => {
      alive = false;
      db.close();
      if (this.#open?.db === db) this.#open = undefined;
      if (event.newVersion !== null) return this.#events.onLost?.("newer");
      // Deleted on purpose: a logout. A tab that went on writing would bring
      // back what the user wanted gone.
      this.close();
      this.#events.onLost?.("closed");
    };
    db.onclose = () => {
      alive = false;
      if (this.#open?.db !== db) return;
      this.#open = undefined;
      // Looks at once whether the data went with the handle: an idle page has
      // to know, too.
      this.connect().catch((error: unknown) => this.#events.onLost?.(storeError(error).reason));
    };
    try {
      const last = this.#last;
      const found = await identify(db);
      if (this.#closed) throw closed();
      if (!alive) throw new StoreError("lost", "the connection broke while it was made");
      this.#last = found;
      this.#open = { db, ...found };
      if (last && last.mark !== found.mark) this.#events.onCleared?.();
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
