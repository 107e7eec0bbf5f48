import { Kind } from "../base/border.js";
import type { HoldfastError } from "../base/errors.js";
import { Source } from "./eventsource.js";
import { Exchange } from "./exchange.js";
import { Reach, REACH } from "./reach.js";
import type { ClientPort } from "./port.js";
import type { Reports } from "./reports.js";
import { Socket } from "./socket.js";
import type { TableRecord } from "./table.js";

/** A client of the core's, and what it has going in the browser. */
interface Client {
  readonly port: ClientPort;
  /** By the number that the core has given. */
  readonly exchanges: Map<number, Exchange | Reach | Source | Socket>;
  timer?: ReturnType<typeof setTimeout>;
}

/** Carries out the core's effects: exchanges and timers of the browser's, and events for its clients. */
export class Effects {
  readonly #reports: Reports;
  readonly #clients = new Map<number, Client>();
  /** Ends the listeners to the page once the Go program has ended. */
  readonly #page = new AbortController();

  constructor(reports: Reports) {
    this.#reports = reports;
    if (!globalThis.document) return;
    // Firefox ends the streams of a page that is left before pagehide. What the page asks for in between, as
    // the rest of such a stream, Firefox lets run while the tab is open, and the server then has two readers.
    addEventListener("pagehide", ({ persisted }) => {
      if (persisted) return;
      for (const { exchanges } of this.#clients.values()) {
        for (const exchange of exchanges.values()) if (!(exchange instanceof Socket)) exchange.leave();
      }
    }, { signal: this.#page.signal });
  }

  /** The core has a new client. */
  add(client: number, port: ClientPort): void {
    this.#clients.set(client, { port, exchanges: new Map() });
  }

  /** An exchange is over: there is nothing to abort. */
  over(client: number, exchange: number): void {
    this.#clients.get(client)?.exchanges.delete(exchange);
  }

  /** Ends all that a client has going. */
  release(client: number): void {
    const released = this.#clients.get(client);
    if (released) stop(released);
    this.#clients.delete(client);
  }

  /** The Go program has ended, and all that it had going with it. */
  exited(error: HoldfastError): void {
    this.#page.abort();
    const clients = [...this.#clients.values()];
    for (const client of clients) stop(client);
    for (const { port } of clients) port.exited(error);
    this.#clients.clear();
  }

  /**
   * Carries out the records of one input, in their order. One that cannot be carried out
   * must not take the others with it: a lost Wake would leave its client without a timer.
   */
  carryOut(records: readonly TableRecord[]): void {
    for (const r of records) {
      const client = this.#clients.get(r.client);
      if (!client) continue;
      try {
        this.#carryOutOne(r, client);
      } catch (error) {
        reportError(error);
      }
    }
  }

  #carryOutOne(r: TableRecord, client: Client): void {
    const { port, exchanges } = client;
    switch (r.kind) {
      case Kind.Deliver:
        port.deliver(r.id, r.sub, r.number, r.text, r.extra);
        break;
      case Kind.Settle:
        port.settle(r.id, r.sub, r.text);
        break;
      case Kind.State:
        port.state(r.text, r.number);
        break;
      case Kind.Token:
        port.token();
        break;
      case Kind.Store:
        port.store(r.id, { strict: (r.sub & 1) !== 0, unawaited: (r.sub & 2) !== 0 }, r.ops);
        break;
      case Kind.Tabs:
        port.tabs(r.sub, r.id, r.body!);
        break;
      case Kind.Recall:
        port.recall(r.id, r.text);
        break;
      case Kind.Replay:
        port.replay?.(r.id, r.number, r.body!);
        break;
      case Kind.Value:
        port.mirrored?.(r.id, r.text);
        break;
      case Kind.Handshake:
        port.handshake();
        break;
      case Kind.Fetch: {
        if (r.parts[0] === REACH) {
          const reach = new Reach(this.#reports, r.client, r.id);
          exchanges.set(r.id, reach);
          void reach.start(r.parts[1]!, !port.fetch);
          break;
        }
        const exchange = new Exchange(this.#reports, r.client, r.id);
        exchanges.set(r.id, exchange);
        void exchange.start(r.parts, r.body, port, r.sub === 1);
        break;
      }
      case Kind.Source: {
        const source = new Source(this.#reports, r.client, r.id);
        exchanges.set(r.id, source);
        source.start(r.text, port.credentials);
        break;
      }
      case Kind.Socket: {
        const socket = new Socket(this.#reports, r.client, r.id);
        exchanges.set(r.id, socket);
        const [url = "", ...protocols] = r.parts;
        void socket.start(url, protocols, r.number);
        break;
      }
      case Kind.Frame: {
        const socket = exchanges.get(r.id);
        if (socket instanceof Socket) socket.send(r.text);
        break;
      }
      case Kind.Read:
        exchanges.get(r.id)?.read();
        break;
      case Kind.Abort:
        exchanges.get(r.id)?.abort();
        exchanges.delete(r.id);
        break;
      case Kind.Wake:
        clearTimeout(client.timer);
        client.timer = setTimeout(() => this.#reports.fired(r.client), r.number);
        break;
    }
  }
}

function stop({ timer, exchanges }: Client): void {
  clearTimeout(timer);
  for (const exchange of exchanges.values()) exchange.abort();
}
