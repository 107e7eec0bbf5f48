// The ring of frames, in a database of its own: what is in it outlives the page that it explains.

import { transact } from "../storage/transaction.js";

const DATABASE = "holdfast-recorder";
const FRAMES = "frames";

/** Something that crossed the network. */
export interface Frame {
  /** ms since 1970. */
  at: number;
  /** Which page wrote it. */
  page: string;
  /** Which exchange of the page's. */
  x: number;
  what: "request" | "head" | "lines" | "body" | "end" | "failed" | "cancelled";
  [more: string]: unknown;
}

/** Writes frames in the order in which they come, a few at a time; keeps the newest. Never fails: a recorder that cannot write records nothing. */
export class FrameRing {
  readonly #most: number;
  #waiting: Frame[] = [];
  #writing: Promise<void> | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  add(frame: Frame): void {
    this.#waiting.push(frame);
    if (this.#waiting.length > this.#most) this.#waiting.splice(0, this.#waiting.length - this.#most);
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
  }

  /** Resolves when what came so far is written. */
  async written(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #write(): Promise<void> {
    try {
      const db = await open();
      try {
        while (this.#waiting.length > 0) {
          const frames = this.#waiting.splice(0);
          await transact(db, { stores: [FRAMES], mode: "readwrite" }, (tx, then) => {
            const store = tx.objectStore(FRAMES);
            let last: IDBRequest<IDBValidKey> | undefined;
            for (const frame of frames) last = store.add(frame);
            if (last) then(last, (key) => store.delete(IDBKeyRange.upperBound(Number(key) - this.#most)));
            return () => {};
          });
        }
      } finally {
        db.close();
      }
    } catch {
      this.#waiting = [];
    }
  }
}

/** All frames that there are, oldest first; none where there is no database. */
export async function readFrames(): Promise<Frame[]> {
  const db = await open();
  try {
    return await transact(db, { stores: [FRAMES], mode: "readonly" }, (tx) => {
      const all = tx.objectStore(FRAMES).getAll() as IDBRequest<Frame[]>;
      return () => all.result;
    });
  } finally {
    db.close();
  }
}

/** Deletes all frames, of all pages. */
export function deleteFrames(): Promise<void> {
  return open().then((db) => transact(db, { stores: [FRAMES], mode: "readwrite" }, (tx) => (tx.objectStore(FRAMES).clear(), () => {})).finally(() => db.close()));
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => void request.result.createObjectStore(FRAMES, { autoIncrement: true });
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
}
