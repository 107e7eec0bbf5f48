// The event streams of a test server. Each keeps what it has sent, so that a client that was cut gets the
// rest (2025-11-25 basic/transports, resumability and redelivery).

/** ms that a client waits before it is back. */
const RETRY = 10;

/** One stream, over as many connections as it takes. */
export class ServerStream {
  readonly #name: string;
  readonly #sent: string[] = [];
  readonly #open = new Set<ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>>();
  #isOver = false;

  constructor(name: string) {
    this.#name = name;
    // First an event without data, so that a client which is cut at once can come back (2025-11-25).
    this.#add(`retry: ${RETRY}\n`, "");
  }

  /** Says a message. */
  send(message: object): void {
    if (!this.#isOver) this.#add("", JSON.stringify(message));
  }

  /** Says the last one. */
  end(message: object): void {
    this.send(message);
    this.#isOver = true;
    for (const open of this.#open) open.close();
    this.#open.clear();
  }

  /** The body of a response that has what comes after so many events. */
  body(after: number, signal: AbortSignal | undefined): ReadableStream<Uint8Array<ArrayBuffer>> {
    let own: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
    return new ReadableStream({
      start: (controller) => {
        own = controller;
        for (const event of this.#sent.slice(after)) controller.enqueue(bytes(event));
        if (this.#isOver) return controller.close();
        this.#open.add(controller);
        signal?.addEventListener(
          "abort", () => this.#open.delete(controller) && controller.error(signal.reason), { once: true },
        );
      },
      cancel: () => void this.#open.delete(own),
    });
  }

  /** Breaks the connections that read it. */
  cut(): void {
    for (const open of this.#open) open.error(new TypeError("the test server has cut the stream"));
    this.#open.clear();
  }

  #add(before: string, data: string): void {
    const event = `${before}id: ${this.#name}-${this.#sent.length + 1}\ndata: ${data}\n\n`;
    this.#sent.push(event);
    for (const open of this.#open) open.enqueue(bytes(event));
  }
}

/** All streams of a server. */
export class EventStreams {
  #known = new Map<string, ServerStream>();
  /** For what is said unasked: one for each client that has begun to listen. */
  #unasked = new Set<ServerStream>();
  #last = 0;

  /** Makes one more stream. */
  make(): ServerStream {
    const name = `s${++this.#last}`;
    const stream = new ServerStream(name);
    this.#known.set(name, stream);
    return stream;
  }

  /** Makes a stream for messages that the server sends unasked from here on. */
  listening(): ServerStream {
    const stream = this.make();
    this.#unasked.add(stream);
    return stream;
  }

  /** Says something that nobody has asked for to all who listen, also to one that is cut just now. */
  unasked(message: object): void {
    for (const stream of this.#unasked) stream.send(message);
  }

  /** The stream that an event is of, and how many events there are up to that one. */
  after(eventId: string): [ServerStream, number] | undefined {
    const [, name = "", number = ""] = /^(s\d+)-(\d+)$/.exec(eventId) ?? [];
    const stream = this.#known.get(name);
    return stream && [stream, Number(number)];
  }

  /** Breaks all connections. */
  cut(): void {
    for (const stream of this.#known.values()) stream.cut();
  }

  /** Forgets all streams. */
  forget(): void {
    this.#known = new Map();
    this.#unasked = new Set();
  }
}

const encoder = new TextEncoder();
const bytes = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);
