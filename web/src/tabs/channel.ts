// Messages between the pages of one server and user. No message has a secret: rows go without their sealed
// parts. Any script of the origin may post a message there. So the receiver checks each message, and looks up
// in the store what a message says of the store before anything ends by it.

import { EVENT } from "../base/border.js";
import { checked, type Fields } from "../base/checkedmessage.js";
import { hasBroadcast } from "./broadcast.js";

/** A message to the other pages. */
export type Message =
  /** A page is here; whoever hears it says `here`, and to whom. */
  | { kind: "hello" }
  | { kind: "here"; to: string }
  /** Operations that the sender has stored (runtime/ops.ts). */
  | { kind: "stored"; ops: Uint8Array }
  /** The server's row is a new one. */
  | { kind: "session" }
  /**
   * The sender carries this call from now on, under `epoch`; the log of the epoch
   * before ends with row `sealed`. `ops` are its last rows, which the sender had
   * not got either.
   */
  | { kind: "taken"; call: number; epoch: number; sealed: number; ops: Uint8Array }
  /** The sender cannot read this call, and has given it up: whoever can takes it over. */
  | { kind: "released"; call: number }
  /**
   * Asks for the outcome of a call that is no longer stored. The page that carried the call tells, if it
   * remembers.
   */
  | { kind: "asked"; call: number }
  | { kind: "told"; ops: Uint8Array }
  /** The sender is being frozen: what can be gone on with is anybody's. */
  | { kind: "frozen" }
  /** Whoever carries the call is asked to cancel it. */
  | { kind: "cancel"; call: number; reason: string }
  /** Whoever carries a session with an agent is asked for something in it: the core's own words (core/acp/request_forward.go). */
  | { kind: "forward"; text: string }
  /** The outcome of a request that was passed on, by its id; `outcome` 0: the sender has the request. */
  | { kind: "settled"; to: string; request: number; outcome: number; text: string }
  /** An event that the server sent unasked: one page listens for all that share the session. */
  | { kind: "said"; event: number; position: number; text: string }
  /**
   * A logout has deleted all that was stored. `generation` names the store; empty for one that could not be
   * opened.
   */
  | { kind: "wiped"; generation: string }
  /** Asks for the page that listens for all. That page says so (vouching.ts). */
  | { kind: "vouch"; text: string }
  /** Asks whether that page is able to answer. The page says `here`. */
  | { kind: "ping"; to: string };

/** The members of each message. */
const FROM_TAB: Fields<Message, "kind"> = {
  hello: {},
  here: { to: "s" },
  stored: { ops: "u8" },
  session: {},
  taken: { call: "n", epoch: "n", sealed: "n", ops: "u8" },
  released: { call: "n" },
  asked: { call: "n" },
  told: { ops: "u8" },
  frozen: {},
  cancel: { call: "n", reason: "s" },
  forward: { text: "json" },
  settled: { to: "s", request: "n", outcome: "n", text: "s" },
  said: { event: "n", position: "n", text: "json" },
  wiped: { generation: "s" },
  vouch: { text: "json" },
  ping: { to: "s" },
};

/**
 * True if the page that listens tells events of that kind to the other pages, e.g. the server's
 * notifications.
 */
export function isTold(event: number): boolean {
  return event === EVENT.notification || event === EVENT.log || event === EVENT.status;
}

/** The message and the name of its sender; undefined for anything else. */
function heard(data: unknown): { from: string; message: Message } | undefined {
  const { from, message: said } = (data ?? {}) as { from?: unknown; message?: unknown };
  const message = checked<Message, "kind">(FROM_TAB, "kind", said);
  return typeof from !== "string" || !message || (message.kind === "said" && !isTold(message.event)) ? undefined : { from, message };
}

/** Channels that are open in this page. */
const channels = new Set<Channel>();

/** The way to the other pages; where there is no BroadcastChannel, to nobody. */
export class Channel {
  readonly #name: string;
  readonly #tab: string;
  readonly #receive: (from: string, message: Message) => void;
  #channel: BroadcastChannel | undefined;
  /** True if the store is in this page's memory, which no other page can read. */
  inMemory = false;

  constructor(server: string, tab: string, receive: (from: string, message: Message) => void) {
    this.#name = `holdfast.${server}`;
    this.#tab = tab;
    this.#receive = receive;
    this.open();
  }

  /** Opens it, again after {@link Channel.close}. */
  open(): void {
    channels.add(this);
    if (this.#channel || !hasBroadcast()) return;
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      const { from, message } = heard(data) ?? {};
      if (message && from !== this.#tab) this.#receive(from!, message);
    };
  }

  send(message: Message): void {
    this.#channel?.postMessage({ from: this.#tab, message });
  }

  /** Tells those that have what the sender stores. */
  tell(message: Message): void {
    if (!this.inMemory) return this.send(message);
    for (const other of channels) {
      if (other === this || other.#name !== this.#name || !other.inMemory) continue;
      queueMicrotask(() => channels.has(other) && other.#receive(this.#tab, message));
    }
  }

  close(): void {
    channels.delete(this);
    this.#channel?.close();
    this.#channel = undefined;
  }
}
