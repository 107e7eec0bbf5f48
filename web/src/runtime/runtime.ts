import { DEAD, type Exports, SOURCE, STORE_REASON, type StoreReasonWord, TaskOffer, type TaskWish, TokenAnswer } from "../base/border.js";
import { HoldfastError } from "../base/errors.js";
import { Effects } from "./effects.js";
import type { CallTimes, ClientPort } from "./port.js";
import type { Reports } from "./reports.js";
import type { GoHost } from "./setup.js";
import { Table, type TableRecord } from "./table.js";

/** What the store holds for the client with that handle. */
type Stored = (handle: number) => readonly Uint8Array[] | undefined;

const NOTHING = new Uint8Array(0);

/**
 * One instance of the Go program: each input of the core's is a call of one of its
 * exports, whose answer is a table of effects. It decides nothing.
 */
export class Runtime implements Reports {
  readonly #exports: Exports;
  readonly #host: GoHost;
  readonly #table: Table;
  readonly #effects = new Effects(this);
  #death: HoldfastError | undefined;

  constructor(exports: Exports, host: GoHost) {
    this.#exports = exports;
    this.#host = host;
    this.#table = new Table(exports.mem, exports.header(), (n) => exports.reserve(n));
  }

  /** Why the program is dead; undefined while it lives. */
  get death(): HoldfastError | undefined {
    return this.#death;
  }

