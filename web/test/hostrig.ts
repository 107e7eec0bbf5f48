import type { HostLink, LinkedClient } from "../src/host/page/hostlink.js";
import { hostEnded } from "../src/host/page/hostlink.js";
import type { HostMessage, PageMessage } from "../src/host/wire/protocol.js";
import { type ErrorCode, HoldfastError } from "../src/base/errors.js";

/**
 * A link to a host that is the test itself: what the page says is in `said`, and `answers` says what comes of
 * it.
 */
export class FakeLink {
  readonly said: PageMessage[] = [];
  readonly clients = new Map<number, LinkedClient>();
  isOver = false;
  /** It ends with the last client that was there. */
  isShared = false;
  #numbers = 0;
  readonly #asked =
    new Map<number, { op: string; resolve(value: unknown): void; reject(error: HoldfastError): void }>();

  /** `opens`: a client is open as soon as it is asked for. */
  constructor(readonly opens: boolean) {}

  /** The page has its lock. */
  readonly held: Promise<void> = Promise.resolve();

  /** Nothing was said with the hello. */
  claim(): boolean {
    return false;
  }

  unused(): void {
    this.remove(0);
  }

  get link(): HostLink {
    return this as unknown as HostLink;
  }

  number(): number {
    return (this.#numbers += 2);
  }

  add(number: number, client: LinkedClient): void {
    this.clients.set(number, client);
  }

  has(number: number): boolean {
    return !this.isOver && this.clients.has(number);
  }

  addCall(): void {}

  remove(number: number): void {
    if (this.clients.delete(number) && this.isShared && this.clients.size === 0) this.isOver = true;
  }

  send(message: PageMessage): void {
    if (this.isOver) return;
    this.said.push(message);
    if ((message.t === "connect" || message.t === "agent") && this.opens) queueMicrotask(() => this.open());
  }

  ask(op: string, _: unknown, message: (ask: number) => PageMessage): Promise<unknown> {
    const ask = this.number();
    return new Promise((resolve, reject) => {
      if (this.isOver) return reject(hostEnded(op));
      this.send(message(ask));
      this.#asked.set(ask, { op, resolve, reject });
    });
  }

  /** What was said, by its kinds; an ask by its method. */
  get kinds(): string[] {
    return this.said.map((message) => (message.t === "ask" ? message.method : message.t));
  }

  /** All clients are open. */
  open(): void {
    for (const [number, client] of this.clients) client.receive({ t: "opened", client: number });
  }

  tell(message: HostMessage): void {
    for (const client of this.clients.values()) client.receive(message);
  }

  /** Answers all that was asked. */
  answer(value: unknown): void {
    for (const { resolve } of this.#asked.values()) resolve(value);
    this.#asked.clear();
  }

  /** Refuses all that was asked, with that code. */
  refuse(code: ErrorCode): void {
    this.refusesLater(code)();
  }

  /** Takes all that was asked, and gives what refuses it later, with that code. */
  refusesLater(code: ErrorCode): () => void {
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    return () => {
      for (const { op, reject } of asked) reject(new HoldfastError({ code, op, message: "no" }));
    };
  }

  /** The worker dies. */
  die(): void {
    this.isOver = true;
    for (const { op, reject } of this.#asked.values()) reject(hostEnded(op));
    this.#asked.clear();
    for (const client of this.clients.values()) client.hostEnded();
  }
}
