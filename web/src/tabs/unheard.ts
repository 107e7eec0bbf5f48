import type { Message } from "./channel.js";
import { decodeOps, OpList } from "../runtime/ops.js";

/** Bytes of messages that are kept whole. */
const MOST = 1 << 20;
/** And of all that is kept: more than that no pages say, but a script that goes on and on. */
const MOST_OF_ALL = 16 * MOST;

/**
 * Messages of other pages to a page that cannot act on them: it is frozen, for hours maybe, and still hears,
 * or its client is just being made. Messages up to a bound are kept whole. Of later messages only those parts
 * are kept that begin, end or transfer a call, and the calls that have more rows in the store. A server's
 * unasked messages are not kept then.
 */
export class Unheard {
  #messages: [from: string, message: Message][] = [];
  #bytes = 0;
  #kept = 0;
  readonly #missed = new Set<number>();

  /** Takes a message. */
  add(from: string, message: Message): void {
    this.#bytes += sizeOf(message);
    const kept = this.#bytes <= MOST ? message : this.#shortened(message);
    const bytes = kept ? sizeOf(kept) + 2 * from.length : 0;
    if (!kept || this.#kept + bytes > MOST_OF_ALL) return;
    this.#kept += bytes;
    this.#messages.push([from, kept]);
  }

  /**
   * Removes and returns the messages, in the order in which they came, and the calls whose rows are to be
   * read.
   */
  take(): { messages: [from: string, message: Message][]; missed: number[] } {
    const taken = { messages: this.#messages, missed: [...this.#missed] };
    this.#messages = [];
    this.#bytes = 0;
    this.#kept = 0;
    this.#missed.clear();
    return taken;
  }

  #shortened(message: Message): Message | undefined {
    switch (message.kind) {
      case "hello":
      case "here":
      case "ping":
      case "asked":
      case "vouch":
      case "said":
        return undefined; // nobody waits so long for an answer
      case "session": // there is one to read
        return this.#messages.some(([, { kind }]) => kind === "session") ? undefined : message;
      case "taken":
        this.#missed.add(message.call);
        return { ...message, ops: new Uint8Array(0) };
      case "stored": {
        const list = new OpList();
        for (const op of decodeOps(message.ops)) {
          if (op.kind === "call") list.head(op.call, op.epoch, false, op.plain);
          else if (op.kind === "forget") list.forget(op.call, op.outcome ?? 0);
          else if (op.kind === "log") this.#missed.add(op.call);
        }
        const ops = list.bytes();
        return ops.length > 0 ? { kind: "stored", ops } : undefined;
      }
      default:
        return message; // made by an app, or the end of something
    }
  }
}

function sizeOf(message: Message): number {
  const { ops, text = "", reason = "" } = message as { ops?: Uint8Array; text?: string; reason?: string };
  return 100 + (ops?.length ?? 0) + 2 * (text.length + reason.length);
}
