// What a test plays at random is made of: numbers by a seed, a channel whose messages arrive when the test
// says so, and the locks of an origin.

import type { Open } from "../src/base/mcp.js";

/** Numbers from 0 on, below `n`: the same for the same seed (mulberry32). */
export function random(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

/** One end of a channel: messages arrive when the test says so. */
export class Port {
  onmessage: ((event: MessageEvent) => void) | null = null;
  peer!: Port;
  isClosed = false;
  readonly #inbox: unknown[] = [];
  /** Looks at what arrives, or is sent. */
  arrives = (_: Open): void => {};
  sends = (_: Open): void => {};

  start(): void {}

  close(): void {
    this.isClosed = true;
    this.#inbox.length = 0;
  }

  postMessage(data: unknown, transfer: Transferable[] = []): void {
    if (this.isClosed || this.peer.isClosed) return;
    this.sends(data as Open);
    this.peer.#inbox.push(structuredClone(data, { transfer }));
  }

  get waits(): boolean {
    return this.#inbox.length > 0 && this.onmessage !== null;
  }

  deliver(): void {
    const data = this.#inbox.shift() as Open;
    this.arrives(data);
    this.onmessage!({ data } as MessageEvent);
  }
}

/** The locks of one origin: exclusive, in the order of the requests. */
export class Locks {
  readonly #held = new Map<string, () => void>();
  readonly #queues = new Map<string, (() => void)[]>();

  request(
    name: string, ...[options, work]: [() => unknown] | [{ signal?: AbortSignal }, () => unknown]
  ): Promise<unknown> {
    const run = work ?? (options as () => unknown);
    const signal = work ? (options as { signal?: AbortSignal }).signal : undefined;
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(name) ?? [];
      this.#queues.set(name, queue);
      const grant = (): void => {
        let isOver = false;
        const end = (): void => {
          if (isOver) return;
          isOver = true;
          this.#held.delete(name);
          queue.shift()?.();
        };
        this.#held.set(name, end);
        void Promise.resolve(run()).finally(end).then(resolve, reject);
      };
      signal?.addEventListener("abort", () => {
        const at = queue.indexOf(grant);
        if (at >= 0) queue.splice(at, 1);
        reject(signal.reason as Error);
      });
      if (this.#held.has(name)) queue.push(grant);
      else grant();
    });
  }

  /** Whoever holds it has gone. */
  free(name: string): void {
    this.#held.get(name)?.();
  }
}
