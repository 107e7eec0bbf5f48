// Inputs at random, by a seed: a server, a store and an app that do anything, with what the scripts and the vectors hold
// for contents, most of it as it is, and some of it spoiled.

import { CallFlags, Kind, STORE_REASON, StoreResult, TAB_INPUT, TokenAnswer, WISH_SHIFT, type StoreReasonWord } from "../../src/base/border.js";
import { OpList } from "../../src/runtime/ops.js";
import { random } from "../chance.js";
import { Client, frame, type Protocol } from "./client.js";
import { clock, type Pair } from "./program.js";
import { records, streams, texts } from "./vectors.js";

const METHODS = ["tools/call", "tools/list", "resources/read", "prompts/get", "tasks/get", "ping", "completion/complete", "x"];
const AGENT_METHODS = ["session/new", "session/prompt", "session/load", "session/list", "session/set_mode", "x"];
const PARAMS = [
  "",
  "{}",
  '{"name":"t"}',
  '{"name":"render","task":{}}',
  '{"cwd":"/w","mcpServers":[]}',
  '{"prompt":[{"type":"text","text":"hello"}]}',
  '{"uri":"file:///ä"}',
];
const TYPES = ["text/event-stream", "application/json", "text/html", "text/event-stream; charset=utf-8", ""];
const STATUSES = [200, 200, 200, 200, 202, 204, 400, 401, 404, 405, 429, 500, 502];
const SESSION = ["mcp-session-id", "s1", "acp-connection-id", "k1"];
/** The inputs that a client gets at most. */
const LIFE = 250;

type Asked = { kind: number; id: string; method: string; isOpen: boolean; isRead: boolean };

/** Gives both programs so many inputs. `bodies` are what servers say in the scripts. */
export function playChance(pair: Pair, seed: number, count: number, bodies: Record<Protocol, readonly string[]>, protocols: readonly Protocol[]): void {
  const next = random(seed);
  const until = pair.inputs + count;
  const chance = new Chance(next, bodies);
  while (pair.inputs < until) {
    const client = chance.open(pair, protocols[next(protocols.length)]!);
    for (let n = 0; n < LIFE && pair.inputs < until && !(client.isOver && next(10) === 0); n++) chance.play(client);
    client.release();
  }
}

class Chance {
  readonly #next: (n: number) => number;
  readonly #bodies: Record<Protocol, readonly string[]>;
  readonly #bytes = [...streams(), ...texts()];
  readonly #records = records();
  /** What clients have written, for those that come. */
  #written: Uint8Array[] = [];

  constructor(next: (n: number) => number, bodies: Record<Protocol, readonly string[]>) {
    this.#next = next;
    this.#bodies = bodies;
  }

  #pick<T>(all: readonly T[]): T {
    return all[this.#next(all.length)]!;
  }

