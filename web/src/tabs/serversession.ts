import type { Committed, Loaded, Op, Store } from "../storage/storage.js";
import { OpList } from "../runtime/ops.js";
import { Handshakes } from "./handshakes.js";
import type { JournalClient } from "./journalclient.js";
import { SessionUse } from "./sessionuse.js";

/** The journal, as the session that it stores uses it. */
export interface ServerSessionUse {
  /** The client; undefined while there is none, or the page is closing. */
  client(): JournalClient | undefined;
  /** Gives the core what was read. */
  restore(list: OpList): void;
  /** Resolves when the commits under way are over. */
  landed(): Promise<void>;
  /** Resolves with true if this page has heard another page that lives. */
  heard(): Promise<boolean>;
}

/** The session that the pages of one server and user share: which of them makes it, uses it and ends it. */
export class ServerSession {
  readonly #handshakes: Handshakes;
  readonly #pages: SessionUse;
  #store!: Store;
  #journal!: ServerSessionUse;
  /** The app logs out, and the session ends with that. */
  #logout = false;

  constructor(server: string) {
    this.#handshakes = new Handshakes(server);
    this.#pages = new SessionUse(server);
  }

  /** Asks to make the first one. Resolves once the store may be read: from here on this page uses what it reads. */
  begin(): Promise<unknown> {
    return Promise.all([this.#handshakes.ask(), this.#pages.begin()]);
  }

  /** The store was read. Where there is no session in it, and another page makes the first one, waits for that. */
  async read(store: Store, loaded: Loaded, isShared: boolean): Promise<void> {
    this.#store = store;
    const without = (): boolean => !loaded.server || loaded.server.ended;
    const isFirst = without() && isShared;
    if (isFirst && !this.#handshakes.mine) {
      await this.#handshakes.wait();
      loaded.server = await store.readServer().catch(() => null);
    }
    if (!isFirst || !without()) this.#handshakes.done();
  }

  /** There is a journal that it works for. */
  bind(journal: ServerSessionUse): void {
    this.#journal = journal;
  }

  /** The core's Handshake effect: one page at a time makes a new session. */
  async handshake(): Promise<void> {
    await this.#handshakes.alone(async () => {
      await this.adopt();
      const client = this.#journal.client();
      if (!client?.reconnecting()) return;
      client.wire.runtime.handshake(client.wire.handle);
      await client.connected();
      await this.#journal.landed();
    });
  }

  /** The session is made and stored, or will not be. */
  made(): void {
    this.#handshakes.done();
  }

  /** Goes on in the one that another page has made, if it has. */
  async adopt(): Promise<void> {
    const row = await this.#store.readServer().catch(() => null);
    if (row) this.#journal.restore(new OpList().server(row));
  }

  /**
   * A commit with the end of the session, which the core deletes at the server once
   * it is stored. Where another page has read the session, it is not ended.
   */
  async end(ops: readonly Op[], strict: boolean): Promise<Committed> {
    if (this.#logout) return this.#store.commit(ops, strict);
    let committed: Committed | undefined;
    // Without locks each page is alone by them: the others are heard.
    const heard = await this.#journal.heard();
    const alone = !heard && (await this.#pages.alone(async () => {
      committed = await this.#store.commit(ops, strict);
    }));
    if (alone) return committed!;
    const client = this.#journal.client();
    client?.wire.runtime.closeKeepingSession(client.wire.handle);
    return this.#store.commit(ops.filter((op) => !endsSession(op)), strict);
  }

  /** A logout begins; `ends`: the session ends with it. */
  logout(ends: boolean): boolean {
    return (this.#logout = ends);
  }

  /**
   * Resolves with true if no other page uses the session, nor will: after a logout none can read it (fault
   * 158).
   */
  lastToUse(): Promise<boolean> {
    return this.#pages.alone(async () => {});
  }

  /** This page uses it no more: it is closed, or rests in the back/forward cache. */
  release(): void {
    void this.#pages.end();
  }

  /** This page uses it again. */
  use(): void {
    void this.#pages.begin();
  }
}

/** True if the operation says that the server's session has ended. */
export function endsSession(op: Op): boolean {
  return op.kind === "server" && op.ended === true;
}
