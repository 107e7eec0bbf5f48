import type { LoadedCall, LostKey, Op, Store } from "../storage/storage.js";
import type { Message } from "./channel.js";
import { type Followed, FollowedCalls, type Row } from "./followed.js";
import type { JournalClient } from "./journalclient.js";
import { decodeOps, OpList } from "../runtime/ops.js";
import { takenMessage } from "./telling.js";

/** What the calls ask of the journal that they are in. */
export interface CarriedCallsUse {
  /** Undefined while there is none, or the page is closing. */
  client(): JournalClient | undefined;
  /** Gives the core what was read. */
  restore(list: OpList): void;
  /** Tells the other pages. */
  send(message: Message): void;
  /** Who carries calls has changed. */
  moved(): void;
}

/** What is known of a call that this page carries. */
interface Owned {
  epoch: number;
  /** It has its outcome. */
  done: boolean;
  /** It has a key, under which another page may follow it that this one has not heard of yet. */
  keyed?: boolean;
}

/**
 * Who carries each call: this page, with the epoch that makes its rows count,
 * or another one, which this page follows and takes over from when it ends.
 */
export class CarriedCalls {
  readonly #store: Store;
  readonly #use: CarriedCallsUse;
  readonly #followed = new FollowedCalls();
  /** The calls that this page carries. */
  readonly #owned = new Map<number, Owned>();
  readonly #taking = new Set<number>();
  /** The calls that the core cannot read: another build has written them, or they are damaged. */
  readonly #unreadable = new Set<number>();
  #ending = false;
  /** Counts the page's sleeps and wakes. */
  #round = 0;

  constructor(store: Store, use: CarriedCallsUse) {
    this.#store = store;
    this.#use = use;
  }

  /** Books calls as they were read. */
  loaded(calls: readonly LoadedCall[]): void {
    for (const call of calls) {
      if (call.owned) this.#owned.set(call.call, { epoch: call.epoch, done: call.ended });
      else this.#followed.loaded(call);
    }
    this.#use.moved();
  }

  /** Books the calls that begin with a commit of this page's. */
  begun(ops: readonly Op[]): void {
    for (const op of ops) if (op.kind === "call") this.#owned.set(op.call, { epoch: op.epoch, done: false });
    for (const op of ops) if (op.kind === "key") this.#owned.get(op.call)!.keyed = true;
  }

  /**
   * The core cannot read a call. What a page cannot read it does not own (fault 135): it
   * is given up, where this page has it, and left alone until somebody forgets it.
   */
  quarantined(call: number): void {
    this.#unreadable.add(call);
    this.#followed.delete(call);
    this.#use.moved();
    if (this.#owned.delete(call)) void this.#release(call);
  }

  async #release(call: number): Promise<void> {
    try {
      await this.#store.release(call);
    } catch {
      return; // it is there for others once this page is gone
    }
    this.#use.send({ kind: "released", call });
  }

