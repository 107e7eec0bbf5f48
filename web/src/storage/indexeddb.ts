import { claimed } from "./callkeys.js";
import { type StoreConnection, Connector } from "./connector.js";
import { isOver } from "./forgotten.js";
import { type Found, noUsage } from "./loading.js";
import { ResultRows, withRoom } from "./resultrows.js";
import {
  countAll, readAll, readCall, readEnded, readRows, readServer, releaseCall, takeCall,
} from "./read.js";
import type { Bytes, Contents, LogRecord, ServerRecord } from "./rows.js";
import { type Identity, unseal } from "./seal.js";
import {
  type Committed, type Loaded, type LoadedCall, type LogRow, type Op, type LogPlace, type ServerRow,
  type Store, type StoredRow, StoreError, type StoreOptions, type SweepUse, UNREADABLE, type Usage,
} from "./store.js";
import { sweep } from "./sweep.js";
import { storeError } from "./transaction.js";
import {
  besideIdentity, forgetServer, hasContent, hasSecret, headIdentity, logIdentity, onlyDeletes, plainIdentity,
  sealOps, serverIdentity, write,
} from "./write.js";

/** Opens the store of IndexedDB. Rejects with a StoreError; memoryStore is there for that. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const connector = new Connector(options.server, options);
  const { key } = await connector.connect();
  if (options.sealAll && !key) {
    connector.close();
    throw noCipher();
  }
  return new IndexedDBStore(options, connector);
}

/** How often a store notes that it is written to, in ms. */
const NOTED_EVERY = 3_600_000;

class IndexedDBStore implements Store {
  readonly durability = "indexeddb";
  readonly results: ResultRows;
  readonly #server: string;
  readonly #sealAll: boolean;
  readonly #tab: string;
  readonly #connector: Connector;
  /** Calls that this tab has given up, whether or not that is stored. */
  readonly #released = new Set<number>();

