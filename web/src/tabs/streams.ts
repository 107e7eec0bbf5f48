import type { Wire } from "../runtime/wire.js";
import { EVENT, StreamState } from "../base/border.js";
import { Connections, type Stream } from "./connections.js";
import { watchProtocol } from "./protocols.js";

/** How long a stream is read at least before it gives its connection back, in ms: what has waited at the server comes first. */
const READ = 1_000;
/** How long it may take to open, in ms, before the connection is given to another. */
const OPEN = 8_000;

/** The streams of the calls that one client carries: which of them may have a connection now. */
export class Streams {
  readonly #wire: Wire;
  readonly #url: string | undefined;
  readonly #learned: () => void;
  #connections: Connections | undefined;
  #unwatch: (() => void) | undefined;
  readonly #streams = new Map<number, CallStream>();
  #resting = false;

  /** Those to the server at `url`; `learned` is told where it turns out that connections to it are few, or not. */
  constructor(wire: Wire, url?: string, learned: () => void = () => {}) {
    this.#wire = wire;
    this.#url = url;
    this.#learned = learned;
  }

  /** A client begins. */
  begin(): void {
    const url = this.#url;
    if (url === undefined || this.#unwatch) return;
    this.#connections = Connections.of(url);
    this.#unwatch = watchProtocol(url, () => this.#share(Connections.of(url)));
  }

  /** Calls wait for a connection from here on, or none does. One that cannot be resumed keeps what it has. */
  #share(connections: Connections | undefined): void {
    const before = this.#connections;
    if (connections === before) return;
    this.#connections = connections;
    this.#wire.runtime.scarce(this.#wire.handle, this.scarce);
    for (const stream of [...this.#streams.values()]) {
      before?.leave(stream);
      if (this.#resting) continue; // it is taken up when the page is back
      if (connections) stream.let();
      if (connections) this.#join(stream);
      else stream.take();
    }
    before?.rest();
    this.#learned();
  }

  /** True if calls wait until they are given a connection, e.g. with HTTP/1.1. */
  get scarce(): boolean {
    return this.#connections !== undefined;
  }

  /** True if the next call has a connection from its beginning. */
  get ready(): boolean {
    return !this.#resting && this.#connections?.ready === true;
  }

  /** This client carries the call, which has the connection that was ready where `begun`. */
  add(call: number, begun = false): void {
    if (this.#streams.has(call)) return;
    const stream = new CallStream(this.#wire, call);
    this.#streams.set(call, stream);
    if (begun) this.#connections?.begin(stream);
    else if (!this.#resting) this.#join(stream);
  }

  /** The call wants a connection, unless it waits until somebody has signed in. */
  #join(stream: CallStream): void {
    if (!stream.awaits) this.#connections?.join(stream);
  }

  /** The call wants no connection any more. */
  remove(call: number): void {
    const stream = this.#streams.get(call);
    if (!stream) return;
    this.#streams.delete(call);
    this.#connections?.leave(stream);
  }

  /** A call has had an event: what it says of its stream. */
  heard(call: number, kind: number, stream: number): void {
    if (kind === EVENT.status) this.#awaits(call, stream === StreamState.Awaiting);
    if (kind === EVENT.resumed) this.#streams.get(call)?.open();
    if (kind === EVENT.task) this.#task(call, stream === StreamState.Spare);
    else if (kind === EVENT.segment) this.#connections?.handOver();
    if (stream === StreamState.Followed || stream === StreamState.Polled) this.remove(call);
    else if (stream === StreamState.Owned) this.add(call);
    else if (stream === StreamState.Open) this.#streams.get(call)?.open();
    else if (stream === StreamState.Parked) this.#streams.get(call)?.parked();
  }

  /** The call waits until somebody has signed in, or does so no more: meanwhile others have its connection. */
  #awaits(call: number, awaits: boolean): void {
    const stream = this.#streams.get(call);
    if (!stream || stream.awaits === awaits || stream.hasTask) return;
    stream.awaits = awaits;
    // Later: this is said within the core's effects.
    queueMicrotask(() => {
      if (stream.awaits !== awaits || this.#streams.get(call) !== stream || this.#resting) return;
      if (!awaits) return this.#join(stream);
      if (!this.#connections) return;
      stream.let();
      this.#connections.leave(stream);
    });
  }

  /** The call waits for a task, which can do without a connection unless it asks something. */
  #task(call: number, spare: boolean): void {
    const stream = this.#streams.get(call);
    if (!stream) return;
    this.#awaits(call, false);
    stream.hasTask = true;
    stream.spare = spare;
    stream.open();
    this.#connections?.changed(stream);
  }

  /** The page is being frozen, and what it holds would be held for nothing; or it is back. */
  rest(resting: boolean): void {
    this.#resting = resting;
    for (const stream of [...this.#streams.values()]) {
      if (resting) {
        stream.let();
        this.#connections?.leave(stream);
      } else if (this.#connections) {
        this.#join(stream);
      } else {
        stream.take();
      }
    }
    if (resting) this.#connections?.rest();
  }

  /** The client is over. */
  clear(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    for (const call of [...this.#streams.keys()]) this.remove(call);
  }
}

class CallStream implements Stream {
  readonly #wire: Wire;
  readonly #call: number;
  #taken = performance.now();
  #opened: number | undefined;
  #parked = false;
  spare = false;
  hasTask = false;
  /** True while the call waits for a sign-in. */
  awaits = false;

  constructor(wire: Wire, call: number) {
    this.#wire = wire;
    this.#call = call;
  }

  take(): void {
    this.#taken = performance.now();
    this.#opened = this.spare ? this.#taken : undefined;
    this.#parked = false;
    this.#wire.runtime.hold(this.#wire.handle, this.#call, false);
  }

  give(): boolean {
    const now = performance.now();
    const due = this.#opened === undefined ? this.#taken + OPEN : this.#opened + READ;
    return (this.spare || now >= due) && this.let();
  }

  heldUp(): void {
    this.#wire.runtime.heldUp(this.#wire.handle, this.#call);
  }

  /** Lets go of the stream; false where it could not be resumed. */
  let(): boolean {
    this.#wire.runtime.hold(this.#wire.handle, this.#call, true);
    return this.#parked;
  }

  open(): void {
    this.#opened ??= performance.now();
  }

  parked(): void {
    this.#parked = true;
  }
}
