// A client of both programs, and what it has asked of its host.

import { CallFlags, Ending, Kind, STORE_REASON, StoreResult, TokenAnswer, type StoreReasonWord } from "../../src/base/border.js";
import { numbers, type TableRecord } from "../../src/runtime/table.js";
import { clock, type InputName, type Pair, type Question } from "./program.js";
import { Store } from "./store.js";

export type Protocol = "mcp" | "acp";

const OPTIONS: Record<Protocol, object> = {
  mcp: { url: "https://server.test/mcp", clientInfo: '{"name":"coretest","version":"1"}', revision: "2025-11-25" },
  acp: { url: "https://agent.test/acp", transport: "http", info: '{"name":"coretest","version":"1"}' },
};

export class Client {
  readonly handle: number;
  /** Effects since the last look, those for timers and questions left out. */
  seen = 0;
  /** When it asks to be woken. */
  deadline: number | undefined;
  /** The exchanges that were begun and are not over, oldest first, with the request in each. */
  readonly exchanges = new Map<number, { kind: number; id: string; method: string; isOpen: boolean; isRead: boolean }>();
  /** Those that the last input has begun. */
  begun: number[] = [];
  /** The ids of requests that were sent, by the counter in them. */
  readonly ids = new Map<number, string>();
  readonly calls: number[] = [];
  /** Requests of the peer's, by handle. */
  readonly asked: number[] = [];
  isOver = false;

  constructor(
    readonly pair: Pair,
    readonly protocol: Protocol,
    readonly options: Record<string, unknown>,
    readonly store = new Store(),
    seed = 1,
  ) {
    this.handle = pair.open(protocol === "mcp" ? "connect" : "connectAgent", { ...OPTIONS[protocol], epoch: 1, ...options }, seed);
  }

  input(name: InputName, numbers: readonly number[] = [], payload: Uint8Array | string = ""): TableRecord[] {
    this.begun = [];
    const records = this.pair.input(name, this.handle, numbers, payload);
    this.note(records);
    return records;
  }

  ask(question: Question, numbers: readonly number[] = [], payload = ""): TableRecord[] {
    return this.pair.ask(question, this.handle, numbers, payload);
  }

  /** Takes note of what was asked for. */
  note(records: readonly TableRecord[]): void {
    for (const r of records) {
      if (r.client !== this.handle) continue;
      if (![Kind.Wake, Kind.Value, Kind.Replay].includes(r.kind)) this.seen++;
      switch (r.kind) {
        case Kind.Replay:
          this.seen += replayed(r.body!);
          break;
        case Kind.Wake:
          this.deadline = clock.now + r.number;
          break;
        case Kind.Fetch:
        case Kind.Source:
        case Kind.Socket:
          this.begun.push(r.id);
          this.exchanges.set(r.id, { kind: r.kind, isOpen: false, isRead: false, ...this.#sent(r.body ? new TextDecoder().decode(r.body) : "") });
          break;
        case Kind.Frame:
          this.#is(r.id, this.#sent(r.text));
          break;
        case Kind.Read:
          this.#is(r.id, { isRead: true });
          break;
        case Kind.Abort:
          this.exchanges.delete(r.id);
          break;
        case Kind.Store:
          this.store.begin(r.id, r.ops);
          break;
        case Kind.State:
          if (/"(closed|failed)"/.test(r.text)) this.isOver = true;
          break;
        case Kind.Deliver: {
          const handle = /"handle":(\d+)/.exec(r.text)?.[1];
          if (handle) this.asked.push(+handle);
        }
      }
    }
  }

  #sent(text: string): { id: string; method: string } {
    const id = /"id":(\d+)/.exec(text)?.[1] ?? "";
    if (+id >= 2 ** 24) this.ids.set(+id % 2 ** 24, id);
    return { id, method: /"method":"([^"]*)"/.exec(text)?.[1] ?? "" };
  }