  constructor({ server, tab, sealAll = false }: StoreOptions, connector: Connector) {
    this.#server = server;
    this.#sealAll = sealAll;
    this.#tab = tab;
    this.#connector = connector;
    this.results = new ResultRows(server, (operation) => this.#run(operation));
  }

  async load(alive: (owner: string) => boolean, known: () => void = () => {}): Promise<Loaded> {
    const isGone = (owner: string): boolean => owner !== this.#tab && !alive(owner);
    return this.#run(async ({ db, key, generation, sound }) => {
      const read = (full: boolean): ReturnType<typeof readAll> =>
        readAll(db, this.#server, generation, this.#tab, full ? () => false : isGone, known, full);
      const found = await withRoom(db, () => read(false)).catch((error: unknown) => {
        if (storeError(error).reason !== "quota") throw error;
        return read(true); // what is under way is taken over once there is room
      });
      const calls =
        await Promise.all(found.calls.map((call) => this.#loaded(call) ?? this.#opened(key, call)));
      return {
        idEpoch: found.idEpoch,
        server: await this.#openedServer(key, found.server, found.beside),
        calls,
        sound,
      };
    });
  }

  async takeOver(call: number, epoch: number): Promise<LoadedCall | null> {
    return this.#run(async ({ db, key, generation }, retry) => {
      const found = await withRoom(
        db, () => takeCall(db, { server: this.#server, generation, tab: this.#tab, retry }, call, epoch),
      );
      if (found) this.#released.delete(call);
      return found && (this.#loaded(found) ?? this.#opened(key, found));
    });
  }

  async release(call: number): Promise<void> {
    this.#released.add(call);
    return this.#run(
      ({ db, generation }) => releaseCall(db, { server: this.#server, generation, tab: this.#tab }, call),
    );
  }

  async read(call: number): Promise<LoadedCall | null> {
    return this.#run(async ({ db, key }) => {
      const found = await readCall(db, this.#server, call);
      return found && (this.#loaded(found) ?? this.#opened(key, found));
    });
  }

  async rows(call: number, after: LogPlace, most: number): Promise<LogRow[]> {
    return this.#run(async ({ db, key }) => {
      const found = await readRows(db, this.#server, call, after, most);
      const rows = await Promise.all(found.map((row) => this.#row(key, { ...row, secret: null })));
      // what follows would have wrong positions
      const end = rows.findIndex(({ plain }) => plain === UNREADABLE);
      return rows.slice(0, end < 0 ? rows.length : end);
    });
  }

  async ended(call: number): Promise<number> {
    return this.#run(({ db }) => readEnded(db, this.#server, call));
  }

  async readServer(): Promise<ServerRow | null> {
    return this.#run(async ({ db, key }) => {
      const [row = null, beside = null] = await readServer(db, this.#server);
      return this.#openedServer(key, row, beside);
    });
  }

  async commit(ops: readonly Op[], strict: boolean): Promise<Committed> {
    return this.#run(async (connection, retry) => {
      const { db, key, generation } = connection;
      const secret = ops.some(hasSecret);
      const everything = this.#sealAll && ops.some(hasContent);
      if (everything && !key) throw noCipher();
      // No await without a secret or a key: the page may be going away.
      const sealed = (secret || everything) && key ? await sealOps(key, this.#server, ops, everything) : [];
      const claims = claimed(ops, this.#server);
      const how = {
        server: this.#server,
        generation,
        tab: this.#tab,
        strict,
        retry,
        claims: claims && (await claims),
        released: this.#released,
        at: this.#noted(connection),
      };
      const stored = (full: boolean): ReturnType<typeof write> => write(db, ops, sealed, { ...how, full });
      const { fenced, lost } = await withRoom(db, stored, onlyDeletes(ops));
      const opened =
        lost.map(async ({ call, holder }) => ({ call, holder: holder && (await this.#opened(key, holder)) }));
      return { sealed: !secret || key !== null, fenced, lost: await Promise.all(opened) };
    });
  }

  get seals(): boolean {
    return this.#connector.seals;
  }

  get generation(): string {
    return this.#connector.generation;
  }

  async forget(): Promise<string> {
    const generation = await this.#run(({ db }) => forgetServer(db, this.#server));
    this.#connector.close();
    return generation ?? this.generation;
  }

  async isForgotten(): Promise<boolean> {
    return this.#run(({ db, generation }) => isOver(db, this.#server, generation)).catch(() => true);
  }

  async sweep(use: SweepUse): Promise<void> {
    return this.#run(({ db }) => sweep(db, this.#server, use));
  }

  async usage(): Promise<Usage> {
    return this.#run(async ({ db }) => {
      const usage = await noUsage();
      await countAll(db, this.#server, usage);
      return usage;
    });
  }

  close(): void {
    this.#connector.close();
  }

  /**
   * Runs an operation, and once more on a new handle if the first was dead: a
   * dead one never comes back (fault 64). Starts at once where the database is
   * open.
   */
  async #run<T>(operation: (connection: StoreConnection, retry: boolean) => Promise<T>): Promise<T> {
    const connection = this.#connector.current ?? (await this.#connector.connect());
    try {
      return await operation(connection, false);
    } catch (error) {
      const known = this.#failed(error);
      if (known.reason !== "lost") throw known;
      this.#connector.drop(connection);
    }
    const fresh = await this.#connector.connect();
    return operation(fresh, true).catch((error: unknown) => {
      throw this.#failed(error);
    });
  }

  /** The time that a commit notes as the store's last write: once an hour, else 0. */
  #noted(connection: StoreConnection): number {
    const now = Date.now();
    if (now - connection.at < NOTED_EVERY) return 0;
    return (connection.at = now);
  }

  #failed(error: unknown): StoreError {
    const known = storeError(error);
    if (known.reason === "closed") this.#connector.end(); // the fence has found it out
    return known;
  }

  // An ended call's secrets are of no use to anybody, and there may be thousands. Null where there is
  // something to open.
  #loaded(found: Found): LoadedCall | null {
    const { head, rows, ended } = found;
    if (!ended || !head.plain) return null;
    const opened: LogRow[] = [];
    for (const { epoch, n, plain } of rows) {
      if (!plain) return null;
      opened.push({ epoch, n, plain, secret: null });
    }
    return this.#call(found, head.plain, opened);
  }

  async #opened(key: CryptoKey | null, found: Found): Promise<LoadedCall> {
    const { head, rows, ended } = found;
    const opening = rows.map((row) => this.#row(key, ended ? { ...row, secret: null } : row));
    const { plain } = await openedRow(key, headIdentity(this.#server, head.call), { ...head, secret: null });
    return this.#call(found, plain, await Promise.all(opening));
  }

  async #row(key: CryptoKey | null, row: LogRecord): Promise<LogRow> {
    const { call, epoch, n } = row;
    return { epoch, n, ...(await openedRow(key, logIdentity(this.#server, call, epoch, n), row)) };
  }

  #call({ head, ended, acked }: Found, plain: Uint8Array, rows: LogRow[]): LoadedCall {
    const { call, epoch, owner } = head;
    return { call, epoch, owned: owner === this.#tab, owner: owner ?? "", plain, ended, acked, rows };
  }

  async #openedServer(
    key: CryptoKey | null, row: ServerRecord | null, beside: ServerRecord | null,
  ): Promise<ServerRow | null> {
    if (!row) return null;
    const other = beside && (await openedRow(key, besideIdentity(this.#server), beside));
    const opened = await openedRow(key, serverIdentity(this.#server), row);
    return {
      ...opened, ended: row.ended === true || opened.plain === UNREADABLE, ...(other && { beside: other }),
    };
  }
}

/**
 * A row, opened. Of one that does not open as a whole nothing is taken: left out, it would look as if it had
 * never been there (fault 721).
 */
async function openedRow(
  key: CryptoKey | null, identity: Identity, { plain, all, secret }: Contents & { secret: Bytes | null },
): Promise<StoredRow> {
  const opening = secret && unseal(key, identity, secret);
  const opened = {
    plain: plain ?? (await unseal(key, plainIdentity(identity), all ?? null)), secret: await opening,
  };
  return opened.plain && (opened.secret || !secret)
    ? (opened as StoredRow)
    : { plain: UNREADABLE, secret: null };
}

function noCipher(): StoreError {
  return new StoreError("cipher", "there is no cipher here, and everything has to be sealed");
}
