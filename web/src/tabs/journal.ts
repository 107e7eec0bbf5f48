import { StoreResult } from "../shared/border.js";
import { type Loaded, type LogRow, type Op, type LogPlace, type Store, StoreError, type StoreReason, type Usage } from "../storage/storage.js";
import { CarriedCalls } from "./carried.js";
import { Channel, type Message } from "./channel.js";
import type { Durability, JournalClient } from "./journalclient.js";
import { watchPage } from "./lifecycle.js";
import { Turn } from "./locks.js";
import { loadedStore } from "./orphans.js";
import { openedStore } from "./opened.js";
import { forgetStored } from "./forget.js";
import { OpList } from "../runtime/ops.js";
import { Peers } from "./peers.js";
import { endsSession, SharedSession } from "./sharedsession.js";
import { sweepWhenIdle } from "./sweeping.js";
import { Tab } from "./tab.js";
import { storedMessages, takenMessage } from "./telling.js";
import { usageOf } from "../storage/usage.js";
import { Unheard } from "./unheard.js";

/**
 * Bytes of what was read that the core is given at a time: more would not fit its
 * input buffer, and memory of a wasm that has grown is never given back.
 */
const PIECE = 48 << 10;

/** How often a page without a BroadcastChannel reads what it follows, in ms. */
const POLL_EVERY = 2_000;

/**
 * The durable side of one client: stores what the core says, tells the other
 * pages of it, and tells the core what those store. It decides nothing but who
 * listens, and {@link CarriedCalls} who carries a call: only the pages together can.
 */
export class Journal {
  readonly #store: Store;
  readonly #tab: Tab;
  readonly #server: string;
  #loaded: Loaded;
  readonly #channel: Channel;
  readonly #peers: Peers;
  readonly #listening: Turn;
  #listened = false;
  readonly #calls: CarriedCalls;
  #unlisten = new AbortController();
  #client: JournalClient | undefined;
  #committing: Promise<void> = Promise.resolve();
  readonly #session: SharedSession;
  #polling: ReturnType<typeof setInterval> | undefined;
  #listens = false;
  #forgotten = false;

