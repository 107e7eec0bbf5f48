import { IDBFactory, IDBKeyRange } from "fake-indexeddb";

globalThis.IDBKeyRange = IDBKeyRange as typeof globalThis.IDBKeyRange;

/** An empty IndexedDB in place of the global one. It keeps the handles that it gave out, to break them. */
export class Shim {
  readonly factory: IDBFactory = new IDBFactory() as IDBFactory;
  readonly handles: IDBDatabase[] = [];

  constructor() {
    const open = this.factory.open.bind(this.factory);
    this.factory.open = (name, version) => {
      const request = open(name, version);
      request.addEventListener("success", () => this.handles.push(request.result));
      return request;
    };
    globalThis.indexedDB = this.factory;
  }

  /** The handle that was given out last. */
  get handle(): IDBDatabase {
    return this.handles.at(-1)!;
  }

  /** Has `change` see each transaction of the newest handle before its user does. */
  spoil(change: (tx: IDBTransaction) => void): void {
    const db = this.handle;
    const transaction = db.transaction.bind(db);
    db.transaction = (...args) => {
      const tx = transaction(...args);
      change(tx);
      return tx;
    };
  }

  /** Opens the database as another tab would, whatever its version says. */
  other(version?: number, listen?: (request: IDBOpenDBRequest) => void): Promise<IDBDatabase> {
    const request = this.factory.open("holdfast", version);
    listen?.(request);
    return new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  }

  /** Changes what is stored behind everybody's back. */
  async edit(store: string, change: (store: IDBObjectStore) => void): Promise<void> {
    const db = await this.other();
    const tx = db.transaction(store, "readwrite");
    change(tx.objectStore(store));
    await new Promise<void>((resolve, reject) => {
      tx.oncomplete = () => resolve();
      tx.onabort = () => reject(tx.error);
    });
    db.close();
  }

  /** Reads all that is stored, by object store. */
  async dump(): Promise<Record<string, any[]>> {
    const db = await this.other();
    const found: Record<string, any[]> = {};
    const names = [...db.objectStoreNames];
    if (names.length === 0) {
      db.close();
      // there was none
      await new Promise((resolve) => (this.factory.deleteDatabase("holdfast").onsuccess = resolve));
      return found;
    }
    const tx = db.transaction(names, "readonly");
    for (const name of names) {
      const request = tx.objectStore(name).getAll();
      request.onsuccess = () => (found[name] = request.result);
    }
    await new Promise<void>((resolve) => (tx.oncomplete = () => resolve()));
    db.close();
    return found;
  }
}

/**
 * No room is left: a transaction that adds anything aborts once its requests have succeeded, as in Chrome;
 * one that only deletes goes through. Where `has` says so there is room.
 */
export function full(shim: Shim, has: (tx: IDBTransaction) => boolean = () => false): () => void {
  const proto = Object.getPrototypeOf(shim.handle) as IDBDatabase;
  const { transaction } = proto;
  proto.transaction = function (this: IDBDatabase, ...args) {
    const tx = transaction.apply(this, args);
    if (has(tx)) return tx;
    tx.commit = () => undefined;
    const objectStore = tx.objectStore.bind(tx);
    const abort = (): void => (tx as unknown as { _abort(name: string): void })._abort("QuotaExceededError");
    tx.objectStore = (name) => {
      const store = objectStore(name);
      for (const method of ["add", "put"] as const) {
        const write = store[method].bind(store);
        store[method] = (value) => {
          const request = write(value);
          request.addEventListener("success", abort);
          return request;
        };
      }
      return store;
    };
    return tx;
  };
  return () => (proto.transaction = transaction);
}

/** Waits until `done` says so: for events that come by themselves. */
export async function until(done: () => boolean): Promise<void> {
  for (let i = 0; !done(); i++) {
    if (i > 500) throw new Error("it never came to that");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Runs with a global in place of the real one, which comes back afterwards. */
export async function withGlobal(
  name: string, property: PropertyDescriptor, run: () => Promise<void>,
): Promise<void> {
  const real = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { configurable: true, ...property });
  try {
    await run();
  } finally {
    if (real) Object.defineProperty(globalThis, name, real);
    else delete (globalThis as Record<string, unknown>)[name];
  }
}
