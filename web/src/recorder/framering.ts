// The rings of frames, one of each server and user, in a database of their own: what is in them outlives the
// page or worker that they explain.

import { openAny } from "../storage/openany.js";
import { isKey, makeKey, seal, unseal } from "../storage/seal.js";
import { FRAMES, framesOf, RINGS, TRACES } from "../storage/traces.js";
import { transact } from "../storage/transaction.js";

/** Something that crossed the network. */
export interface Frame {
  /** ms since 1970. */
  at: number;
  /** The recording that wrote the frame: that of a page, or of a client in a worker. */
  page: string;
  /** The exchange within that recording. */
  x: number;
  what: "request" | "head" | "lines" | "body" | "end" | "failed" | "cancelled" | "unreadable";
  [more: string]: unknown;
}

/**
 * The stored head of a ring: its random mark, by which a writer knows whether the ring was forgotten; the
 * next frame's number; the key that seals its frames.
 */
interface Ring {
  mark: string;
  next: number;
  key?: CryptoKey;
}

/** A frame of which all but when it was, and where, is sealed. */
interface SealedFrame extends Pick<Frame, "at" | "page" | "x"> {
  sealed: Uint8Array<ArrayBuffer>;
}

/**
 * Writes the frames of a server and user in the order in which they come, a few at a time; keeps the newest.
 * Never fails: one that cannot write records nothing. Once what was stored has been forgotten it writes no
 * more (fault 456).
 */
export class FrameRing {
  /** Resolves when the ring is there: what is forgotten from here on stays forgotten. */
  readonly begun: Promise<void>;
  readonly #server: string;
  readonly #most: number;
  readonly #seals: boolean;
  #mark: string | undefined;
  #key: CryptoKey | undefined;
  #state: "open" | "over" = "open";
  #waiting: Frame[] = [];
  #writing: Promise<void> | undefined;

  /**
   * `seals`: where the app has everything sealed that is stored. Without a cipher nothing is recorded then.
   */
  constructor(server: string, most: number, seals: boolean) {
    this.#server = server;
    this.#most = most;
    this.#seals = seals;
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
      const made = this.#seals ? await makeKey() : null;
      if (this.#seals && !made) return this.#end();
      const db = await open();
      try {
        this.#mark = await transact(db, { stores: [FRAMES, RINGS], mode: "readwrite" }, (tx, then) => {
          const rings = tx.objectStore(RINGS);
          let mark = "";
          then(rings.get(this.#server) as IDBRequest<Ring | undefined>, (ring) => {
            mark = ring?.mark ?? Math.random().toString(36).slice(2);
            if (made) this.#key = isKey(ring?.key) ? ring.key : made;
            if (ring && ring.key === this.#key) return;
            rings.put(
              { next: 0, ...ring, mark, ...(this.#key && { key: this.#key }) } satisfies Ring, this.#server,
            );
            if (this.#key) tx.objectStore(FRAMES).delete(framesOf(this.#server)); // of before, in plain
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
      try {
        const frames = await Promise.all(this.#waiting.splice(0).map((frame) => this.#sealed(frame)));
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

  async #sealed(frame: Frame): Promise<Frame | SealedFrame> {
    if (!this.#key) return frame;
    const { at, page, x } = frame;
    return {
      at, page, x,
      sealed: await seal(
        this.#key, [this.#server, this.#mark!], new TextEncoder().encode(JSON.stringify(frame)),
      ),
    };
  }

  /** Stores frames; reports whether the ring is still there. */
  #store(db: IDBDatabase, frames: readonly (Frame | SealedFrame)[]): Promise<boolean> {
    return transact(db, { stores: [FRAMES, RINGS], mode: "readwrite" }, (tx, then) => {
      const [rings, stored] = [tx.objectStore(RINGS), tx.objectStore(FRAMES)];
      let isThere = false;
      then(rings.get(this.#server) as IDBRequest<Ring | undefined>, (ring) => {
        isThere = ring !== undefined && ring.mark === this.#mark;
        if (!ring || !isThere) return;
        let { next } = ring;
        for (const frame of frames) stored.put(frame, [this.#server, next++]);
        rings.put({ ...ring, next } satisfies Ring, this.#server);
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

/**
 * All frames of a server and user, oldest first; none where nothing was recorded. One that does not open says
 * so. Rejects with a StoreError.
 */
export async function readFrames(server: string): Promise<Frame[]> {
  const db = await openAny(TRACES);
  if (!db) return [];
  try {
    const { all, ring } = await transact(db, { stores: [FRAMES, RINGS], mode: "readonly" }, (tx) => {
      const all = tx.objectStore(FRAMES).getAll(framesOf(server)) as IDBRequest<(Frame | SealedFrame)[]>;
      const ring = tx.objectStore(RINGS).get(server) as IDBRequest<Ring | undefined>;
      return () => ({ all: all.result, ring: ring.result });
    });
    return await Promise.all(
      all.map((frame) => ("sealed" in frame ? opened(frame as SealedFrame, server, ring) : frame)),
    );
  } finally {
    db.close();
  }
}

async function opened(
  { at, page, x, sealed }: SealedFrame, server: string, ring: Ring | undefined,
): Promise<Frame> {
  const text = await unseal(ring && isKey(ring.key) ? ring.key : null, [server, ring?.mark ?? ""], sealed);
  return text ? (JSON.parse(new TextDecoder().decode(text)) as Frame) : { at, page, x, what: "unreadable" };
}

/**
 * Deletes the frames that a server and user have so far. What records them goes on. Rejects with a
 * StoreError.
 */
export async function clearFrames(server: string): Promise<void> {
  const db = await openAny(TRACES);
  if (!db) return;
  try {
    await transact(
      db, { stores: [FRAMES], mode: "readwrite" },
      (tx) => (tx.objectStore(FRAMES).delete(framesOf(server)), () => {}),
    );
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