  #is(oneIn: number): boolean {
    return this.#next(oneIn) === 0;
  }

  open(pair: Pair, protocol: Protocol): Client {
    const options: Record<string, unknown> = {
      epoch: 1 + this.#next(9),
      journal: this.#is(2),
      tabs: this.#is(2),
      token: this.#is(4),
      lateHeads: this.#is(3),
      noListen: this.#is(3),
      scarce: this.#is(5),
      eventSource: this.#is(5),
      signIn: this.#is(9),
    };
    if (options["journal"] && this.#is(2)) options["tab"] = "tab-a";
    if (protocol === "mcp") options["revision"] = this.#pick(["", "2025-11-25", "2026-07-28", "2025-03-26", "2024-11-05"]);
    if (protocol === "acp" && this.#is(2)) Object.assign(options, { transport: "websocket", url: "wss://agent.test/acp" });
    if (this.#is(8)) options["maxEvent"] = 200;
    const client = new Client(pair, protocol, options, undefined, 1 + this.#next(1_000));
    if (options["journal"]) {
      const found = this.#is(2) ? this.#pick(this.#records) : this.#written.length > 0 ? this.#pick(this.#written) : new Uint8Array();
      if (found.length > 0 && this.#is(2)) client.restore(found);
    }
    client.input("start");
    return client;
  }

  play(client: Client): void {
    const waiting = [...client.exchanges.keys()];
    if (waiting.length > 0 && this.#next(10) < 6) this.#answer(client, this.#pick(waiting));
    else if (client.store.flying && !this.#is(3)) this.#store(client);
    else if (this.#is(3)) client.advance(this.#pick([0, 1, 100, 1_000, 5_000, 60_000, 300_000]));
    else this.#app(client);
  }

  /** The server says something: no body before its head, and each once. */
  #answer(client: Client, x: number): void {
    const exchange = client.exchanges.get(x)!;
    const { kind, id, isOpen, isRead } = exchange;
    if (this.#is(2) && kind !== Kind.Source) this.#answerWell(client, x, exchange);
    else if (kind === Kind.Source) {
      if (!isOpen || this.#is(5)) client.source(x, this.#pick(isOpen ? ["sourceFailed"] : ["sourceOpened", "sourceFailed", "sourceRedirected"]));
      else client.input("sourceEvent", [x], frame([this.#pick(["message", "endpoint"]), this.#text(client, id), ""]));
    } else if (kind === Kind.Socket) {
      if (this.#is(12)) client.socket(x, this.#pick([0, 1000, 1006, 4001]));
      else if (!isOpen) client.socket(x);
      else client.input("socketMessage", [x], this.#text(client, id));
    } else if (this.#is(8)) client.end(x, 1 + this.#next(4), this.#pick(["", "Failed to fetch"]));
    else if (isRead) client.chunk(x, this.#body(client, id));
    else if (!isOpen) client.head(x, this.#pick(STATUSES), ["content-type", this.#pick(TYPES), ...(this.#is(3) ? SESSION : []), ...(this.#is(9) ? ["retry-after", "3"] : [])]);
  }

  /** The server says what is expected of it. */
  #answerWell(client: Client, x: number, { kind, id, method, isOpen }: Asked): void {
    const result = WELL[method === "initialize" ? `${client.protocol} ${method}` : method] ?? (this.#is(2) ? this.#pick(RESULTS) : `{"content":"${this.#long()}"}`);
    const message = `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
    if (kind === Kind.Socket) {
      if (isOpen) client.input("socketMessage", [x], message);
      else client.socket(x);
      return;
    }
    const isStream = id === "" ? method === "" : this.#is(2);
    const says = (body: Uint8Array | string): void => {
      if (client.exchanges.get(x)?.isRead) client.chunk(x, body);
    };
    if (!isOpen) client.head(x, id !== "" || isStream ? 200 : 202, ["content-type", isStream ? TYPES[0]! : TYPES[1]!, ...SESSION]);
    if (isStream) for (let n = this.#next(4); n > 0; n--) says(this.#body(client, id));
    if (id !== "") says(this.#spoiled(isStream ? `id: e${this.#next(50)}\ndata: ${message}\n\n` : message));
    if (!isStream && client.exchanges.has(x)) client.end(x, 1);
  }

  /** One message. */
  #text(client: Client, id: string): string {
    if (this.#is(3)) return `{"jsonrpc":"2.0","id":${id || 1},"result":${this.#pick(RESULTS)}}`;
    const text = /\{.*\}/.exec(this.#pick(this.#bodies[client.protocol]))?.[0] ?? "{}";
    const ids = [...client.ids.values()];
    return text.replaceAll(/\$c\d+/g, () => (ids.length > 0 ? this.#pick(ids) : "1"));
  }

  /** A piece of a body. */
  #body(client: Client, id: string): Uint8Array {
    if (this.#is(10)) return this.#pick(this.#bytes);
    const event = this.#is(2) ? `${this.#is(2) ? `id: e${this.#next(50)}\n` : ""}data: ${this.#text(client, id)}\n\n` : this.#text(client, id);
    return this.#spoiled(this.#is(4) ? event.replace("{", `{"a":"${this.#long()}",`) : event);
  }

  #long(): string {
    return this.#pick(LONG).repeat(1 + this.#next(60)) + this.#pick(LONG);
  }

  /** The bytes of a text, some with another byte in them, or without their end. */
  #spoiled(text: string): Uint8Array {
    const bytes = new TextEncoder().encode(text);
    if (!this.#is(text.length > 300 ? 3 : 10)) return bytes;
    const at = this.#next(bytes.length);
    if (this.#is(4)) return bytes.subarray(0, at);
    bytes[at] = this.#pick([this.#next(256), 0x22, 0x5c, 0x0a, 0xc3, 0xff]);
    return bytes;
  }

  #store(client: Client): void {
    const { flying } = client.store;
    if (flying && this.#is(3)) this.#keep(flying.ops as readonly object[]);
    client.stored(this.#is(8) ? this.#pick([StoreResult.Unsealed, StoreResult.Quota, StoreResult.Failed]) : StoreResult.OK, this.#pick(["quota", "failed", "timeout"]));
  }

  /** Keeps what was written for another page. */
  #keep(ops: readonly object[]): void {
    const list = new OpList();
    for (const op of ops as readonly { kind: string; call: number; epoch: number; plain: Uint8Array }[]) {
      if (op.kind === "call") list.head(op.call, op.epoch + 1, this.#is(2), op.plain);
      else if (op.kind === "log") list.row(op.call, op as never);
      else if (op.kind === "server") list.server(op as never);
    }
    this.#written = [list.bytes(), ...this.#written].slice(0, 50);
  }

  /** The app, the page or another tab does something. */
  #app(client: Client): void {
    const call = client.calls.length > 0 ? this.#pick(client.calls) : this.#next(5);
    const session = this.#next(3);
    const isAgent = client.protocol === "acp";
    switch (this.#next(34)) {
      case 0:
        return client.page(this.#pick(["online", "offline"]));
      case 1:
        client.page("freeze");
        clock.now += this.#pick([0, 1_000, 100_000]);
        return client.page(this.#pick(["resume", "pageshow"]), { persisted: true });
      case 2:
        return client.token(this.#pick([TokenAnswer.Given, TokenAnswer.Failed, TokenAnswer.Offline]), "token");
      case 3:
        return client.storeGone(this.#pick(Object.keys(STORE_REASON).filter((name) => /^[a-z]/.test(name)) as StoreReasonWord[]));
      case 4:
        return void client.input("respond", [client.asked.length > 0 ? this.#pick(client.asked) : 1, this.#next(2)], this.#pick(RESULTS));
      case 5:
        return void client.input("visited");
      case 6:
        return void client.ask("counters");
      case 7:
        return client.restore(this.#written.length > 0 ? this.#pick(this.#written) : this.#pick(this.#records));
      case 8:
        return void client.input("tabs", this.#tabs(), frame(["tab-b", ""]));
      case 9:
        if (!this.#is(8)) return;
        return void client.input(this.#pick(["close", "terminate", "closeKeepingSession", "logOut"]));
      case 10:
        return void (isAgent
          ? client.input("agentSaveDraft", [this.#next(3)], this.#pick(RESULTS))
          : client.input("saveDraft", [call, this.#next(3)], frame(["k", this.#pick(RESULTS)])));
    }
    if (isAgent) {
      switch (this.#next(6)) {
        case 0:
          return void client.input("agentNotify", [session], frame(["session/cancel", this.#pick(PARAMS)]));
        case 1:
          return void client.input("agentCancel", [call]);
        case 2:
          return void client.input(this.#pick(["agentStreams", "agentForget", "agentRest"]), [session]);
        default:
          return client.request(session, this.#pick(AGENT_METHODS), this.#pick(PARAMS));
      }
    }
    const on = this.#next(2);
    switch (this.#next(24)) {
      case 0:
        return void client.input("answer", [call], this.#pick(RESULTS));
      case 1:
        return void client.input("subscribe", [], this.#pick(["[]", '["file:///a"]', '["file:///a","x:b"]']));
      case 2:
        return void client.input("tools", [], this.#pick(['{"tools":[{"name":"t","task":"optional"}]}', ""]));
      case 3:
        return void client.ask("mirrored", [], this.#pick(["", PARAMS[2]!]));
      case 4:
        return void client.input("cancel", [call], "no more");
      case 5:
        return void client.input(this.#pick(["pause", "park", "hold"]), [call, on]);
      case 6:
        return void client.input("ack", [call, this.#next(4), this.#next(2)]);
      case 7:
        return void client.input(this.#pick(["handed", "peek", "revoke"]), [call]);
      case 8:
        return void client.input(this.#pick(["hide", "handshake"]));
      case 9:
        return void client.input("scarce", [on]);
      case 10:
        return void client.input("listen", [on, this.#next(2)]);
      case 11:
        return client.call("notifications/x", this.#pick(PARAMS), { how: CallFlags.Notify });
      default:
        return client.call(this.#pick(METHODS), this.#pick(PARAMS), { how: (this.#is(2) ? CallFlags.Durable | this.#next(64) : 0) | (this.#next(4) << WISH_SHIFT), key: this.#is(5) ? `k${this.#next(9)}` : "" });
    }
  }

  /** What a tab hears: of another one, or of a ticket. */
  #tabs(): number[] {
    const what = this.#pick(Object.values(TAB_INPUT).filter((value): value is TAB_INPUT => typeof value === "number"));
    return [what, what <= TAB_INPUT.missed ? 0 : this.#next(9)];
  }
}

const RESULTS = [
  "{}",
  "",
  '{"content":[]}',
  '{"action":"accept","content":{}}',
  '{"tools":[]}',
  '{"task":{"taskId":"T","status":"working"}}',
  '{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"Who?"}}}}',
  '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"w","version":"1"}}',
  '{"protocolVersion":2,"info":{"name":"agent","version":"1"},"capabilities":{"session":{}}}',
  '{"sessionId":"s1"}',
  '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"w","version":"1"}}',
];
/** What a server answers so that all goes on. */
const WELL: Record<string, string> = {
  "mcp initialize": RESULTS[7]!,
  "acp initialize": RESULTS[8]!,
  "server/discover": RESULTS[10]!,
  "session/new": RESULTS[9]!,
  "tools/call": RESULTS[2]!,
};
/** Parts of long texts. */
const LONG = ["a long text of many bytes", "äöü€😀", "\\n\\t\\\\", "\\u20ac", '0123456789abcde\\"', "\\ud83d\\ude00", "\ufffd"];
