import { DEAD, type Exports, INPUT } from "../base/border.js";
import { HoldfastError } from "../base/errors.js";
import { Effects } from "./effects.js";
import { Inputs } from "./door.js";
import type { CallTimes, ClientPort } from "./port.js";
import type { Reports } from "./reports.js";
import type { GoHost } from "./setup.js";
import { type Payload, Table, type TableRecord } from "./table.js";

/** The stored rows of the client with that handle. */
type Stored = (handle: number) => readonly Uint8Array[] | undefined;

/** After these an exchange is over: there is nothing to abort. */
const ends = (op: INPUT): boolean =>
  op === INPUT.end || op === INPUT.sourceFailed || op === INPUT.sourceRedirected || op === INPUT.socketClosed;

/**
 * One instance of the Go program: each input of the core's is a call of its one export
 * for them, whose answer is a table of effects. It decides nothing.
 */
export class Runtime extends Inputs implements Reports {
  readonly #exports: Exports;
  readonly #host: GoHost;
  readonly #table: Table;
  readonly #effects = new Effects(this);
  #death: HoldfastError | undefined;

  constructor(exports: Exports, host: GoHost) {
    super();
    this.#exports = exports;
    this.#host = host;
    this.#table = new Table(exports.mem, exports.header(), (n) => exports.reserve(n));
  }

  /** Why the program is dead; undefined while it lives. */
  get death(): HoldfastError | undefined {
    return this.#death;
  }

  /** True if agents can be connected as well as MCP servers. */
  get speaksToAgents(): boolean {
    return this.#host.connectAgent !== undefined;
  }

  /** Bytes that one chunk may have. */
  get chunkBytes(): number {
    return this.#table.chunkBytes;
  }

  /**
   * Makes a client and starts it. `stored` is asked, once the client has its
   * handle, what the store holds of its server (ops.ts). Throws where an
   * option is of the wrong type.
   */
  connect(options: object, port: ClientPort, stored?: Stored): number {
    return this.#open("connect", options, port, stored);
  }

  /** The same for an agent. */
  connectAgent(options: object, port: ClientPort, stored?: Stored): number {
    return this.#open("connectAgent", options, port, stored);
  }

  #open(op: "connect" | "connectAgent", options: object, port: ClientPort, stored?: Stored): number {
    if (this.#death) throw this.#death;
    let handle: number | string;
    try {
      handle = this.#host[op]!(options);
    } catch (cause) {
      this.exited("the Go program trapped", cause);
      throw this.#death;
    }
    if (handle === DEAD) {
      this.exited("the Go program panicked");
      throw this.#death;
    }
    if (typeof handle === "string") {
      throw new HoldfastError({ code: "bad_argument", op, message: handle });
    }
    this.#effects.add(handle, port);
    for (const piece of stored?.(handle) ?? []) this.restore(handle, piece);
    this.start(handle);
    return handle;
  }

  /**
   * Makes a request, or sends a notification; `how` are CallFlags. `bind` gets the call's id
   * before anything of it can arrive.
   */
  call(
    client: number,
    how: number,
    parts: readonly [method: string, params: string, meta: string, key: string, task: string, refused: string],
    { answer, idle, total, send, made }: CallTimes,
    bind: (id: number) => void,
  ): void {
    this.request(client, how, answer, idle, total, send, made, ...parts, bind);
  }

  /** Reports bytes of a body. Returns whether anything came of them beside the wish for more. */
  override chunk(client: number, exchange: number, bytes: Uint8Array): boolean {
    return this.input(INPUT.chunk, client, bytes, exchange) > 1; // one of them is Read
  }

  /** Forgets a client that is closed or has failed. */
  override release(client: number): void {
    this.#effects.release(client);
    super.release(client);
  }

  /** The number of a call in the store; 0 for one that is not stored. */
  record(client: number, call: number): number {
    return this.#death ? 0 : this.#exports.record(client, call);
  }

  /** How many calls without an outcome other tabs carry. */
  following(client: number): number {
    return this.#death ? 0 : this.#exports.following(client);
  }

  /**
   * For how long from now on a result may be used that its server lets a client keep for `ttl` ms, in ms:
   * see core/durable/fresh.go. `at` and `latest` are ms since 1970, `ran` ms.
   */
  fresh(at: number, ttl: number, latest: number, ran: number): number {
    return this.#death ? 0 : this.#exports.fresh(at, ttl, latest, Date.now(), ran);
  }

  /** True if the core could read a stored call. */
  reads(client: number, record: number): boolean {
    return !this.#death && this.#exports.reads(client, record) !== 0;
  }

  /**
   * In which header fields a call of a tool would repeat its arguments now, whose params are JSON: a JSON
   * array of names and values; empty for none.
   */
  mirrored(client: number, params: string): string {
    return this.#value(() => this.#exports.mirrored(client, this.#table.write(params)));
  }

  /** The client's counters as JSON text; empty if there is no such client. */
  counters(client: number): string {
    return this.#value(() => this.#exports.counters(client));
  }

  /** The answer to a question; empty where there is none. */
  #value(question: () => number): string {
    return this.#enter(question)?.[0]?.text ?? "";
  }

  /** Reads the table after Go was entered by a page event. */
  flush(count: number): void {
    if (count === DEAD) this.exited("the Go program panicked");
    else this.#effects.carryOut(this.#table.read(count, 0));
  }

  /** Ends the runtime: everything pending is rejected with `runtime_exited`. */
  exited(why: string, cause?: unknown): void {
    if (this.#death) return;
    this.#death = new HoldfastError({
      code: "runtime_exited",
      message: `the WebAssembly runtime has ended: ${why}`,
      retryable: true,
      cause,
    });
    this.#effects.exited(this.#death);
  }

  protected override input(
    op: INPUT, client: number, payload: Payload = "",
    a = 0, b = 0, c = 0, answered?: (answer: number) => void,
  ): number {
    if (ends(op)) this.#effects.over(client, a);
    const records = this.#enter(
      () => this.#exports.input(client, op, a, b, c, this.#table.write(payload), performance.now()),
      op === INPUT.chunk ? payload.length : 0,
    );
    if (!records) {
      if (answered) throw this.#death; // a call that has no id is nobody's to reject
      return 0;
    }
    answered?.(this.#table.answer);
    this.#effects.carryOut(records);
    return records.length;
  }

  // An export can trap (memory corrupted, out of memory) or answer DEAD; after
  // go.exit it would answer garbage, so `death` is tested before and after.
  // Returns the table's records, none where the program is dead.
  #enter(call: () => number, chunk = 0): TableRecord[] | undefined {
    if (this.#death) return undefined;
    try {
      const count = call();
      if (this.#death) return undefined;
      if (count !== DEAD) return count > 0 ? this.#table.read(count, chunk) : [];
    } catch (error) {
      this.exited("the Go program trapped", error);
      return undefined;
    }
    this.exited("the Go program panicked");
    return undefined;
  }
}
