import type { Runtime } from "../runtime/runtime.js";
import { StoreResult } from "../runtime/exports.js";
import { type Loaded, memoryStore, openStore, type Op, type Store, StoreError, type StoreReason, type Usage } from "../store/index.js";
import { Channel, type Message } from "./channel.js";
import { FollowedCalls } from "./followed.js";
import { decodeOps, OpList } from "./ops.js";
import { exclusively, Tab } from "./tab.js";

/** How often a page asks those that carry calls whether they can answer, in ms. */
const PING_EVERY = 1_000;
/** How long one may be silent before its calls are taken over, in ms: it is frozen, and keeps its lock. */
const SILENCE = 3_000;

/** Where calls are kept. */
export type Durability = "indexeddb" | "memory";

/** What a journal asks of its client. */
export interface JournalClient {
  readonly runtime: Runtime;
  readonly handle: number;
  /** Whether the client still makes a new session. */
  reconnecting(): boolean;
  /** Resolves when it does no more, after 15 s at most. */
  reconnected(): Promise<void>;
  /** Another page asks to cancel a call that this one carries. */
  cancel(call: number, reason: string): void;
  durability(where: Durability, why: string): void;
}

/**
 * The durable side of one client: stores what the core says, tells the other
 * pages of it, and tells the core what those store. It decides nothing but who
 * carries a call, which only the pages together can.
 */
export class Journal {
  readonly #store: Store;
  readonly #tab: Tab;
  readonly #server: string;
  #loaded: Loaded;
  readonly #channel: Channel;
  readonly #followed = new FollowedCalls();
  readonly #owned = new Set<number>();
  readonly #watched = new Map<string, AbortController>();
  readonly #lastHeard = new Map<string, number>();
  #unlisten = new AbortController();
  #client: JournalClient | undefined;
  #committing: Promise<void> = Promise.resolve();
  #pinging: ReturnType<typeof setInterval> | undefined;

  private constructor(store: Store, tab: Tab, server: string, loaded: Loaded, channel: Channel) {
    this.#store = store;
    this.#tab = tab;
    this.#server = server;
    this.#loaded = loaded;
    this.#channel = channel;
  }

  /** Opens the store of a server and reads what it holds. `why` says why it is memory, where it is. */
  static async open(server: string): Promise<{ journal: Journal; why: string }> {
    const tab = await Tab.open();
    let journal: Journal | undefined;
    const options = {
      server,
      tab: tab.name,
      onLost: (reason: StoreReason) => journal?.lost(reason),
      onCleared: () => journal?.cleared(),
    };
    // Heard from before the store is read: what is stored meanwhile is not missed.
    const early: [string, Message][] = [];
    const channel = new Channel(server, tab.name, (from, message) => {
      if (journal) journal.#receive(from, message);
      else early.push([from, message]);
    });
    const living = await tab.living();
    const alive = (owner: string): boolean => living.has(owner);
    let store: Store;
    let loaded: Loaded;
    let why = "";
    try {
      store = await openStore(options);
      loaded = await store.load(alive);
    } catch (error) {
      why = error instanceof StoreError ? error.reason : "failed";
      store = memoryStore(options);
      loaded = await store.load(alive);
    }
    journal = new Journal(store, tab, server, loaded, channel);
    for (const [from, message] of early) journal.#receive(from, message);
    channel.heard ||= living.size > 1;
    return { journal, why };
  }

  /** Reads the store again, for a runtime that takes the place of one that has exited. */
  async reload(): Promise<void> {
    await this.#committing;
    const living = await this.#tab.living();
    this.#detach();
    this.#loaded = await this.#store.load((owner) => living.has(owner));
  }

  /** Where calls are kept. */
  get durability(): Durability {
    return this.#store.durability;
  }