  /** Whether agents can be connected, and not MCP servers alone. */
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
    this.#run(() => this.#exports.start(handle, performance.now()));
    return handle;
  }

  /** Tells the core what the store holds, or what another tab has stored. */
  restore(client: number, ops: Uint8Array): void {
    this.#run(() => this.#exports.restore(client, this.#table.writeBytes(ops), performance.now()));
  }

  /** Reports what became of a commit; `result` is a StoreResult, `why` that of a failure. */
  stored(client: number, ticket: number, result: number, why?: StoreReasonWord): void {
    this.#run(() => this.#exports.stored(client, ticket, result, why ? STORE_REASON[why] : 0, performance.now()));
  }

  /** Nothing is stored any more; after `closed` nothing ever is. */
  storeGone(client: number, why: StoreReasonWord): void {
    this.#run(() => this.#exports.storeGone(client, STORE_REASON[why], performance.now()));
  }

  /** The app has done with a call's events up to a position; 0 for all of them. EVENT.acked answers `ticket`, where it is not 0. */
  ack(client: number, call: number, position: number, ticket: number): void {
    this.#run(() => this.#exports.ack(client, call, position, ticket, performance.now()));
  }

  /** What a call is named by in the store; 0 for one that is not stored. */
  record(client: number, call: number): number {
    return this.#death ? 0 : this.#exports.record(client, call);
  }

  /** Tells the core what another tab says, by its name, or what has become of this one: a TAB_INPUT. */
  tabs(client: number, what: number, name = "", ops: Uint8Array = NOTHING): void {
    this.#run(() => {
      const [all, length] = this.#table.writeNamed(name, ops);
      return this.#exports.tabs(client, what, length, all, performance.now());
    });
  }

  /** Tells it what the store says to a read, a takeover or a commit: a TAB_INPUT. */
  tabsAnswer(client: number, what: number, ticket: number, ops: Uint8Array = NOTHING): void {
    this.#run(() => this.#exports.tabs(client, what, ticket, this.#table.writeBytes(ops), performance.now()));
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

  /** Whether a call that is stored could be read. */
  reads(client: number, record: number): boolean {
    return !this.#death && this.#exports.reads(client, record) !== 0;
  }

  /**
   * Replays the events of a stored row that are in a gap, before this returns;
   * `gap.position` is that of the last event before the row, `ended` gets that of its last.
   */
  replayRow(client: number, call: number, gap: { position: number; from: number; to: number }, row: Uint8Array, ended: (position: number) => void): void {
    const { position, from, to } = gap;
    this.#bound(() => this.#exports.replayRow(client, call, position, from, to, this.#table.writeBytes(row), performance.now()), ended);
  }

  /** So many events of a call were told to be missing. */
  missing(client: number, events: number): void {
    this.#run(() => this.#exports.missing(client, events, performance.now()));
  }

  /** A call's outcome was handed to its app. */
  handed(client: number, call: number): void {
    this.#run(() => this.#exports.handed(client, call, performance.now()));
  }

  /** The page is being left: what the app is done with is stored before this returns. */
  hide(client: number): void {
    this.#run(() => this.#exports.hide(client, performance.now()));
  }

  /** A page has come to a client that outlives its pages. */
  visited(client: number): void {
    this.#run(() => this.#exports.visited(client, performance.now()));
  }

  /** Lets go of a call's stream, or takes it up again. */
  park(client: number, call: number, parked: boolean): void {
    this.#run(() => this.#exports.park(client, call, parked ? 1 : 0, performance.now()));
  }

  /** Lets go of a call's stream for want of a connection, or takes it up again. */
  hold(client: number, call: number, held: boolean): void {
    this.#run(() => this.#exports.hold(client, call, held ? 1 : 0, performance.now()));
  }

  /** Says whether the browser has few connections to the server from now on, so that calls wait for {@link Runtime.hold}. */
  scarce(client: number, scarce: boolean): void {
    this.#run(() => this.#exports.scarce(client, scarce ? 1 : 0, performance.now()));
  }

  /** Gives leave to hold the stream for unasked messages, or takes it back; `missed`: another tab had it before. */
  listen(client: number, leave: boolean, missed: boolean): void {
    this.#run(() => this.#exports.listen(client, leave ? 1 : 0, missed ? 1 : 0, performance.now()));
  }

  /** Takes back a call, unless it has left. */
  revoke(client: number, call: number): void {
    this.#run(() => this.#exports.revoke(client, call, performance.now()));
  }

  /** Gives leave to make a new session. */
  handshake(client: number): void {
    this.#run(() => this.#exports.handshake(client, performance.now()));
  }

  /** Closes a client without ending its session, which another tab uses too. */
  closeKeepingSession(client: number): void {
    this.#run(() => this.#exports.closeKeepingSession(client, performance.now()));
  }

  /** Ends what has not left, since its user logs out here. */
  logOut(client: number): void {
    this.#run(() => this.#exports.logOut(client, performance.now()));
  }

  /** Closes a client and ends its session, or its connection to an agent, with whatever goes on in it. */
  terminate(client: number): void {
    this.#run(() => this.#exports.terminate(client, performance.now()));
  }

  /**
   * Makes a request, or sends a notification; `how` are CallFlags. `bind` gets the call's id
   * before anything of it can arrive.
   */
  call(
    client: number,
    how: number,
    parts: [method: string, params: string, meta: string, key: string, ...header: string[]],
    times: CallTimes,
    bind: (id: number) => void,
  ): void {
    this.#bound(() => {
      const n = this.#table.writeFrame(parts);
      return this.#exports.call(client, how, n, times.answer, times.idle, times.total, times.send, times.made, performance.now());
    }, bind);
  }

  /** Makes a request of an agent's session, or of the connection where it is 0; `bind` as in {@link call}. */
  agentRequest(client: number, session: number, method: string, params: string, bind: (id: number) => void): void {
    this.#bound(() => {
      const n = this.#table.writeFrame([method, params]);
      return this.#exports.agentRequest(client, session, n, performance.now());
    }, bind);
  }

  /** Sends an agent a notification; `bind` as in {@link call}. */
  agentNotify(client: number, session: number, method: string, params: string, bind: (id: number) => void): void {
    this.#bound(() => {
      const n = this.#table.writeFrame([method, params]);
      return this.#exports.agentNotify(client, session, n, performance.now());
    }, bind);
  }

  /** Asks an agent to give up a request. */
  agentCancel(client: number, call: number): void {
    this.#run(() => this.#exports.agentCancel(client, call, performance.now()));
  }

  /** Does what another page asks of a session that this one carries; `bind` gets the call that settles, 0 for none. */
  agentServe(client: number, text: string, bind: (id: number) => void): void {
    this.#bound(() => this.#exports.agentServe(client, this.#table.writeText(text), performance.now()), bind);
  }

  /** Tells what became of a request that another page makes; `outcome` 0: that page has it. */
  agentForwardSettled(client: number, request: number, outcome: number, text: string): void {
    this.#run(() => this.#exports.agentForwardSettled(client, request, outcome, this.#table.writeText(text), performance.now()));
  }

  /** Lets go of the streams of an agent's sessions, since the page is being frozen, or takes them up again. */
  agentRest(client: number, resting: boolean): void {
    this.#run(() => this.#exports.agentRest(client, resting ? 1 : 0, performance.now()));
  }

  /** Says how many streams of sessions an agent's client may hold; returns how many it may, where it cannot do with fewer now. */
  agentStreams(client: number, n: number): number {
    let may = n;
    this.#run(
      () => this.#exports.agentStreams(client, n, performance.now()),
      () => (may = this.#table.answer),
    );
    return may;
  }

  /** Forgets an agent's session here. */
  agentForget(client: number, session: number): void {
    this.#run(() => this.#exports.agentForget(client, session, performance.now()));
  }

  // A call that has no id is nobody's to reject.
  #bound(input: () => number, bind: (id: number) => void): void {
    let bound = false;
    this.#run(input, () => {
      bound = true;
      bind(this.#table.answer);
    });
    if (!bound) throw this.#death;
  }

  /** Answers a call's request for input: `responses` is a JSON object, or empty. */
  answer(client: number, call: number, responses: string): void {
    this.#run(() => this.#exports.answer(client, call, this.#table.writeText(responses), performance.now()));
  }

  /** Answers a request of the server's with JSON: a result, or an error object. */
  respond(client: number, request: number, ok: boolean, json: string): void {
    this.#run(() => this.#exports.respond(client, request, ok ? 1 : 0, this.#table.writeText(json), performance.now()));
  }

  /** Asks how a call stands; the answer is an event of it (EVENT.peek). */
  peek(client: number, call: number): void {
    this.#run(() => this.#exports.peek(client, call, performance.now()));
  }

  /**
   * Keeps what a person has typed of an answer, JSON or empty: to the request for
   * input of a call with that key, or to the server's own request, or the agent's,
   * where `request` is not 0.
   */
  draft(client: number, call: number, request: number, key: string, draft: string): void {
    this.#run(() => this.#exports.draft(client, call, request, this.#table.writeFrame([key, draft]), performance.now()));
  }

  /** Sets the resources whose updates the listen stream asks for: a JSON array. */
  subscribe(client: number, uris: string): void {
    this.#run(() => this.#exports.subscribe(client, this.#table.writeText(uris), performance.now()));
  }

  /** Tells what calls need to know of the tools that were listed, a JSON object; empty: the list has changed. */
  tools(client: number, listed: string): void {
    this.#run(() => this.#exports.tools(client, this.#table.writeText(listed), performance.now()));
  }

  /**
   * How that tool is to be called: whether as a task, and which arguments are repeated in
   * header fields, as {@link tools} has told it; empty for none.
   */
  toolFor(client: number, tool: string, wish: TaskWish): [offer: TaskOffer, fields: string] {
    const fields = this.#value(() => this.#exports.toolFor(client, wish, this.#table.writeText(tool)));
    return [this.#death ? TaskOffer.None : this.#table.answer, fields];
  }

  /** Ends a call; `reason` goes to the server. */
  cancel(client: number, call: number, reason: string): void {
    this.#run(() => this.#exports.cancel(client, call, this.#table.writeText(reason), performance.now()));
  }

  /** Ends the call with that name in the store, if this page carries it. */
  cancelRecord(client: number, record: number, reason: string): void {
    this.#run(() => this.#exports.cancelRecord(client, record, this.#table.writeText(reason), performance.now()));
  }

  /** Stops reading a call's stream, or goes on with it. */
  pause(client: number, call: number, paused: boolean): void {
    this.#run(() => this.#exports.pause(client, call, paused ? 1 : 0, performance.now()));
  }

  /** Answers effect Token with a token, or with what went wrong; `away`: for want of the network. */
  token(client: number, ok: boolean, text: string, away = false): void {
    const answer = ok ? TokenAnswer.Given : away ? TokenAnswer.Offline : TokenAnswer.Failed;
    this.#run(() => this.#exports.token(client, answer, this.#table.writeText(text), performance.now()));
  }

  /** Closes a client; its port hears the state "closed". */
  close(client: number): void {
    this.#run(() => this.#exports.close(client, performance.now()));
  }

  /** The client's counters as JSON text; empty if there is no such client. */
  counters(client: number): string {
    return this.#value(() => this.#exports.counters(client));
  }

  /** What an export answers with one record; empty where it does not. */
  #value(answer: () => number): string {
    let text = "";
    this.#run(() => {
      const count = answer();
      if (count > 0) text = this.#table.read(count, 0)[0]!.text;
      return Math.min(count, 0);
    });
    return text;
  }

  /** Forgets a client that is closed or has failed. */
  release(client: number): void {
    this.#effects.release(client);
    this.#run(() => this.#exports.release(client));
  }

  /** Reports a response head. `fields` are names in lower case and values. */
  head(client: number, exchange: number, status: number, fields: string[]): void {
    this.#run(() => this.#exports.head(client, exchange, status, this.#table.writeFrame(fields), performance.now()));
  }

  /** Reports bytes of a body: at most chunkBytes of them. Returns whether anything came of them beside the wish for more. */
  chunk(client: number, exchange: number, bytes: Uint8Array): boolean {
    const effects = this.#run(
      () => this.#exports.chunk(client, exchange, this.#table.writeBytes(bytes), performance.now()),
      undefined,
      bytes.length,
    );
    return effects > 1; // one of them is Read
  }

  /** Reports the end of an exchange. */
  end(client: number, exchange: number, how: number, detail: string): void {
    this.#effects.over(client, exchange);
    this.#run(() => this.#exports.end(client, exchange, how, this.#table.writeText(detail), performance.now()));
  }

  /** Reports an event of an EventSource: its type, data and last event id. */
  sourceEvent(client: number, exchange: number, parts: [string, string, string]): void {
    this.#run(() => this.#exports.sourceEvent(client, exchange, this.#table.writeFrame(parts), performance.now()));
  }

  /** Reports that an EventSource is open, or over: a number of SOURCE. */
  sourceState(client: number, exchange: number, state: number): void {
    if (state !== SOURCE.open) this.#effects.over(client, exchange);
    this.#run(() => this.#exports.sourceState(client, exchange, state, performance.now()));
  }

  /** Reports that a WebSocket is open. */
  socketOpened(client: number, socket: number): void {
    this.#run(() => this.#exports.socketOpened(client, socket, performance.now()));
  }

  /** Reports a text message of a WebSocket's. */
  socketMessage(client: number, socket: number, text: string): void {
    this.#run(() => this.#exports.socketMessage(client, socket, this.#table.writeText(text), performance.now()));
  }

  /** Reports that a WebSocket is over, with its close code or CLOSE_INVALID. */
  socketClosed(client: number, socket: number, code: number, reason: string): void {
    this.#effects.over(client, socket);
    this.#run(() => this.#exports.socketClosed(client, socket, code, this.#table.writeText(reason), performance.now()));
  }

  /** Reports that the time has come that a client asked for. */
  fired(client: number): void {
    this.#run(() => this.#exports.fired(client, performance.now()));
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

  // An export can trap (memory corrupted, out of memory) or answer DEAD; after
  // go.exit it would answer garbage, so `death` is tested before and after.
  // Returns how many effects there were.
  #run(input: () => number, answered?: () => void, chunk = 0): number {
    if (this.#death) return 0;
    let records: TableRecord[] | undefined;
    try {
      const count = input();
      if (this.#death) return 0;
      if (count !== DEAD) records = count > 0 ? this.#table.read(count, chunk) : [];
    } catch (error) {
      this.exited("the Go program trapped", error);
      return 0;
    }
    if (!records) {
      this.exited("the Go program panicked");
      return 0;
    }
    answered?.();
    this.#effects.carryOut(records);
    return records.length;
  }
}