  private constructor(store: Store, tab: Tab, server: string, loaded: Loaded, channel: Channel, session: SharedSession) {
    this.#store = store;
    this.#tab = tab;
    this.#server = server;
    this.#loaded = loaded;
    this.#channel = channel;
    this.#peers = new Peers(tab, {
      gone: (name) => void this.#calls.takeOver(name, false),
      silent: (name) => void this.#calls.takeOver(name, true),
      ping: (name) => this.#channel.send({ kind: "ping", to: name }),
      owners: () => this.#calls.owners(),
    });
    this.#calls = new CarriedCalls(store, {
      client: () => this.#client,
      restore: (list) => this.#restore(list),
      send: (message) => this.#channel.send(message),
      moved: () => this.#peers.follow(),
    });
    this.#session = session;
    session.bind({
      client: () => this.#client,
      restore: (list) => this.#restore(list),
      landed: () => this.#committing,
      heard: async () => this.#peers.heardOf(await tab.living()),
    });
    this.#listening = new Turn(`listen.${server}`, (waited) => {
      // What was said while nobody listened, or another page did, is missed.
      this.#client?.wire.runtime.listen(this.#client.wire.handle, true, waited || this.#listened);
      this.#listened = true;
    });
  }

  /** Opens the store of a server, where everything is sealed or only secrets, and reads what it holds. `why` says why it is memory, where it is. */
  static async open(server: string, sealAll: boolean): Promise<{ journal: Journal; why: string }> {
    // The locks are asked for while the database opens.
    const tab = Tab.open();
    const session = new SharedSession(server);
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
    const early = new Unheard();
    const channel = new Channel(server, tab.name, (from, message) => {
      if (journal) journal.receive(from, message);
      else early.add(from, message);
    });
    const { store, loaded, living, why } = await openedStore(options, tab, ready);
    await ready; // where it is one in memory, which waits for nothing
    channel.inMemory = store.durability === "memory";
    journal = new Journal(store, tab, server, loaded, channel, session);
    for (const name of living) journal.#peers.add(name);
    journal.#early = early;
    if (lost) journal.lost(lost);
    await session.read(store, loaded, why === "");
    return { journal, why };
  }

  /** What was heard before a client was there, or while the page slept. */
  #early = new Unheard();
  // A frozen page still hears (Chrome delivers messages to it), but a transaction
  // that it began then would not end, and hold up those of all other pages.
  #asleep = true;

  #catchUp(): void {
    this.#asleep = false;
    const { messages, missed } = this.#early.take();
    for (const [from, message] of messages) this.receive(from, message);
    const followed = new Set(this.#calls.others());
    for (const call of missed) if (followed.has(call)) void this.#calls.read(call);
  }

  /** Reads the store again, for a runtime that takes the place of one that has exited. */
  async reload(): Promise<void> {
    await this.#committing;
    this.#detach();
    this.#loaded = (await loadedStore(this.#store, this.#tab)).loaded;
  }

  /** Where calls are kept. */
  get durability(): Durability {
    return this.#store.durability;
  }

  /** Whether what was stored has been deleted: this page stores nothing any more, and shares nothing with others. */
  get forgotten(): boolean {
    return this.#forgotten;
  }

  /** Options of the core's that follow from the store. */
  options(): { journal: true; tabs: boolean; epoch: number; wall: number; sound: number } {
    return { journal: true, tabs: true, epoch: this.#loaded.idEpoch, wall: Math.round(Date.now() - performance.now()), sound: this.#loaded.sound };
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
    this.#calls.loaded(calls);
    this.#watchPage(listens);
    this.#channel.send({ kind: "hello" });
    for (const call of calls) if (call.owned && this.#peers.any) this.#channel.send(takenMessage(call, Infinity));
    if (listens) void this.#listening.ask();
    if (!Channel.exists) this.#polling = setInterval(() => this.#calls.unfinished().forEach((call) => void this.#calls.read(call)), POLL_EVERY);
    const { signal } = this.#unlisten;
    void client.connected().then(async () => {
      await this.#committing;
      this.#session.made();
      sweepWhenIdle(this.#store, (call) => this.#calls.reads(call), signal);
    });
    // Once the core has what was read.
    queueMicrotask(() => {
      this.#catchUp();
      this.#calls.takeUnowned(calls);
      if (this.#forgotten) this.lost("closed");
    });
    return list.pieces(client.sessions ? Infinity : PIECE); // an agent's sessions have to be known all at once
  }

  /** The core's Store effect: one transaction. */
  commit(ticket: number, strict: boolean, ops: readonly Op[]): void {
    this.#calls.begun(ops);
    // Nobody waits for what a page stores that is being left, nor, as a rule, for the end
    // of what is only deleted. The core's next commit, which is the next call's as a
    // rule, need not either: the database does one after another.
    const unasked = ticket === 0 || ops.every((op) => op.kind === "forget" && !op.mine && !op.awaited);
    if (unasked && ticket !== 0) queueMicrotask(() => this.#report(ticket, StoreResult.OK));
    const ends = ops.some(endsSession);
    const committed = (ends ? this.#session.end(ops, strict) : this.#store.commit(ops, strict)).then(
      async ({ sealed, fenced, lost }) => {
        // What the core does once this is stored it must not do any more for a
        // call that another page carries by now (fault 76).
        for (const call of fenced) await this.#calls.moved(call);
        for (const one of lost) this.#calls.lostKey(one);
        const kept = sealed && this.#store.durability === "indexeddb";
        if (!unasked) this.#report(ticket, kept ? StoreResult.OK : StoreResult.Unsealed);
        const elsewhere = new Set([...fenced, ...lost.map(({ call }) => call)]);
        this.#tell(ops.filter((op) => op.kind === "server" || !elsewhere.has(op.call)));
      },
      (error: unknown) => {
        const reason = error instanceof StoreError ? error.reason : "failed";
        if (ticket !== 0) this.#report(ticket, reason === "quota" ? StoreResult.Quota : StoreResult.Failed, reason);
      },
    );
    this.#committing = ticket === 0 ? Promise.all([this.#committing, committed]).then(() => undefined) : committed;
  }

  /** The core's Handshake effect: one page at a time makes a new session. */
  handshake(): Promise<void> {
    return this.#session.handshake();
  }

  /** The core cannot read a call: event `quarantined`. */
  quarantined(text: string): void {
    this.#calls.quarantined((JSON.parse(text) as { record: number }).record);
  }

  /** A call has its outcome: nobody needs to carry it any more. */
  done(call: number): void {
    this.#calls.done(call);
  }

  /** Asks the page that carries a call to cancel it. */
  cancel(call: number, reason: string): void {
    this.#channel.send({ kind: "cancel", call, reason });
  }

  /** Whether other pages can be asked for something. */
  get canForward(): boolean {
    return Channel.exists && this.#store.durability !== "memory";
  }

  /** Asks the page that carries a session with an agent for something in it. */
  forward(text: string): void {
    this.#channel.send({ kind: "forward", text });
  }

  /** Tells a page what became of a request that it had asked for; `outcome` 0: this one has it. */
  settleForward(to: string, request: number, outcome: number, text: string): void {
    // The kind is called what pages of earlier builds call it.
    this.#channel.send({ kind: "told", to, request, outcome, text });
  }

  /** The server has said something unasked, in a session that pages share. */
  said(event: number, position: number, text: string): void {
    if (this.#listening.mine && this.#peers.any) this.#channel.send({ kind: "said", event, position, text });
  }

  /** Resolves when the commit under way is over. */
  landed(): Promise<void> {
    return this.#committing;
  }

  /** The next rows of a call's log, in their order; none where that is over, or nothing can be read. */
  rows(call: number, after: LogPlace, most: number): Promise<LogRow[]> {
    return this.#store.rows(call, after, most).catch(() => []);
  }

  /** What is stored of this server; null where that is nothing any more. */
  usage(): Promise<Usage | null> {
    return usageOf(this.#store);
  }

  /** A logout begins. Whether the session ends with it: not where another page carries a call, which may go on in it. */
  logout(): boolean {
    return this.#session.logout(this.#calls.unfinished().length === 0);
  }

  /** Whether no other page uses the session, nor will: after a logout none can read it (fault 158). */
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
    this.#calls.clear();
    clearInterval(this.#polling);
  }

  #report(ticket: number, result: number, why?: StoreReason): void {
    this.#client?.wire.runtime.stored(this.#client.wire.handle, ticket, result, why);
  }

  #restore(list: OpList): void {
    const bytes = list.bytes();
    if (bytes.length > 0) this.#client?.wire.runtime.restore(this.#client.wire.handle, bytes);
  }

  /** @internal The store has lost its database; for good where it is `closed`. */
  lost(reason: StoreReason): void {
    if (reason === "closed") this.#part();
    this.#client?.wire.runtime.storeGone(this.#client.wire.handle, reason);
  }

  /** Parts from the other pages: one that comes now belongs to whoever logs in next. */
  #part(): void {
    if (this.#forgotten) return;
    this.#forgotten = true;
    for (const call of this.#calls.others()) this.#calls.forgotten(call);
    this.#peers.stop();
    this.#channel.close();
    this.#session.made();
    clearInterval(this.#polling);
    const heard = this.#listening.mine;
    this.#listening.end();
    if (this.#listens && !heard) this.#client?.wire.runtime.listen(this.#client.wire.handle, true, true);
  }

  // One that was made after a logout hears of it, maybe, and goes on.
  #isMine(generation: string | undefined): boolean {
    return generation === undefined || this.#store.durability === "memory" || generation === this.#store.generation;
  }

  // The store keeps out what is under way, unless it was a page of an earlier build
  // that deleted: of that the rest is deleted here.
  async #wiped(): Promise<void> {
    const mine = this.#calls.mine().map((call): Op => ({ kind: "forget", call }));
    this.lost("closed");
    await this.#committing;
    await this.#store.commit(mine, false).catch(() => undefined);
    this.#store.close();
  }

  /** Tells the other pages what is stored, without its secrets. */
  #tell(ops: readonly Op[]): void {
    const told = this.#peers.any ? ops : ops.filter((op) => op.kind !== "server" && this.#calls.isShared(op.call));
    this.#calls.ended(ops);
    for (const message of storedMessages(told)) this.#channel.tell(message);
  }

  /** @internal A message of another page's. */
  receive(from: string, message: Message): void {
    if (this.#asleep) {
      this.#early.add(from, message);
      return;
    }
    if (this.#peers.hear(from)) this.#calls.met(from);
    switch (message.kind) {
      case "hello":
        this.#channel.send({ kind: "here" });
        break;
      case "ping":
        // By a timer: a frozen page hears, and does nothing else.
        if (message.to === this.#tab.name) setTimeout(() => this.#channel.send({ kind: "here" }), 0);
        break;
      case "stored":
        this.#calls.stored(from, message.ops);
        break;
      case "session":
        void this.#session.adopt();
        break;
      case "taken":
        this.#calls.taken(from, message);
        break;
      case "released":
        this.#calls.released(message.call);
        break;
      case "frozen":
        void this.#calls.takeOver(from, true);
        break;
      case "cancel":
        if (this.#calls.carries(message.call)) this.#client?.wire.runtime.cancelRecord(this.#client.wire.handle, message.call, message.reason);
        break;
      case "forward":
        this.#client?.sessions?.serve(from, message.text);
        break;
      case "told":
        if (message.to === this.#tab.name) this.#client?.sessions?.forwardSettled(message.request, message.outcome, message.text);
        break;
      case "wiped":
        if (this.#isMine(message.generation)) void this.#wiped();
        break;
      case "said":
        this.#client?.said(message.event, message.position, message.text);
        break;
    }
  }

  #watchPage(listens: boolean): void {
    const page = {
      left: (): void => {
        if (this.#client && !this.#client.sessions) this.#client.wire.runtime.hide(this.#client.wire.handle);
      },
      rest: (): void => {
        this.#client?.streams.rest(true);
        if (listens) this.#client?.wire.runtime.listen(this.#client.wire.handle, false, false);
        this.#listening.end();
        this.#channel.send({ kind: "frozen" });
        this.#calls.rest();
        this.#asleep = true;
      },
      wake: async (): Promise<void> => {
        this.#peers.deaf();
        this.#catchUp();
        // It may have been taken for dead.
        await this.#calls.reread();
        await this.#session.adopt();
        this.#client?.streams.rest(false);
        if (!listens) return;
        if (this.#forgotten) this.#client?.wire.runtime.listen(this.#client.wire.handle, true, true);
        else void this.#listening.ask();
      },
      hide: (): void => {
        this.#session.release();
        this.#peers.stop();
        this.#channel.close();
      },
      show: async (): Promise<void> => {
        this.#asleep = false;
        await this.#tab.live();
        this.#session.use();
        if (this.#forgotten) return;
        this.#channel.open();
        for (const name of await this.#tab.living()) this.#peers.add(name);
        this.#channel.send({ kind: "hello" });
        for (const call of this.#calls.others()) await this.#calls.read(call);
      },
      seen: (): void => this.#peers.deaf(),
    };
    watchPage(page, this.#unlisten.signal);
  }
}
