import { AGENT } from "../../agent/openagent.js";
import type { Asks } from "../../client/backend.js";
import type { CallControl } from "../../client/call.js";
import { ASKS } from "../../client/clientoptionkinds.js";
import type { RawEvent } from "../../client/events.js";
import { missing } from "../../client/storedevents.js";
import { storeKeys } from "../../connect/userstores.js";
import { Gap } from "../../base/eventqueue.js";
import { closedError } from "../../base/errors.js";
import { checkAll } from "../../base/kinds.js";
import { bytesOf } from "../../base/backlog.js";
import { forgetStored } from "../../tabs/forget.js";
import { forgetRevision } from "../../storage/revisions.js";
import { errorData } from "../wire/errordata.js";
import { EventBatch } from "../wire/eventbatch.js";
import type { PortCall } from "./portcall.js";
import type { PortView } from "./portview.js";
import type { HostMessage, PageMessage } from "../wire/protocol.js";

/** Events that are read from the store for a page in one go, at most, and bytes of them above which no more are. */
const MOST = 256;
const ENOUGH = 256 << 10;

/** Gaps that are read at a time. */
const MOST_READS = 1_000;

/** The page that asks. */
interface AskingPage {
  viewOf(client: number): PortView | undefined;
  closed(client: number): void;
  send(message: HostMessage): void;
}

/** Asks of a page that wait for their answers. */
export class PortAsks {
  readonly #page: AskingPage;
  readonly #aborts = new Map<number, AbortController>();
  /** Events that are being read again, by the page's number of the read. */
  readonly #reads = new Map<number, { readonly events: AsyncIterator<RawEvent>; readonly client: number | undefined }>();

  constructor(page: AskingPage) {
    this.#page = page;
  }

  /** Carries out what the page asks of a client. */
  ask({ client, ask, op, method, args }: Extract<PageMessage, { t: "ask" }>): void {
    const view = this.#page.viewOf(client);
    if (!view?.client) {
      const ends = method === "close" || method === "terminate";
      if (ends) this.#page.closed(client); // it is being opened
      this.answer(ask, ends ? Promise.resolve() : Promise.reject(closedError(op)));
      return;
    }
    switch (method) {
      case "calls":
        this.answer(ask, Promise.resolve(view.calls().map((call) => (call as unknown as PortCall<unknown>).number)));
        break;
      case "stored":
        this.answer(ask, view.stored());
        break;
      case "recorded":
        this.answer(ask, view.recorded());
        break;
      case "close":
      case "logout": {
        const end = async (): Promise<void> => {
          await view.placesKnown;
          await view.closeAbsent(method);
          await view[method]();
        };
        this.answer(ask, end().finally(() => this.#page.closed(client)));
        break;
      }
      default:
        this.answer(ask, Object.hasOwn(ASKS, method) ? this.#call(view, ask, op, method as keyof Asks, args) : Promise.reject(new TypeError(method)));
    }
  }

  /** Deletes what is stored, as a logout does. */
  forget({ ask, url, user, agents }: Extract<PageMessage, { t: "forget" }>): void {
    const keys = storeKeys(() => url, agents ? AGENT : "");
    const all = async (): Promise<void> => {
      await forgetRevision(url);
      if (user !== undefined) await forgetStored(await keys.of(user));
    };
    this.answer(ask, all());
  }

  async #call(view: PortView, ask: number, op: string, method: keyof Asks, args: unknown[]): Promise<unknown> {
    checkAll(op, args, ASKS[method]);
    const abort = new AbortController();
    const options = args.at(-1);
    // Those methods that take options have them last; rootsChanged has none.
    const all = args.length > 0 && typeof options === "object" && options !== null ? [...args.slice(0, -1), { ...options, ...(method !== "notify" && { signal: abort.signal }) }] : args;
    this.#aborts.set(ask, abort);
    try {
      return await (view.ask as (op: string, method: string, ...args: unknown[]) => Promise<unknown>).call(view, op, method, ...all);
    } finally {
      this.#aborts.delete(ask);
    }
  }

  abort(ask: number, why: string): void {
    this.#aborts.get(ask)?.abort(why);
  }

  /** Sends what comes of a promise. */
  answer(ask: number, promise: Promise<unknown>): void {
    promise.then(
      (value) => this.#page.send({ t: "answered", ask, value }),
      (error: unknown) => this.#page.send({ t: "answered", ask, error: errorData(error) }),
    );
  }

  /** Reads more of a gap of a call of that client. */
  reread({ ask, call, read, events, from, to }: Extract<PageMessage, { t: "reread" }>, control: CallControl | undefined, client: number | undefined): void {
    let reader = this.#reads.get(read)?.events;
    if (!reader) {
      if (this.#reads.size >= MOST_READS) return this.answer(ask, Promise.resolve({ done: true }));
      const gap = new Gap();
      [gap.events, gap.from, gap.to] = [events, from, to];
      // The client may have the call no more.
      reader = control?.reread(0, gap) ?? (client === undefined ? missing(gap) : undefined);
      if (!reader) return this.answer(ask, Promise.resolve({ done: true }));
      this.#reads.set(read, { events: reader, client });
    }
    this.answer(ask, this.#next(call, read, reader));
  }

  async #next(call: number, read: number, reader: AsyncIterator<RawEvent>): Promise<unknown> {
    const batch = new EventBatch();
    let bytes = 0;
    for (let n = 0; n < MOST && bytes < ENOUGH; n++) {
      const { done, value } = await reader.next();
      if (done) {
        this.#reads.delete(read);
        return { ...batch.take(), done: true };
      }
      batch.add(call, value.kind, value.position, value.text, 0);
      bytes += bytesOf(value.text);
    }
    return { ...batch.take(), done: false };
  }

  /** Ends a read: no caller reads on. */
  stop(read: number): void {
    void this.#reads.get(read)?.events.return?.();
    this.#reads.delete(read);
  }

  /** Ends the reads of a client's calls, where the client is closed or its user is another one. */
  stopOf(client: number): void {
    for (const [read, one] of this.#reads) if (one.client === client) this.stop(read);
  }

  /** The page has gone. */
  end(): void {
    for (const abort of this.#aborts.values()) abort.abort();
    this.#aborts.clear();
    for (const read of this.#reads.keys()) this.stop(read);
  }
}