  /** A page has given a call up, since it cannot read it: whoever can takes it over. */
  released(call: number): void {
    if (this.#owned.has(call) || this.#unreadable.has(call)) return;
    if (!this.#followed.later(call, () => this.released(call))) void this.read(call);
  }

  /** Takes over what nobody has of calls that the core was given, and could read. */
  takeUnowned(calls: readonly LoadedCall[]): void {
    for (const { call, owned, owner } of calls) {
      if (!owned && owner === "" && this.reads(call)) void this.#take(call, owner, false);
    }
  }

  /** Whether the core could read a call that is stored. */
  reads(call: number): boolean {
    return this.#use.client()?.reads(call) === true && !this.#unreadable.has(call);
  }

  /** A call of this page's was not added: the one that has its key is followed, and the core told of it. */
  lostKey({ call, holder }: LostKey): void {
    this.#owned.delete(call);
    const list = new OpList().lostKey(call);
    if (holder) {
      list.call(holder);
      // That page may have told of it first.
      if (!holder.owned && !this.#followed.has(holder.call)) this.#followed.loaded(holder);
    }
    this.#use.moved();
    this.#use.restore(list);
    if (holder) this.takeUnowned([holder]);
  }

  /** Whether other pages may follow a call that this page does not know to be there. */
  isShared(call: number): boolean {
    return this.#owned.get(call)?.keyed === true;
  }

  /** Books those that end with one. */
  ended(ops: readonly Op[]): void {
    for (const op of ops) if (op.kind === "forget") this.#owned.delete(op.call);
  }

  /** A call has its outcome: nobody needs to carry it any more. */
  done(call: number): void {
    const owned = this.#owned.get(call);
    if (owned) owned.done = true;
    const followed = this.#followed.get(call);
    if (!followed) return;
    followed.done = true;
    // Once for all that a page finds ended when it loads: it asks who carries the others.
    if (this.#ending) return;
    this.#ending = true;
    queueMicrotask(() => {
      this.#ending = false;
      this.#use.moved();
    });
  }

  /** Forgets all of them; the store does not. */
  clear(): void {
    this.#followed.clear();
    this.#owned.clear();
    this.#unreadable.clear();
    this.#use.moved();
  }

  /** Whether this page carries a call. */
  carries(call: number): boolean {
    return this.#owned.has(call);
  }

  /** The calls that this page carries. */
  mine(): number[] {
    return [...this.#owned.keys()];
  }

  /** Those that it follows. */
  others(): number[] {
    return [...this.#followed.keys()];
  }

  /** Those of them without an outcome. */
  unfinished(): number[] {
    return this.#followed.unfinished();
  }

  /** The pages that carry a call without an outcome. */
  owners(): Set<string> {
    return this.#followed.owners();
  }

  /** Another page has stored something. */
  stored(from: string, bytes: Uint8Array): void {
    const ops = decodeOps(bytes);
    for (const op of ops) {
      if (op.kind === "forget") this.#unreadable.delete(op.call);
      else if (op.kind !== "server" && this.#unreadable.has(op.call)) continue;
      switch (op.kind) {
        case "call":
          if (!this.#owned.has(op.call)) this.#written(from, op, ops);
          break;
        case "log":
          this.#row(from, op);
          break;
        case "forget":
          this.forgotten(op.call, op.outcome);
          break;
      }
    }
  }

  /**
   * Another page has begun a call, or written it anew. The core gets the rows that
   * were stored with its head along with that: of a call that has changed hands it
   * decides by them, and by the head alone it would wrongly.
   */
  #written(from: string, head: Extract<Op, { kind: "call" }>, ops: readonly Op[]): void {
    const { call, epoch, plain } = head;
    const list = new OpList().head(call, epoch, false, plain);
    let n = 0;
    for (const op of ops) {
      if (op.kind !== "log" || op.call !== call || op.epoch !== epoch || op.n !== n + 1) continue;
      n = op.n;
      list.row(call, op);
    }
    this.#followed.note(call, from, epoch, n);
    this.#use.moved();
    this.#use.restore(list);
  }

  #row(from: string, row: Row): void {
    if (!this.#use.client()) return;
    const epoch = this.#owned.get(row.call)?.epoch;
    if (epoch !== undefined) {
      if (row.epoch <= epoch) return; // by one who has not noticed that it was relieved
      this.#relieved(row.call, from);
    }
    if (this.#followed.later(row.call, () => this.#row(from, row))) return;
    const followed = this.#followed.get(row.call);
    const turn = followed ? this.#followed.turn(followed, row) : "missed";
    if (turn === "next") this.#use.restore(new OpList().row(row.call, row));
    else if (turn === "missed") void this.read(row.call);
  }

  /** Another page carries a call from now on. */
  taken(from: string, message: Extract<Message, { kind: "taken" }>): void {
    const { call, epoch, sealed, ops } = message;
    const mine = this.#owned.get(call)?.epoch;
    if (mine !== undefined) {
      if (epoch <= mine) return;
      this.#relieved(call, from).handed = { epoch, sealed };
      void this.read(call);
      return;
    }
    if (this.#followed.later(call, () => this.taken(from, message))) return;
    const followed = this.#followed.get(call);
    if (!followed || epoch <= followed.epoch) return;
    if (followed.epoch === epoch - 1) for (const op of decodeOps(ops)) if (op.kind === "log" && op.call === call) this.#row(from, op);
    if (followed.epoch === epoch - 1 && followed.n === sealed && !followed.reading) {
      this.#followed.note(call, from, epoch, 0);
      this.#use.moved();
      this.#use.client()?.sessions?.takenOver(call, epoch);
    } else {
      void this.read(call);
    }
  }

  /** This page has carried a call until now, and another one does. */
  #relieved(call: number, owner: string): Followed {
    this.#owned.delete(call);
    return this.#followed.note(call, owner, 0, 0);
  }

  /** A call is no longer stored; it had ended with `outcome`, 0 where that is not known. */
  forgotten(call: number, outcome = 0): void {
    if (this.#followed.later(call, () => this.forgotten(call, outcome))) return;
    this.#owned.delete(call);
    this.#followed.delete(call);
    this.#use.moved();
    this.#use.restore(new OpList().forget(call, outcome));
  }

  /**
   * Resolves once the core knows that another page carries a call, which a commit
   * has found out: that page may have said so first, and what it stored be read still.
   */
  async moved(call: number): Promise<void> {
    const reading = this.#followed.get(call)?.reading;
    if (this.#owned.has(call) || reading) await this.read(call);
    if (reading && this.#owned.has(call)) await this.read(call); // that one began before it moved
  }

  /** A page is heard for the first time: until now it may not have told of what it stores. */
  met(owner: string): void {
    for (const call of this.#followed.of(owner)) void this.read(call);
  }

  /**
   * Finds out what of this page's others have taken over while it slept. Resolves once
   * that is known of all that is under way; what has ended, which a page may have
   * thousands of, holds nothing up.
   */
  async reread(): Promise<void> {
    const round = ++this.#round;
    const mine = [...this.#owned];
    await Promise.all(mine.map(([call, { done }]) => done || this.read(call)));
    void this.#readEnded(mine.filter(([, { done }]) => done).map(([call]) => call), round);
  }

  async #readEnded(calls: readonly number[], round: number): Promise<void> {
    for (const call of calls) if (this.#round === round && this.#owned.has(call)) await this.read(call);
  }

  /** The page is being frozen: a transaction that it began now would hold up all others. */
  rest(): void {
    this.#round++;
  }

  /** Reads a call's whole log: rows were missed, or it has changed hands. */
  async read(call: number): Promise<void> {
    if (this.#unreadable.has(call)) return;
    const followed = this.#followed.get(call) ?? this.#followed.note(call, "", 0, 0);
    if (followed.reading) return new Promise((resolve) => followed.waiting.push(resolve));
    followed.reading = true;
    const mine = this.#owned.has(call);
    const loaded = await this.#store.read(call).catch(() => undefined);
    const outcome = loaded === null ? await this.#store.ended(call).catch(() => 0) : 0;
    followed.reading = false;
    if (this.#use.client() && this.#followed.get(call) === followed) {
      if (loaded?.owned) {
        this.#followed.delete(call);
        // Meanwhile it may have ended, or been forgotten.
        if (!mine || this.#owned.has(call)) this.#owned.set(call, { epoch: loaded.epoch, done: loaded.ended || followed.done });
      } else if (loaded) {
        this.#owned.delete(call);
        this.#followed.loaded(loaded);
        this.#use.restore(new OpList().call(loaded));
        this.takeUnowned([loaded]);
      } else if (loaded === null && followed.handed) {
        // It has ended and was acknowledged meanwhile: what was told of that comes next.
        const { epoch, sealed } = followed.handed;
        this.#followed.note(call, followed.owner, epoch, 0);
        this.#use.restore(new OpList().handed(call, epoch, sealed, outcome));
      } else if (loaded === null) {
        this.forgotten(call, outcome);
      }
      this.#use.moved();
    }
    for (const then of followed.waiting.splice(0)) then();
  }

  /**
   * Carries on what a page has carried that is gone, or lives and does not
   * answer: then only what can be gone on with. The store settles who does.
   */
  async takeOver(owner: string, lives: boolean): Promise<void> {
    for (const call of this.#followed.of(owner)) await this.#take(call, owner, lives);
  }

  async #take(call: number, owner: string, lives: boolean): Promise<void> {
    if (this.#taking.has(call)) return;
    this.#taking.add(call);
    await this.#takeCall(call, owner, lives);
    this.#taking.delete(call);
  }

  async #takeCall(call: number, owner: string, lives: boolean): Promise<void> {
    // What the others tell has no secrets, and so does not say whether it can.
    if (lives) await this.read(call);
    const followed = this.#followed.get(call);
    const client = this.#use.client();
    if (!client || followed?.owner !== owner || (followed.done && owner !== "")) return;
    if (lives && !client.resumable(call)) return;
    const { epoch, n } = followed;
    const loaded = await this.#store.takeOver(call, epoch).catch(() => null);
    if (!this.#use.client()) return;
    if (!loaded) {
      if (this.#followed.get(call)?.epoch === epoch) await this.read(call);
      return;
    }
    const waiting = this.#followed.get(call)?.waiting ?? [];
    this.#followed.delete(call);
    this.#owned.set(call, { epoch: loaded.epoch, done: loaded.ended });
    this.#use.moved();
    this.#use.restore(new OpList().call(loaded));
    if (this.#owned.has(call)) this.#use.send(takenMessage(loaded, n)); // else the core could not read it
    for (const then of waiting.splice(0)) then();
  }
}
