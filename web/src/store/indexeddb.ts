import { claimed } from "./callkeys.js";
import { type Connection, Connector } from "./connector.js";
import { type Found, noUsage } from "./journal.js";
import { countAll, readAll, readCall, readServer, takeCall } from "./read.js";
import type { ServerRecord } from "./rows.js";
import { unseal } from "./seal.js";
import { type Committed, type Loaded, type LoadedCall, type LogRow, type Op, type ServerRow, type Store, StoreError, type StoreOptions, type Usage } from "./store.js";
import { storeError } from "./transaction.js";
import { forgetServer, hasSecret, logIdentity, sealSecrets, serverIdentity, write } from "./write.js";

/** Opens the store of IndexedDB. Rejects with a StoreError; memoryStore is there for that. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const connector = new Connector(options);
  await connector.connect();
  return new IndexedDBStore(options, connector);
}

class IndexedDBStore implements Store {
  readonly durability = "indexeddb";
  readonly #server: string;
  readonly #tab: string;
  readonly #connector: Connector;

  constructor({ server, tab }: StoreOptions, connector: Connector) {
    this.#server = server;
    this.#tab = tab;
    this.#connector = connector;
  }

  async load(alive: (owner: string) => boolean, known: () => void = () => {}): Promise<Loaded> {
    const isGone = (owner: string): boolean => owner !== this.#tab && !alive(owner);
    return this.#run(async ({ db, key }) => {
      const found = await readAll(db, this.#server, this.#tab, isGone, known);
      const calls = await Promise.all(found.calls.map((call) => (call.ended ? this.#loaded(call) : this.#opened(key, call))));
      return { idEpoch: found.idEpoch, server: await this.#openedServer(key, found.server), calls };
    });
  }

  async takeOver(call: number, epoch: number): Promise<LoadedCall | null> {
    return this.#run(async ({ db, key }, again) => {
      const found = await takeCall(db, this.#server, call, epoch, this.#tab, again);
      return found && this.#opened(key, found);
    });
  }

  async read(call: number): Promise<LoadedCall | null> {
    return this.#run(async ({ db, key }) => {
      const found = await readCall(db, this.#server, call);
      return found && this.#opened(key, found);
    });
  }

  async readServer(): Promise<ServerRow | null> {
    return this.#run(async ({ db, key }) => this.#openedServer(key, await readServer(db, this.#server)));
  }

  async commit(ops: readonly Op[], strict: boolean): Promise<Committed> {
    // Rows for a database that is gone would lie in the new one without their
    // call: the app is told that it was cleared, and writes what is alive anew.
    const believed = this.#connector.mark;
    return this.#run(async ({ db, key }, again) => {
      const secret = ops.some(hasSecret);
      // No await without a secret or a key: the page may be going away.
      const secrets = secret && key ? await sealSecrets(key, this.#server, ops) : [];
      const claims = claimed(ops, this.#server);
      const how = { server: this.#server, tab: this.#tab, strict, again, claims: claims && (await claims) };
      const { relieved, lost } = await write(db, ops, secrets, how);
      const opened = lost.map(async ({ call, holder }) => ({ call, holder: holder && (await this.#opened(key, holder)) }));
      return { sealed: !secret || key !== null, relieved, lost: await Promise.all(opened) };
    }, believed);
  }

  async forget(): Promise<void> {
    return this.#run(({ db }) => forgetServer(db, this.#server));
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
   * open. Rejects if that is not the database of `mark`.
   */
  async #run<T>(operation: (connection: Connection, again: boolean) => Promise<T>, mark?: string): Promise<T> {
    const connection = this.#connector.current ?? (await this.#connector.connect());
    expect(connection, mark);
    try {
      return await operation(connection, false);
    } catch (error) {
      const known = storeError(error);
      if (known.reason !== "lost") throw known;
      this.#connector.drop(connection);
    }
    const fresh = await this.#connector.connect();
    expect(fresh, mark);
    return operation(fresh, true).catch((error: unknown) => {
      throw storeError(error);
    });
  }

  // An ended call's secrets are of no use to anybody, and there may be thousands.
  #loaded({ head, rows, ended, acked }: Found): LoadedCall {
    const { call, epoch, owner, plain } = head;
    const opened: LogRow[] = [];
    for (const row of rows) opened.push({ epoch: row.epoch, n: row.n, plain: row.plain, secret: null });
    return { call, epoch, owned: owner === this.#tab, owner, plain, ended, acked, rows: opened };
  }

  async #opened(key: CryptoKey | null, found: Found): Promise<LoadedCall> {
    const loaded = this.#loaded(found);
    if (found.ended) return loaded;
    const secrets = found.rows.map(({ call, epoch, n, secret }) => secret && unseal(key, logIdentity(this.#server, call, epoch, n), secret));
    (await Promise.all(secrets)).forEach((secret, i) => (loaded.rows[i]!.secret = secret));
    return loaded;
  }

  async #openedServer(key: CryptoKey | null, row: ServerRecord | null): Promise<ServerRow | null> {
    return row && { plain: row.plain, ended: row.ended === true, secret: await unseal(key, serverIdentity(this.#server), row.secret) };
  }
}

function expect(connection: Connection, mark: string | undefined): void {
  if (mark !== undefined && connection.mark !== mark) throw new StoreError("lost", "the database was cleared meanwhile");
}
