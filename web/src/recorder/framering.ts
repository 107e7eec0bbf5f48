// The rings of frames, one of each server and user, in a database of their own: what is in them outlives the page or worker that they explain.

import { openAny } from "../storage/openany.js";
import { FRAMES, framesOf, RINGS, TRACES } from "../storage/traces.js";
import { transact } from "../storage/transaction.js";

/** Something that crossed the network. */
export interface Frame {
  /** ms since 1970. */
  at: number;
  /** Which recording wrote it: that of a page, or of a client in a worker. */
  page: string;
  /** Which exchange of that. */
  x: number;
  what: "request" | "head" | "lines" | "body" | "end" | "failed" | "cancelled";
  [more: string]: unknown;
}

/** What is stored of a ring: its random mark, by which whoever writes knows whether it was forgotten; and the next frame's number. */
interface Ring {
  mark: string;
  next: number;
}

/**
 * Writes the frames of a server and user in the order in which they come, a few at a time; keeps the newest. Never fails: one that cannot
 * write records nothing. Once what was stored has been forgotten it writes no more (fault 456).
 */
export class FrameRing {
  /** Resolves when the ring is there: what is forgotten from here on stays forgotten. */
  readonly begun: Promise<void>;
  readonly #server: string;
  readonly #most: number;
  #mark: string | undefined;
  #state: "open" | "over" = "open";
  #waiting: Frame[] = [];
  #writing: Promise<void> | undefined;

  constructor(server: string, most: number) {
    this.#server = server;
    this.#most = most;
    this.begun = this.#begin();
  }

  add(frame: Frame): void {
    if (this.#state === "over") return;
    this.#waiting.push(frame);
    if (this.#waiting.length > this.#most) this.#waiting.splice(0, this.#waiting.length - this.#most);
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
  }

  /** Resolves when what came so far is written. */
  async written(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #begin(): Promise<void> {
    try {
      const db = await open();
      try {
        this.#mark = await transact(db, { stores: [RINGS], mode: "readwrite" }, (tx, then) => {
          const rings = tx.objectStore(RINGS);
          let mark = "";
          then(rings.get(this.#server) as IDBRequest<Ring | undefined>, (ring) => {
            mark = ring?.mark ?? Math.random().toString(36).slice(2);
            if (!ring) rings.put({ mark, next: 0 } satisfies Ring, this.#server);
          });
          return () => mark;
        });
      } finally {
        db.close();
      }
    } catch {
      this.#end();
    }
  }

  async #write(): Promise<void> {
    await this.begun;
    while (this.#waiting.length > 0) {
      const frames = this.#waiting.splice(0);
      try {
        const db = await open();
        try {
          if (!(await this.#store(db, frames))) this.#end();
        } finally {
          db.close();
        }
      } catch {
        this.#waiting = [];
      }
    }
  }

  /** Stores frames; reports whether the ring is still there. */
  #store(db: IDBDatabase, frames: readonly Frame[]): Promise<boolean> {
    return transact(db, { stores: [FRAMES, RINGS], mode: "readwrite" }, (tx, then) => {
      const [rings, stored] = [tx.objectStore(RINGS), tx.objectStore(FRAMES)];
      let isThere = false;
      then(rings.get(this.#server) as IDBRequest<Ring | undefined>, (ring) => {
        isThere = ring !== undefined && ring.mark === this.#mark;
        if (!ring || !isThere) return;
        let { next } = ring;
        for (const frame of frames) stored.put(frame, [this.#server, next++]);
        rings.put({ mark: ring.mark, next } satisfies Ring, this.#server);
        if (next > this.#most) stored.delete(framesOf(this.#server, next - this.#most - 1));
      });
      return () => isThere;
    });
  }

  #end(): void {
    this.#state = "over";
    this.#waiting = [];
  }
}

/** All frames of a server and user, oldest first; none where nothing was recorded. Rejects with a StoreError. */
export async function readFrames(server: string): Promise<Frame[]> {
  const db = await openAny(TRACES);
  if (!db) return [];
  try {
    return await transact(db, { stores: [FRAMES], mode: "readonly" }, (tx) => {
      const all = tx.objectStore(FRAMES).getAll(framesOf(server)) as IDBRequest<Frame[]>;
      return () => all.result;
    });
  } finally {
    db.close();
  }
}

/** Deletes the frames that a server and user have so far. What records them goes on. Rejects with a StoreError. */
export async function clearFrames(server: string): Promise<void> {
  const db = await openAny(TRACES);
  if (!db) return;
  try {
    await transact(db, { stores: [FRAMES], mode: "readwrite" }, (tx) => (tx.objectStore(FRAMES).delete(framesOf(server)), () => {}));
  } finally {
    db.close();
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(TRACES, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(FRAMES);
      request.result.createObjectStore(RINGS);
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
}