  /** Puts the ids in the place of $cN. */
  named(text: string): string {
    return text.replaceAll(/\$c(\d+)/g, (name, n: string) => this.ids.get(+n) ?? name);
  }

  call(method: string, params = "", { how = 0, meta = "", key = "", task = '{"responseModes":["task"]}' } = {}): void {
    this.input("request", [how], frame([numbers(0, 0, 0), method, params, meta, key, task, ""]));
    if (!(how & CallFlags.Notify)) this.calls.push(this.pair.answer);
  }

  /** Of an agent: session 0 is the connection. */
  request(session: number, method: string, params: string): void {
    this.input("agentRequest", [session], frame([method, params]));
    this.calls.push(this.pair.answer);
  }

  head(x: number, status: number, fields: readonly string[]): void {
    this.#is(x, { isOpen: true });
    this.input("head", [x, status], frame(fields));
  }

  #is(x: number, now: object): void {
    Object.assign(this.exchanges.get(x) ?? {}, now);
  }

  chunk(x: number, bytes: Uint8Array | string): void {
    this.#is(x, { isRead: false });
    this.input("chunk", [x], bytes);
  }

  end(x: number, how: number, detail = ""): void {
    this.exchanges.delete(x);
    this.input("end", [x, how], detail);
  }

  /** Moves the clock on, and wakes the client whenever it has asked for that. */
  advance(ms: number): void {
    const until = clock.now + ms;
    for (let spins = 0; this.deadline !== undefined && this.deadline <= until && spins < 1_000; spins++) {
      clock.now = Math.max(clock.now, this.deadline);
      this.deadline = undefined;
      this.input("fired");
    }
    clock.now = Math.max(clock.now, until);
  }

  /** What becomes of the commit under way. */
  stored(result: StoreResult, why: StoreReasonWord | "" = ""): void {
    const isStored = result === StoreResult.OK || result === StoreResult.Unsealed;
    this.input("stored", [this.store.end(isStored), result, why ? STORE_REASON[why] : 0]);
  }

  storeGone(why: StoreReasonWord): void {
    this.input("storeGone", [STORE_REASON[why]]);
  }

  token(answer: TokenAnswer, text: string): void {
    this.input("token", [answer], text);
  }

  source(x: number, what: "sourceOpened" | "sourceFailed" | "sourceRedirected"): void {
    if (what === "sourceOpened") this.#is(x, { isOpen: true });
    else this.exchanges.delete(x);
    this.input(what, [x]);
  }

  /** Reports that a WebSocket is open, or over, with its close code. */
  socket(x: number, code?: number): void {
    if (code === undefined) {
      this.#is(x, { isOpen: true });
      this.input("socketOpened", [x]);
    } else {
      this.exchanges.delete(x);
      this.input("socketClosed", [x, code], "gone");
    }
  }

  restore(ops: Uint8Array): void {
    this.input("restore", [], ops);
  }

  /** Something happens to the page, and so to every client. */
  page(name: string, event: object = {}): void {
    this.note(this.pair.page(name, event));
  }

  release(): void {
    this.pair.input("release", this.handle);
  }
}

export const ENDINGS: Record<string, number> = { clean: Ending.Clean, network: Ending.Network, invalid: Ending.Invalid, unreadable: Ending.Unreadable };

/** A list of texts, as an input has them (jsbridge/frame.go). */
export function frame(parts: readonly (string | Uint8Array)[]): Uint8Array {
  const all = parts.map((part) => (typeof part === "string" ? new TextEncoder().encode(part) : part));
  const bytes = new Uint8Array(all.reduce((sum, part) => sum + 4 + part.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of all) {
    view.setUint32(at, part.length, true);
    bytes.set(part, at + 4);
    at += 4 + part.length;
  }
  return bytes;
}

/** How many events a replay has. */
function replayed(events: Uint8Array): number {
  const view = new DataView(events.buffer, events.byteOffset);
  let n = 0;
  for (let at = 0; at < events.length; n++) at += 9 + view.getUint32(at + 5, true);
  return n;
}
