// The ring of frames, in a database of its own: what is in it outlives the page that it explains.

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
          await done(db, "readwrite", (store) => {
            let last: IDBRequest<IDBValidKey> | undefined;
            for (const frame of frames) last = store.add(frame);
            if (last) last.onsuccess = () => void store.delete(IDBKeyRange.upperBound(Number(last.result) - this.#most));
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
    let frames: Frame[] = [];
    await done(db, "readonly", (store) => {
      const all = store.getAll() as IDBRequest<Frame[]>;
      all.onsuccess = () => (frames = all.result);
    });
    return frames;
  } finally {
    db.close();
  }
}

/** Deletes all frames, of all pages. */
export function deleteFrames(): Promise<void> {
  return open().then((db) => done(db, "readwrite", (store) => void store.clear()).finally(() => db.close()));
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

function done(db: IDBDatabase, mode: IDBTransactionMode, run: (store: IDBObjectStore) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(FRAMES, mode);
    transaction.oncomplete = () => resolve();
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
    run(transaction.objectStore(FRAMES));
  });
}