  /** Options of the core's that follow from the store. */
  options(): { journal: true; tabs: boolean; epoch: number; wall: number } {
    return { journal: true, tabs: true, epoch: this.#loaded.idEpoch, wall: Math.round(Date.now() - performance.now()) };
  }

  /** Whether a handshake of an earlier page is stored. */
  get hasHandshake(): boolean {
    return this.#loaded.server !== null;
  }

  /** Begins to work for a client. Returns what was read, for {@link Runtime.connect}. */
  attach(client: JournalClient): Uint8Array {
    this.#client = client;
    const list = new OpList();
    if (this.#loaded.server) list.server(this.#loaded.server);
    for (const call of this.#loaded.calls) {
      list.call(call);
      if (call.owned) this.#owned.add(call.call);
      else this.#follow(call.call, () => this.#followed.note(call));
    }
    this.#loaded.calls = []; // the core has them now
    const verify = (): void => void this.#verify();
    // Frozen, this page may have been taken for dead.
    document.addEventListener("resume", verify, { signal: this.#unlisten.signal });
    addEventListener("pageshow", (event) => event.persisted && verify(), { signal: this.#unlisten.signal });
    document.addEventListener("visibilitychange", () => this.#lastHeard.clear(), { signal: this.#unlisten.signal });
    this.#channel.send({ kind: "hello" });
    for (const call of this.#owned) this.#channel.send({ kind: "taken", call });
    return list.bytes();
  }

  /** The core's Store effect: one transaction. */
  commit(ticket: number, strict: boolean, bytes: Uint8Array): void {
    const ops = decodeOps(bytes);
    for (const op of ops) if (op.kind === "call") this.#owned.add(op.call);
    this.#committing = this.#store.commit(ops, strict).then(
      ({ sealed }) => {
        const kept = sealed && this.#store.durability === "indexeddb";
        this.#report(ticket, kept ? StoreResult.OK : StoreResult.Unsealed, "");
        this.#tell(ops);
      },
      (error: unknown) => {
        const reason = error instanceof StoreError ? error.reason : "failed";
        this.#report(ticket, reason === "quota" ? StoreResult.Quota : StoreResult.Failed, reason);
      },
    );
  }

  /** The core's Handshake effect: one page at a time makes a new session. */
  async handshake(): Promise<void> {
    await exclusively(`handshake.${this.#server}`, async () => {
      await this.#adopt();
      const client = this.#client;
      if (!client?.reconnecting()) return;
      client.runtime.handshake(client.handle);
      await client.reconnected();
      await this.#committing;
    });
  }

  /** A call has its outcome: nobody needs to carry it any more. */
  done(call: number): void {
    const followed = this.#followed.get(call);
    if (followed) followed.done = true;
    this.#pingAgain();
  }

  /** Whether another page carries the call. */
  follows(call: number): boolean {
    return this.#followed.has(call);
  }

  /** Asks the page that carries a call to cancel it. */
  cancel(call: number, reason: string): void {
    this.#channel.send({ kind: "cancel", call, reason });
  }

  /** Whether other pages live that may use the session. */
  async shared(): Promise<boolean> {
    return this.#channel.heard && (await this.#tab.living()).size > 1;
  }

  /** What is stored of this server. */
  usage(): Promise<Usage> {
    return this.#store.usage();
  }

  /** Deletes all that is stored of this server. */
  async forget(): Promise<void> {
    await this.#committing;
    await this.#store.forget();
  }

  /** Ends it. What was committed before still gets stored. */
  close(): void {
    this.#detach();
    this.#channel.close();
    void this.#committing.finally(() => {
      this.#store.close();
      this.#tab.close();
    });
  }

  #detach(): void {
    this.#client = undefined;
    this.#unlisten.abort();
    this.#unlisten = new AbortController();
    for (const watch of this.#watched.values()) watch.abort();
    this.#watched.clear();
    this.#followed.clear();
    this.#owned.clear();
    clearInterval(this.#pinging);
    this.#pinging = undefined;
  }

  #report(ticket: number, result: number, why: string): void {
    this.#client?.runtime.stored(this.#client.handle, ticket, result, why);
  }

  #restore(list: OpList): void {
    this.#client?.runtime.restore(this.#client.handle, list.bytes());
  }

  /** @internal The store has lost its database. */
  lost(reason: StoreReason): void {
    this.#client?.durability("memory", reason);
  }

  /** @internal What was stored is gone. */
  cleared(): void {
    this.#client?.runtime.storeBack(this.#client.handle, true);
  }

  /** Tells the other pages what is stored, without its secrets. */
  #tell(ops: readonly Op[]): void {
    for (const op of ops) if (op.kind === "forget") this.#owned.delete(op.call);
    if (!this.#channel.heard) return;
    const list = new OpList();
    for (const op of ops) {
      if (op.kind === "server") this.#channel.send({ kind: "session" });
      else if (op.kind === "call") list.head(op.call, 1, false, op.plain);
      else if (op.kind === "log") list.row(op.call, { ...op, secret: null });
      else list.forget(op.call);
    }
    this.#channel.send({ kind: "stored", ops: list.bytes() });
  }

  #receive(from: string, message: Message): void {
    this.#lastHeard.set(from, performance.now());
    switch (message.kind) {
      case "hello":
        this.#channel.send({ kind: "here" });
        break;
      case "ping":
        if (message.to === this.#tab.name) this.#channel.send({ kind: "here" });
        break;
      case "stored":
        this.#others(from, message.ops);
        break;
      case "session":
        void this.#adopt();
        break;
      case "taken":
        if (this.#owned.has(message.call) || this.#followed.has(message.call)) void this.#read(message.call);
        break;
      case "cancel":
        if (this.#owned.has(message.call)) this.#client?.cancel(message.call, message.reason);
        break;
    }
  }

  /** Takes what another page has stored. */
  #others(from: string, bytes: Uint8Array): void {
    const list = new OpList();
    for (const op of decodeOps(bytes)) {
      switch (op.kind) {
        case "call":
          this.#follow(op.call, () => {
            this.#followed.set(op.call, { owner: from, epoch: 1, n: 0, done: false, reading: false, again: false });
          });
          list.head(op.call, 1, false, op.plain);
          break;
        case "log":
          if (this.#owned.has(op.call)) break; // one who has not noticed that it was relieved
          if (this.#followed.next(op.call, op.epoch, op.n)) list.row(op.call, op);
          else void this.#read(op.call);
          break;
        case "forget":
          this.#owned.delete(op.call);
          this.#followed.delete(op.call);
          list.forget(op.call);
          break;
      }
    }
    this.#restore(list);
  }

  /** Reads a call's whole log: rows were missed, or it has changed hands. */
  async #read(call: number): Promise<void> {
    const followed = this.#followed.get(call);
    if (followed?.reading) {
      followed.again = true;
      return;
    }
    if (followed) followed.reading = true;
    const loaded = await this.#store.read(call).catch(() => undefined);
    if (loaded === undefined) return;
    if (loaded === null) {
      this.#owned.delete(call);
      this.#followed.delete(call);
      this.#restore(new OpList().forget(call));
      return;
    }
    if (loaded.owned) return;
    const again = this.#followed.get(call)?.again;
    this.#owned.delete(call);
    this.#follow(call, () => this.#followed.note(loaded));
    this.#restore(new OpList().call(loaded));
    if (again) void this.#read(call);
  }

  /** Goes on in the session that another page has made, if it has. */
  async #adopt(): Promise<void> {
    const row = await this.#store.readServer().catch(() => null);
    if (row) this.#restore(new OpList().server(row));
  }

  /** Looks whether this page still carries what it thinks it does. */
  async #verify(): Promise<void> {
    for (const call of [...this.#owned]) await this.#read(call);
    await this.#adopt();
  }

  /** Books a followed call and watches the page that carries it. */
  #follow(call: number, book: () => void): void {
    book();
    const owner = this.#followed.get(call)!.owner;
    this.#pingAgain();
    if (this.#watched.has(owner)) return;
    const watch = new AbortController();
    this.#watched.set(owner, watch);
    void this.#tab.gone(owner, watch.signal).then(() => {
      this.#watched.delete(owner);
      return this.#takeOver(owner);
    });
  }

  /** Carries on what a page has carried that is gone, or frozen. The store settles who does. */
  async #takeOver(owner: string): Promise<void> {
    for (const call of this.#followed.of(owner)) {
      const followed = this.#followed.get(call);
      if (!followed || !this.#client) continue;
      const loaded = await this.#store.takeOver(call, followed.epoch).catch(() => null);
      if (!loaded) {
        await this.#read(call);
        continue;
      }
      this.#followed.delete(call);
      this.#owned.add(call);
      this.#restore(new OpList().call(loaded));
      this.#channel.send({ kind: "taken", call });
    }
  }

  #pingAgain(): void {
    if (this.#followed.owners().size === 0) {
      clearInterval(this.#pinging);
      this.#pinging = undefined;
      return;
    }
    this.#pinging ??= setInterval(() => this.#ping(), PING_EVERY);
  }

  #ping(): void {
    // Timers of a hidden page are too slow to judge anybody by.
    if (document.visibilityState === "hidden") return;
    const now = performance.now();
    for (const owner of this.#followed.owners()) {
      const heard = this.#lastHeard.get(owner);
      if (heard === undefined) this.#lastHeard.set(owner, now);
      else if (now - heard > SILENCE) {
        this.#lastHeard.set(owner, now);
        void this.#takeOver(owner);
      }
      this.#channel.send({ kind: "ping", to: owner });
    }
  }
}
