import { TAB_EFFECT, TAB_INPUT } from "../base/border.js";
import { aboutOf, OpList } from "../runtime/ops.js";
import type { Committed, Store } from "../storage/storage.js";
import type { Channel, Message } from "./channel.js";
import type { JournalClient } from "./journalclient.js";
import type { Peers } from "./peers.js";

/**
 * Who carries a call, as far as it is done here: what the core asks for (core/tabs) of
 * the store, the locks and the channel, and what those say. It decides nothing.
 */
export class Carrying {
  readonly #tab: string;
  readonly #store: Store;
  readonly #channel: Channel;
  readonly #peers: Peers;
  readonly #client: () => JournalClient | undefined;
  #awake: (() => void) | undefined;

  /** `tab` is the name of this page; `client` is undefined while there is none, or the page is closing. */
  constructor(tab: string, store: Store, channel: Channel, peers: Peers, client: () => JournalClient | undefined) {
    this.#tab = tab;
    this.#store = store;
    this.#channel = channel;
    this.#peers = peers;
    this.#client = client;
  }

  /** Tells the core what another page says, by its name, or what has become of this one: a TAB_INPUT. */
  input(what: number, name = "", ops: Uint8Array | "" = ""): void {
    const wire = this.#client()?.wire;
    wire?.runtime.tabs(wire.handle, what, 0, name, ops);
  }

  /** Tells it what the store says, where the client that asked is still the one. */
  answer(client: JournalClient | undefined, what: number, ticket: number, list?: OpList): void {
    if (!client || client !== this.#client()) return;
    client.wire.runtime.tabs(client.wire.handle, what, ticket, "", list?.bytes() ?? "");
  }

  /** Tells it what a commit has found out: calls that other pages carry, and those whose keys they have. */
  foundOut(client: JournalClient | undefined, ticket: number, fenced: Committed["fenced"], lost: Committed["lost"]): void {
    const list = new OpList();
    for (const call of fenced) list.about(call);
    for (const { call, holder } of lost) {
      list.lostKey(call);
      if (holder) list.call(holder);
    }
    this.answer(client, TAB_INPUT.fenced, ticket, list);
  }

  /** A message of another page's: that page has said something, whatever it was. */
  heard(from: string, message: Message): void {
    const about = new OpList();
    switch (message.kind) {
      case "stored":
        return this.input(TAB_INPUT.hearStored, from, message.ops);
      case "taken":
        return this.input(TAB_INPUT.hearTaken, from, about.about(message.call, message.epoch, message.sealed).list(message.ops).bytes());
      case "released":
        return this.input(TAB_INPUT.hearReleased, from, about.about(message.call).bytes());
      case "asked":
        return this.input(TAB_INPUT.hearAsked, from, about.about(message.call).bytes());
      case "told":
        return this.input(TAB_INPUT.hearTold, from, message.ops);
      case "frozen":
        return this.input(TAB_INPUT.hearFrozen, from);
      case "hello": // it has found this page's lock
        return this.input(TAB_INPUT.hearHere, from);
      case "here":
        return this.input(message.to === this.#tab ? TAB_INPUT.hearHere : TAB_INPUT.hear, from);
      default:
        return this.input(TAB_INPUT.hear, from);
    }
  }

  /** Resolves once the core knows what other pages did while this one slept. */
  wake(): Promise<void> {
    return new Promise((resolve) => {
      this.#awake = resolve;
      this.input(TAB_INPUT.wake);
    });
  }

  /** Does what the core asks for: a TAB_EFFECT. */
  carryOut(kind: number, ticket: number, payload: Uint8Array<ArrayBuffer>): void {
    switch (kind) {
      case TAB_EFFECT.read:
        void this.#read(ticket, aboutOf(payload).call);
        break;
      case TAB_EFFECT.takeOver:
        void this.#takeOver(ticket, aboutOf(payload));
        break;
      case TAB_EFFECT.release:
        void this.#release(aboutOf(payload).call);
        break;
      case TAB_EFFECT.watch:
        this.#peers.watch(nameOf(payload));
        break;
      case TAB_EFFECT.broadcast:
        this.#channel.tell({ kind: "stored", ops: payload });
        break;
      case TAB_EFFECT.broadcastSession:
        this.#channel.tell({ kind: "session" });
        break;
      case TAB_EFFECT.broadcastTaken: {
        const { call, epoch, n, rest } = aboutOf(payload);
        this.#channel.send({ kind: "taken", call, epoch, sealed: n, ops: rest });
        break;
      }
      case TAB_EFFECT.ask:
        this.#channel.tell({ kind: "asked", call: aboutOf(payload).call });
        break;
      case TAB_EFFECT.tell:
        this.#channel.tell({ kind: "told", ops: payload });
        break;
      case TAB_EFFECT.ping:
        this.#channel.send({ kind: "ping", to: nameOf(payload) });
        break;
      case TAB_EFFECT.awake:
        this.#awake?.();
        break;
    }
  }

  async #read(ticket: number, call: number): Promise<void> {
    const client = this.#client();
    const loaded = await this.#store.read(call).catch(() => undefined);
    const list = new OpList();
    if (loaded) list.call(loaded);
    else if (loaded === null) list.forget(call, await this.#store.ended(call).catch(() => 0));
    this.answer(client, TAB_INPUT.answer, ticket, list);
  }

  async #takeOver(ticket: number, { call, epoch }: { call: number; epoch: number }): Promise<void> {
    const client = this.#client();
    const loaded = await this.#store.takeOver(call, epoch).catch(() => null);
    this.answer(client, TAB_INPUT.answer, ticket, loaded ? new OpList().call(loaded) : undefined);
  }

  async #release(call: number): Promise<void> {
    try {
      await this.#store.release(call);
    } catch {
      return; // it is there for others once this page is gone
    }
    this.#channel.send({ kind: "released", call });
  }
}

function nameOf(payload: Uint8Array): string {
  return new TextDecoder().decode(payload);
}
