// The exports of the wasm (wasm/exports.go). Each drives the core and returns
// how many records the table then holds, or DEAD.

/** What an export returns once the Go program has panicked. */
export const DEAD = -1;

/** How an exchange ended (core/engine Ending). */
export const Ending = { Clean: 1, Network: 2, Invalid: 3 } as const;

/** The close code of a WebSocket that the browser refused to make (core/engine CloseInvalid). */
export const CLOSE_INVALID = 0;

/** How a call is made (core/journal Flags, and wasm/exports.go). */
export const CallFlags = {
  ReadOnly: 1,
  Idempotent: 2,
  RerunAlways: 4,
  ManualAck: 8,
  ManualInput: 16,
  RerunNever: 32,
  Durable: 256,
  Notify: 512,
  Connected: 1024,
} as const;

/** What became of a commit (core/journal Result). */
export const StoreResult = { OK: 1, Unsealed: 2, Quota: 3, Failed: 4 } as const;

/** The exports; `now` is performance.now(), `n` the bytes of the input. */
export interface Exports {
  mem: WebAssembly.Memory;
  header(): number;
  reserve(n: number): number;
  start(client: number, now: number): number;
  head(client: number, exchange: number, status: number, n: number, now: number): number;
  chunk(client: number, exchange: number, n: number, now: number): number;
  end(client: number, exchange: number, how: number, n: number, now: number): number;
  sourceEvent(client: number, exchange: number, n: number, now: number): number;
  sourceState(client: number, exchange: number, state: number, now: number): number;
  fired(client: number, now: number): number;
  /** `how`: flags of the call (CallFlags). */
  call(
    client: number,
    how: number,
    n: number,
    answer: number,
    idle: number,
    total: number,
    send: number,
    now: number,
  ): number;
  answer(client: number, call: number, n: number, now: number): number;
  respond(client: number, request: number, ok: number, n: number, now: number): number;
  peek(client: number, call: number, now: number): number;
  draft(client: number, call: number, request: number, n: number, now: number): number;
  subscribe(client: number, n: number, now: number): number;
  tools(client: number, n: number, now: number): number;
  cancel(client: number, call: number, n: number, now: number): number;
  pause(client: number, call: number, paused: number, now: number): number;
  token(client: number, ok: number, n: number, now: number): number;
  close(client: number, now: number): number;
  leave(client: number, now: number): number;
  terminate(client: number, now: number): number;
  restore(client: number, n: number, now: number): number;
  stored(client: number, ticket: number, result: number, n: number, now: number): number;
  storeGone(client: number, n: number, now: number): number;
  ack(client: number, call: number, position: number, ticket: number, now: number): number;
  record(client: number, call: number): number;
  retell(client: number, call: number, position: number, from: number, to: number, n: number, now: number): number;
  missing(client: number, events: number, now: number): number;
  handed(client: number, call: number, now: number): number;
  hide(client: number, now: number): number;
  park(client: number, call: number, parked: number, now: number): number;
  handshake(client: number, now: number): number;
  hold(client: number, call: number, held: number, now: number): number;
  listen(client: number, leave: number, missed: number, now: number): number;
  cancelRecord(client: number, record: number, n: number, now: number): number;
  agentRequest(client: number, session: number, n: number, now: number): number;
  agentNotify(client: number, session: number, n: number, now: number): number;
  agentCancel(client: number, call: number, now: number): number;
  agentServe(client: number, n: number, now: number): number;
  agentTold(client: number, request: number, outcome: number, n: number, now: number): number;
  agentMoved(client: number, record: number, epoch: number, now: number): number;
  agentRest(client: number, resting: number, now: number): number;
  agentStreams(client: number, n: number, now: number): number;
  agentForget(client: number, session: number, now: number): number;
  socketOpened(client: number, socket: number, now: number): number;
  socketMessage(client: number, socket: number, n: number, now: number): number;
  socketClosed(client: number, socket: number, code: number, n: number, now: number): number;
  counters(client: number): number;
  release(client: number): number;
}

/** The object that the Go program fills while it starts (wasm/main.go). */
export interface Host {
  version?: string;
  /** Returns the client's handle, a string that says which option is wrong, or DEAD. */
  connect?: (options: object) => number | string;
  /** The same for an agent. */
  connectAgent?: (options: object) => number | string;
}
