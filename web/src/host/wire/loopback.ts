// A port between a page and a host that is in the page as well: the same messages as between a page and a worker.

/** Members that a page and its host need of the port between them. A MessagePort has them. */
export interface HostPort {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: object, transfer?: Transferable[]): void;
  start(): void;
  close(): void;
}

/**
 * Both ends of it. What one end posts the other takes in the same task, as the object that it is: what crosses is
 * text, or nobody else's. One message is taken at a time, in the order in which they were posted, whichever way they
 * go: what is posted while one is taken comes behind that, so that nobody is called within a call of theirs. As long
 * as an end has no listener, what is for it waits.
 */
export function loopback(): [HostPort, HostPort] {
  const turns = new Turns();
  const ends: [End, End] = [new End(turns), new End(turns)];
  for (const [i, end] of ends.entries()) end.other = ends[1 - i]!;
  return ends;
}

/** Messages to be taken, one at a time. */
class Turns {
  readonly #all: (() => void)[] = [];
  #isTaking = false;

  add(take: () => void): void {
    this.#all.push(take);
    if (this.#isTaking) return;
    this.#isTaking = true;
    for (let next = this.#all.shift(); next; next = this.#all.shift()) {
      try {
        next();
      } catch (error) {
        reportError(error); // as of a listener of a port's
      }
    }
    this.#isTaking = false;
  }
}

class End implements HostPort {
  other!: End;
  readonly #turns: Turns;
  /** Messages that came before there was a listener; undefined once the port is closed. */
  #early: object[] | undefined = [];
  #hears: HostPort["onmessage"] = null;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  get onmessage(): HostPort["onmessage"] {
    return this.#hears;
  }

  set onmessage(hears: HostPort["onmessage"]) {
    this.#hears = hears;
    if (hears) for (const message of this.#early?.splice(0) ?? []) this.#turns.add(() => this.#take(message));
  }

  postMessage(message: object): void {
    if (this.#early) this.#turns.add(() => this.other.#take(message));
  }

  start(): void {}

  close(): void {
    this.#early = undefined;
    this.#hears = null;
  }

  #take(message: object): void {
    if (this.#hears) this.#hears({ data: message } as MessageEvent);
    else this.#early?.push(message);
  }
}
