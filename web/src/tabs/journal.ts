import { STORE_REASON, StoreResult, TAB_INPUT } from "../base/border.js";
import { LISTS, type Loaded, type LogRow, type Op, type LogPlace, type Results, type Store, StoreError, type StoreReason, type Usage } from "../storage/storage.js";
import { Carrying } from "./carrying.js";
import { Channel, type Message } from "./channel.js";
import { hasBroadcast } from "./broadcast.js";
import type { Durability, JournalClient } from "./journalclient.js";
import { lifetime, watchPage } from "./lifecycle.js";
import { Lease } from "./lease.js";
import { loadedStore } from "./orphans.js";
import { type Opened, openedStore } from "./opened.js";
import { forgetStored } from "./forget.js";
import { OpList } from "../runtime/ops.js";
import { Peers } from "./peers.js";
import { pastLock } from "./vouching.js";
import { endsSession, ServerSession } from "./serversession.js";
import { sweepWhenIdle } from "./sweeping.js";
import { Tab } from "./tab.js";
import { usageOf } from "../storage/usage.js";
import { Unheard } from "./unheard.js";
import { WallClock, wallEpoch } from "./wallclock.js";

/**
 * Bytes of what was read that the core is given at a time: more would not fit its
 * input buffer, and memory of a wasm that has grown is never given back.
 */
const PIECE = 48 << 10;

/** How many words of a logout wait to be looked up. */
const LOGOUTS = 100;

/**
 * The durable side of one client: stores what the core says, tells the other
 * pages of it, and tells the core what those store. Who carries a call the core decides
 * (core/tabs), and has it done here; who listens, the locks do.
 */
export class Journal {
  /** True if the app has everything sealed. */
  sealsAll = false;
  readonly #store: Store;
  readonly #tab: Tab;
  readonly #server: string;
  #loaded: Loaded;
  /** The pages that lived when it was read. */
  #living: Set<string>;
  readonly #channel: Channel;
  readonly #peers: Peers;
  readonly #carrying: Carrying;
  readonly #listening: Lease;
  #listened = false;
  #unlisten = new AbortController();
  #client: JournalClient | undefined;
  #committing: Promise<void> = Promise.resolve();
  readonly #session: ServerSession;
  #listens = false;
  #forgotten = false;
  readonly #clock = new WallClock();
  /** Stores that are said to be deleted, which is to be looked up. */
  readonly #logouts = new Set<string>();
  #looks = false;

  private constructor(store: Store, tab: Tab, server: string, { loaded, living }: Pick<Opened, "loaded" | "living">, channel: Channel, session: ServerSession) {
    this.#store = store;
    this.#tab = tab;
    this.#server = server;
    this.#loaded = loaded;
    this.#living = living;
    this.#channel = channel;
    this.#peers = new Peers(tab, (name) => this.#carrying.input(TAB_INPUT.gone, name));
    this.#carrying = new Carrying(tab.name, store, channel, this.#peers, () => this.#client);
    this.#session = session;
    session.bind({
      client: () => this.#client,
      restore: (list) => this.#restore(list),
      landed: () => this.#committing,
      heard: async () => this.#peers.heardOf(await tab.living()),
    });
    const listen = (mine: boolean, missed: boolean): void => this.#client?.wire.runtime.listen(this.#client.wire.handle, mine, missed);
    this.#listening = new Lease(
      `listen.${server}`,
      pastLock(/^\w+:\/\/[^/]+/.exec(server)?.[0] ?? server),
      (waited) => {
        // Messages that came while no page listened, or another page did, are missed here.
        listen(true, waited || this.#listened);
        this.#listened = true;
      },
      () => listen(false, false),
      (said) => channel.send({ kind: "vouch", text: JSON.stringify(said) }),
    );
  }

  /** Opens the store of a server, where everything is sealed or only secrets, and reads what it holds. `why` says why it is memory, where it is. */
  static async open(server: string, sealAll: boolean): Promise<{ journal: Journal; why: string }> {
    // The locks are asked for while the database opens.
    const tab = Tab.open();
    const session = new ServerSession(server);
    const ready = Promise.all([tab.lives, session.begin()]);
    let journal: Journal | undefined;
    let lost: StoreReason | undefined;
    const options = {
      server,
      tab: tab.name,
      sealAll,
      onLost: (reason: StoreReason) => {
        if (journal) journal.lost(reason);
        else lost = reason;
      },
    };
    // Heard from before the store is read: what is stored meanwhile is not missed.
    const unheard = new Unheard();
    const channel = new Channel(server, tab.name, (from, message) => {
      if (journal) journal.receive(from, message);
      else unheard.add(from, message);
    });
    let opened: Opened | undefined;
    try {
      opened = await openedStore(options, tab, ready);
      const { store, loaded, why } = opened;
      await ready; // where it is one in memory, which waits for nothing
      channel.inMemory = store.durability === "memory";
      journal = new Journal(store, tab, server, opened, channel, session);
      journal.#unheard = unheard;
      journal.sealsAll = sealAll;
      if (lost) journal.lost(lost);
      await session.read(store, loaded, why === "");
      return { journal, why };
    } catch (error) {
      // There is no journal to close them later.
      channel.close();
      tab.close();
      opened?.store.close();
      void ready.catch(() => {}).then(() => {
        session.made();
        session.release();
      });
      throw error;
    }
  }

