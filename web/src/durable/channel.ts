// What the pages of one server and user tell each other. Nothing secret is in it:
// rows go without their sealed parts.

/** A message to the other pages. */
export type Message =
  /** A page is here; whoever hears it says `here`, so that each knows whether it is alone. */
  | { kind: "hello" }
  | { kind: "here" }
  /** Operations that the sender has stored (ops.ts). */
  | { kind: "stored"; ops: Uint8Array }
  /** The server's row is a new one. */
  | { kind: "session" }
  /** The sender carries this call from now on. */
  | { kind: "taken"; call: number }
  /** Whoever carries the call is asked to cancel it. */
  | { kind: "cancel"; call: number; reason: string }
  /** Is that page able to answer? It says `here`. */
  | { kind: "ping"; to: string };

/** The way to the other pages; where there is no BroadcastChannel, to nobody. */
export class Channel {
  readonly #tab: string;
  readonly #channel: BroadcastChannel | undefined;
  /** Whether another page has been heard. */
  heard = false;

  constructor(server: string, tab: string, receive: (from: string, message: Message) => void) {
    this.#tab = tab;
    if (typeof BroadcastChannel !== "function") return;
    this.#channel = new BroadcastChannel(`holdfast.${server}`);
    this.#channel.onmessage = ({ data }: MessageEvent<{ from: string; message: Message }>) => {
      this.heard = true;
      // Two clients of one page hear each other, too.
      receive(data.from, data.message);
    };
  }

  send(message: Message): void {
    this.#channel?.postMessage({ from: this.#tab, message });
  }

  close(): void {
    this.#channel?.close();
  }
}