  /** Messages that came before there was a client, or while the page slept. */
  #unheard = new Unheard();
  // A frozen page still hears (Chrome delivers messages to it), but a transaction
  // that it began then would not end, and hold up those of all other pages.
  #asleep = true;

  #catchUp(): void {
    this.#asleep = false;
    const { messages, missed } = this.#unheard.take();
    for (const [from, message] of messages) this.receive(from, message);
    for (const call of missed) this.#carrying.input(TAB_INPUT.missed, "", new OpList().about(call).bytes());
  }

  /** Reads the store again, for a runtime that takes the place of one that has exited. */
  async reload(): Promise<void> {
    await this.#committing;
    this.#detach();
    ({ loaded: this.#loaded, living: this.#living } = await loadedStore(this.#store, this.#tab));
  }

  /** The key of the server and user. */
  get server(): string {
    return this.#server;
  }

  /** Where calls are kept. */
  get durability(): Durability {
    return this.#store.durability;
  }

  /**
   * True if the store can keep the secrets a call is resumed with: not without a cipher, nor without a stored
   * key.
   */
  get seals(): boolean {
    return this.#store.seals;
  }

  /**
   * True if what was stored has been deleted: this page stores nothing any more, and shares nothing with
   * others.
   */
  get forgotten(): boolean {
    return this.#forgotten;
  }

  /** The results that the server lets a client keep; undefined where nothing outlives the page. */
  get results(): Results | undefined {
    return this.#forgotten ? undefined : this.#store.results;
  }

  /** Options of the core's that follow from the store. */
  options(): { journal: true; tabs: boolean; tab: string; deaf: boolean; abrupt: boolean; epoch: number; wall: number; sound: number } {
    return { journal: true, tabs: true, tab: this.#tab.name, deaf: !hasBroadcast(), abrupt: !lifetime.endIsHeard, epoch: this.#loaded.idEpoch, wall: Math.round(wallEpoch()), sound: this.#loaded.sound };
  }

  /** Begins to work for a client that listens or not. Returns what was read, for {@link Runtime.connect}. */
  attach(client: JournalClient, listens: boolean): readonly Uint8Array[] {
    this.#client = client;
    this.#listens = listens;
    const list = new OpList();
    if (this.#loaded.server) list.server(this.#loaded.server);
    const calls = this.#loaded.calls;
    this.#loaded.calls = []; // the core has them now
    for (const call of calls) list.call(call);
    this.#watchPage(listens);
    if (!this.#forgotten) this.#channel.open(); // the last runtime may have exited as the page came back
    this.#channel.send({ kind: "hello" });
    this.#seen();
    for (const name of this.#living) this.#carrying.input(TAB_INPUT.living, name);
    if (listens) void this.#listening.ask();
    const { signal } = this.#unlisten;
    void client.connected().then(async () => {
      await this.#committing;
      this.#session.made();
      sweepWhenIdle(this.#store, (call) => this.#client === client && client.wire.runtime.reads(client.wire.handle, call), signal);
    });
    // Once the core has what was read.
    queueMicrotask(() => {
      this.#catchUp();
      this.#carrying.input(TAB_INPUT.start);
      if (this.#forgotten) this.lost("closed");
    });
    return list.pieces(client.sessions ? Infinity : PIECE); // an agent's sessions have to be known all at once
  }

  /** The core's Store effect: one transaction, for whose end nobody waits where it is `unawaited`: the core has gone on. */
  commit(ticket: number, { strict, unawaited }: { strict: boolean; unawaited: boolean }, ops: readonly Op[]): void {
    const client = this.#client;
    const ends = ops.some(endsSession);
    const committed = (ends ? this.#session.end(ops, strict) : this.#store.commit(ops, strict)).then(
      ({ sealed, fenced, lost }) => {
        if (fenced.length + lost.length > 0) this.#carrying.foundOut(client, ticket, fenced, lost);
        const kept = sealed && this.#store.durability === "indexeddb";
        if (unawaited) this.#carrying.answer(client, TAB_INPUT.landed, ticket);
        else this.#report(ticket, kept ? StoreResult.OK : StoreResult.Unsealed);
      },
      (error: unknown) => {
        const reason = error instanceof StoreError ? error.reason : "failed";
        if (unawaited) this.#carrying.answer(client, TAB_INPUT.failed, ticket);
        // Also of a commit that was made as the page was left, which is ticket 0: the page may be there still.
        this.#report(ticket, reason === "quota" ? StoreResult.Quota : StoreResult.Failed, reason);
      },
    );
    this.#committing = Promise.all([this.#committing, committed]).then(() => undefined); // one before may be unawaited
  }

  /** Carries out a TAB_EFFECT: the core asks for it to decide which page carries a call. */
  tabs(kind: number, ticket: number, payload: Uint8Array<ArrayBuffer>): void {
    this.#carrying.carryOut(kind, ticket, payload);
  }

  /** The core's Handshake effect: one page at a time makes a new session. */
  handshake(): Promise<void> {
    return this.#session.handshake();
  }

  /** Asks the page that carries a call to cancel it. */
  cancel(call: number, reason: string): void {
    this.#channel.send({ kind: "cancel", call, reason });
  }

  /** True if this page can pass requests to other pages. */
  get canForward(): boolean {
    return hasBroadcast() && this.#store.durability !== "memory";
  }

  /** Asks the page that carries a session with an agent for something in it. */
  forward(text: string): void {
    this.#channel.send({ kind: "forward", text });
  }

  /** Tells a page what became of a request that it had asked for; `outcome` 0: this one has it. */
  settleForward(to: string, request: number, outcome: number, text: string): void {
    this.#channel.send({ kind: "settled", to, request, outcome, text });
  }

  /** The server has said something unasked that is for other pages as well. */
  said(event: number, position: number, text: string): void {
    if (this.#listening.mine && this.#peers.any) this.#channel.send({ kind: "said", event, position, text });
  }

  /** Resolves when the commits under way are over. */
  landed(): Promise<void> {
    return this.#committing;
  }

  /** The next rows of a call's log, in their order; none where that is over, or nothing can be read. */
  rows(call: number, after: LogPlace, most: number): Promise<LogRow[]> {
    return this.#store.rows(call, after, most).catch(() => []);
  }

  /**
   * The storage that this server's data takes, with all the core has written so far; null where none is left.
   */
  async usage(): Promise<Usage | null> {
    // One commit under way, and the next, which has what was written meanwhile.
    for (let i = 0; i < 2; i++) await this.#committing;
    return usageOf(this.#store);
  }

  /** A logout begins. Whether the session ends with it: not where another page carries a call, which may go on in it. */
  logout(): boolean {
    const client = this.#client;
    return this.#session.logout(!client?.wire.runtime.following(client.wire.handle));
  }

  /**
   * Resolves with true if no other page uses the session, nor will: after a logout none can read it (fault
   * 158).
   */
  lastToUse(): Promise<boolean> {
    return this.#session.lastToUse();
  }

  /** Deletes all that is stored of this server. Works on a journal that is closed, too. */
  async forget(): Promise<void> {
    await this.#committing;
    await forgetStored(this.#server);
  }

  /** Ends it. What was committed before still gets stored. */
  close(): void {
    this.#detach();
    this.#peers.stop();
    this.#channel.close();
    this.#session.made();
    void this.#committing.finally(() => {
      this.#store.close();
      this.#session.release();
      this.#tab.close();
    });
  }

  #detach(): void {
    this.#client = undefined;
    this.#asleep = true;
    this.#unlisten.abort();
    this.#unlisten = new AbortController();
    this.#listening.end();
  }

  #report(ticket: number, result: number, why?: StoreReason): void {
    this.#client?.wire.runtime.stored(this.#client.wire.handle, ticket, result, why ? STORE_REASON[why] : 0);
  }

  #restore(list: OpList): void {
    const bytes = list.bytes();
    if (bytes.length > 0) this.#client?.wire.runtime.restore(this.#client.wire.handle, bytes);
  }

  /** @internal The store has lost its database; for good where it is `closed`. */
  lost(reason: StoreReason): void {
    this.#client?.wire.runtime.storeGone(this.#client.wire.handle, STORE_REASON[reason]);
    if (reason === "closed") this.#part(); // what it had of others' calls has ended
  }

  /** Parts from the other pages: one that comes now belongs to whoever logs in next. */
  #part(): void {
    if (this.#forgotten) return;
    this.#forgotten = true;
    this.#carrying.input(TAB_INPUT.part);
    this.#peers.stop();
    this.#channel.close();
    this.#session.made();
    const heard = this.#listening.mine;
    this.#listening.end();
    if (this.#listens && !heard) this.#client?.wire.runtime.listen(this.#client.wire.handle, true, true);
  }

  // One that was made after a logout hears of it, maybe, and goes on.
  #isMine(generation: string): boolean {
    return this.#store.durability === "memory" || generation === this.#store.generation;
  }

  // One look at a time: any script of the origin may say so, and as often as it likes.
  async #hearOfLogout(generation: string): Promise<void> {
    if (this.#logouts.size < LOGOUTS) this.#logouts.add(generation);
    if (this.#looks) return;
    this.#looks = true;
    for (const one of this.#logouts) {
      this.#logouts.delete(one);
      if (!this.#forgotten && (await this.#store.isForgotten(one))) this.#wiped();
    }
    this.#looks = false;
  }

  // The database keeps out what is under way. What is in memory nobody else has deleted.
  #wiped(): void {
    if (this.#store.durability === "memory") void this.#store.forget().catch(() => {}); // it may be over
    else this.#store.close();
    this.lost("closed");
  }

  /** @internal A message of another page's. */
  receive(from: string, message: Message): void {
    if (this.#asleep) {
      this.#unheard.add(from, message);
      return;
    }
    this.#peers.hear(from);
    this.#carrying.heard(from, message);
    switch (message.kind) {
      case "hello":
        this.#channel.send({ kind: "here", to: from });
        break;
      case "vouch":
        this.#listening.heard(JSON.parse(message.text));
        break;
      case "ping":
        // By a timer: a frozen page hears, and does nothing else.
        if (message.to === this.#tab.name) setTimeout(() => this.#channel.send({ kind: "here", to: from }), 0);
        break;
      case "session":
        void this.#session.adopt();
        break;
      case "cancel":
        this.#client?.wire.runtime.cancelRecord(this.#client.wire.handle, message.call, message.reason);
        break;
      case "forward":
        this.#client?.sessions?.serve(from, message.text);
        break;
      case "settled":
        if (message.to === this.#tab.name) this.#client?.sessions?.forwardSettled(message.request, message.outcome, message.text);
        break;
      case "wiped":
        if (this.#isMine(message.generation)) void this.#hearOfLogout(message.generation);
        break;
      case "said":
        this.#client?.said(message.event, message.position, message.text);
        break;
    }
  }

  #seen(): void {
    this.#carrying.input(globalThis.document?.visibilityState === "hidden" ? TAB_INPUT.hidden : TAB_INPUT.visible);
  }

  /** The page is being left: what waits to be stored is stored while there is a page that can. */
  left(): void {
    if (!this.#client || this.#client.sessions) return;
    this.#client.wire.runtime.hide(this.#client.wire.handle);
    // By a clock that was put back the next page would take what is stored for fresher than it is.
    if (this.#clock.wasPutBack()) this.results?.drop(LISTS, Date.now()).catch(() => undefined);
  }

  #watchPage(listens: boolean): void {
    const page = {
      left: (): void => this.left(),
      rest: (): void => {
        this.left();
        this.#client?.streams.rest(true);
        if (listens) this.#client?.wire.runtime.listen(this.#client.wire.handle, false, false);
        this.#listening.end();
        this.#channel.send({ kind: "frozen" });
        this.#carrying.input(TAB_INPUT.rest);
        this.#asleep = true;
      },
      wake: async (): Promise<void> => {
        this.#catchUp();
        await this.#carrying.wake(); // it may have been taken for dead
        if (!this.#asleep) await this.#session.adopt();
        if (this.#asleep) return; // it is left again, or closed
        this.#client?.streams.rest(false);
        if (!listens) return;
        if (this.#forgotten) this.#client?.wire.runtime.listen(this.#client.wire.handle, true, true);
        else void this.#listening.ask();
      },
      hide: (): void => {
        this.#session.release();
        this.#peers.stop();
        this.#carrying.input(TAB_INPUT.hide);
        this.#channel.close();
      },
      show: async (): Promise<void> => {
        this.#asleep = false;
        this.#session.use(); // before the page may be left again, or closed
        await this.#tab.live();
        if (!this.#asleep && !this.#forgotten) {
          this.#channel.open();
          const living = await this.#tab.living();
          if (this.#asleep) return;
          for (const name of living) this.#carrying.input(TAB_INPUT.living, name);
          this.#channel.send({ kind: "hello" });
          this.#carrying.input(TAB_INPUT.show);
        }
        if (!this.#asleep) await page.wake();
      },
      seen: (): void => this.#seen(),
    };
    watchPage(page, this.#unlisten.signal);
  }
}
