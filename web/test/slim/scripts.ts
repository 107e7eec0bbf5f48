// Plays the scripts of core/coretest at the border of the wasm: one input of a script is one there.

import { CallFlags, StoreResult, TaskWish, TokenAnswer, WISH_SHIFT, type StoreReasonWord } from "../../src/base/border.js";
import { Client, ENDINGS, frame, type Protocol } from "./client.js";
import { clock, type InputName, type Pair } from "./program.js";

/** What `new` may have that is an option by another name, or by none. */
const OPTION_NAMES: Record<string, string> = {
  lateheads: "lateHeads",
  nolisten: "noListen",
  eventsource: "eventSource",
  limit: "maxStored",
  streams: "maxStreams",
};
const CALL_WORDS: Record<string, number> = {
  durable: CallFlags.Durable,
  connected: CallFlags.Connected,
  manual: CallFlags.ManualAck,
  readonly: CallFlags.ReadOnly,
  idempotent: CallFlags.Idempotent,
  "rerun=always": CallFlags.RerunAlways,
  "rerun=never": CallFlags.RerunNever,
  "task=unsaid": TaskWish.Unsaid << WISH_SHIFT,
  "task=yes": TaskWish.Wanted << WISH_SHIFT,
  "task=no": TaskWish.Unwanted << WISH_SHIFT,
};

/** Plays one. Returns how many effects it led to, and how many its golden lines are. */
export function playScript(pair: Pair, protocol: Protocol, text: string): { effects: number; golden: number } {
  const script = new Script(pair, protocol);
  let golden = 0;
  for (const step of text.split("\n\n")) {
    const [commands = "", effects = ""] = step.split(/^----$/m);
    for (const line of commands.split("\n")) if (line && !line.startsWith("#")) script.command(line);
    golden += effects.split("\n").filter((line) => /^[a-z]/.test(line) && !/^(none$|in \d)/.test(line)).length;
  }
  script.end();
  return { effects: script.effects, golden };
}

export class Script {
  readonly #pair: Pair;
  readonly #protocol: Protocol;
  readonly #tabs = new Map<string, Client>();
  #options: Record<string, unknown> = {};
  client!: Client;
  #epochs = 1;
  #uncounted = 0;

  constructor(pair: Pair, protocol: Protocol) {
    this.#pair = pair;
    this.#protocol = protocol;
    clock.now = 1_000_000;
  }

  get effects(): number {
    return [...this.#tabs.values()].reduce((sum, client) => sum + client.seen, 0) - this.#uncounted;
  }

  command(line: string): void {
    const [, name = "", rest = ""] = /^(\S+) ?(.*)$/.exec(line)!;
    if (this.#tabs.size === 0 && name !== "new") this.#new("");
    const args = this.client?.named(rest.replaceAll(/\\([nrt\\])/g, (_, c: string) => ({ n: "\n", r: "\r", t: "\t", "\\": "\\" })[c]!)) ?? rest;
    const play = COMMANDS[name];
    if (name === "new") this.#new(args);
    else if (name === "open") this.#open(args);
    else if (name === "reload") this.#reload();
    else if (name === "tab") this.#tab(args);
    else if (name === "wall") this.#options["wall"] = +((this.#options["wall"] as number) ?? 0) + +args;
    else if (play) play(this.client, args, args.split(" "));
    else throw new Error(`no such command: ${line}`);
  }

  end(): void {
    for (const client of this.#tabs.values()) client.release();
  }

  #new(args: string): void {
    for (const [name = "", value] of args.split(" ").filter(Boolean).map((word) => word.split("="))) {
      if (name === "signin") Object.assign(this.#options, { token: true, signIn: true });
      else if (name === "websocket") Object.assign(this.#options, { transport: "websocket", url: "wss://agent.test/acp" });
      else if (name === "handles") this.#options["handles"] = value!.split(",");
      else if (name === "assume") Object.assign(this.#options, { assume: value, revision: this.#options["revision"] ?? "" });
      else if (name === "revision") this.#options["revision"] = value === "auto" ? "" : value;
      else this.#options[OPTION_NAMES[name] ?? name] = value === undefined ? true : +value;
    }
    this.#make("");
  }

  #make(name: string, store = this.client?.store): void {
    const epoch = this.#epochs++;
    const seed = this.#protocol === "acp" ? epoch : 1;
    const { seen } = this.#tabs.get(name) ?? { seen: 0 };
    this.client = new Client(this.#pair, this.#protocol, { ...this.#options, epoch }, store, seed);
    this.client.seen = seen;
    this.#tabs.set(name, this.client);
  }

  /** The whole handshake, whose effects no script shows. */
  #open(version: string): void {
    const client = this.client;
    const before = client.seen;
    client.input("start");
    const [first = 0] = client.begun;
    const id = client.exchanges.get(first)?.id;
    if (this.#protocol === "mcp") {
      client.head(first, 200, ["content-type", "application/json", "mcp-session-id", "s1"]);
      client.chunk(first, `{"jsonrpc":"2.0","id":${id},"result":{"protocolVersion":"${version || "2025-11-25"}","capabilities":{"tools":{}},"serverInfo":{"name":"world","version":"1"}}}`);
    } else {
      client.head(first, 200, ["content-type", "application/json", "acp-connection-id", "k1"]);
      const capabilities = version === "1" ? '"agentCapabilities":{"loadSession":true}' : '"capabilities":{"session":{}}';
      client.chunk(first, `{"jsonrpc":"2.0","id":${id},"result":{"protocolVersion":${version || "2"},"info":{"name":"agent","version":"1"},${capabilities}}}`);
    }
    client.end(first, ENDINGS["clean"]!);
    const [second = 0] = client.begun;
    if (this.#protocol === "acp") client.head(second, 200, ["content-type", "text/event-stream"]);
    else {
      client.head(second, 202, []);
      for (const x of client.begun) client.head(x, 405, []);
      client.end(second, ENDINGS["clean"]!);
    }
    this.#uncounted += client.seen - before;
  }

  #reload(): void {
    const { store } = this.client;
    store.flying = undefined;
    this.#make([...this.#tabs].find(([, client]) => client === this.client)![0], store);
    this.client.restore(store.loaded(true));
  }

  #tab(name: string): void {
    const there = this.#tabs.get(name);
    if (there) this.client = there;
    else {
      this.#make(name);
      this.client.restore(this.client.store.loaded(false));
    }
  }
}

const RESULTS: Record<string, StoreResult> = { "": StoreResult.OK, unsealed: StoreResult.Unsealed, quota: StoreResult.Quota };

type Command = (client: Client, args: string, words: string[]) => void;

const number = (text = ""): number => +text.replace(/^[xc]/, "");
/** An input that takes the number of a call. */
const ofCall = (name: InputName, ...more: number[]): Command => (client, args) => void client.input(name, [number(args), ...more]);
const behind = (args: string, words: number): string => args.split(" ").slice(words).join(" ");

const COMMANDS: Record<string, Command> = {
  start: (client) => void client.input("start"),
  head: (client, _, [x, status, ...fields]) => client.head(number(x), +status!, fields.flatMap((field) => [field.slice(0, field.indexOf("=")), field.slice(field.indexOf("=") + 1)])),
  chunk: (client, args, [x]) => client.chunk(number(x), behind(args, 1)),
  end: (client, _, [x, how]) => client.end(number(x), ENDINGS[how!]!),
  fails: (client, args) => client.end(number(args), ENDINGS["network"]!, "Failed to fetch"),
  advance: (client, args) => client.advance(+args),
  deadline: () => {},
  counters: (client) => void client.ask("counters"),
  respond: (client, args, [handle]) => void client.input("respond", [+handle!, 1], behind(args, 1)),
  token: (client, args) => client.token(TokenAnswer.Given, args),
  tokenfail: (client, args) => client.token(TokenAnswer.Failed, args),
  tokenaway: (client) => client.token(TokenAnswer.Offline, "away"),
  online: (client) => client.page("online"),
  offline: (client) => client.page("offline"),
  woke: (client, args) => {
    clock.now -= +args;
    client.page("freeze");
    clock.now += +args;
    client.page("resume");
  },
  visited: (client) => void client.input("visited"),
  close: (client) => void client.input("close"),
  terminate: (client) => void client.input("terminate"),
  stored: (client, _, [result, why]) => client.stored(RESULTS[result!] ?? StoreResult.Failed, why as StoreReasonWord),
  storeback: (client) => {
    client.storeGone("lost");
    client.input("stored", [0, StoreResult.OK, 0]);
  },
  storegone: (client, args) => client.storeGone(args as StoreReasonWord),
  hear: (client) => client.restore(client.store.loaded(false)),
  hearlog: (client, args) => client.restore(client.store.loaded(false, number(args))),
  take: (client, args) => client.restore(client.store.loaded(true, number(args))),
  call: (client, args, [session]) => {
    if (client.protocol === "acp") return client.request(+session!, args.split(" ")[1]!, behind(args, 2));
    return call(client, args);
  },
  prompt: (client, args, [session]) => client.request(+session!, "session/prompt", `{"prompt":[{"type":"text","text":"${behind(args, 1)}"}]}`),
  notify: (client, args, [first, second]) => {
    if (client.protocol === "mcp") client.call(first!, behind(args, 1), { how: CallFlags.Notify });
    else client.input("agentNotify", [+first!], frame([second!, behind(args, 2)]));
  },
  tools: (client, args) => void client.input("tools", [], args),
  calltool: (client, args) => {
    const words = args.split(" ");
    const [wish = "task=unsaid"] = words.filter((word) => word.startsWith("task="));
    const options = words.slice(0, -1).filter((word) => word !== wish);
    call(client, `${[wish, ...options].join(" ")} tools/call {"name":"${words.at(-1)!}","arguments":{"region":"eu"}}`);
  },
  source: (client, args, [x, what]) => {
    const state = ({ open: "sourceOpened", failed: "sourceFailed", redirected: "sourceRedirected" } as const)[what!];
    if (state !== undefined) client.source(number(x), state);
    else client.input("sourceEvent", [number(x)], frame([what!, behind(args, 2), ""]));
  },
  answer: (client, args, [call]) => void client.input("answer", [number(call)], behind(args, 1)),
  peek: ofCall("peek"),
  draft: (client, args, [of, key]) => {
    const isCall = of!.startsWith("c");
    if (client.protocol === "acp") client.input("agentSaveDraft", [+of!], behind(args, 1));
    else client.input("saveDraft", [isCall ? number(of) : 0, isCall ? 0 : +of!], frame(isCall ? [key!, behind(args, 2)] : ["", behind(args, 1)]));
  },
  subscribe: (client, args) => void client.input("subscribe", [], args),
  cancel: (client, args, [call]) => void (client.protocol === "acp" ? client.input("agentCancel", [number(call)]) : client.input("cancel", [number(call)], behind(args, 1))),
  pause: ofCall("pause", 1),
  unpause: ofCall("pause", 0),
  ack: (client, _, [call, position = "0", ticket = "0"]) => void client.input("ack", [number(call), +position, +ticket]),
  handed: ofCall("handed"),
  hide: (client) => void client.input("hide"),
  park: ofCall("park", 1),
  unpark: ofCall("park", 0),
  lease: (client) => void client.input("handshake"),
  hold: ofCall("hold", 1),
  unhold: ofCall("hold", 0),
  scarce: (client) => void client.input("scarce", [1]),
  ample: (client) => void client.input("scarce", [0]),
  listen: (client, args) => void client.input("listen", [1, args === "missed" ? 1 : 0]),
  unlisten: (client) => void client.input("listen", [0, 0]),
  alone: () => {}, // core/tabs says that, beside each client
  unalone: () => {},
  forget: ofCall("agentForget"),
  streams: (client, args) => void client.input("agentStreams", [+args]),
  socket: (client, args, [x, what]) => {
    if (what === "open") client.socket(number(x));
    else if (what === "message") client.input("socketMessage", [number(x)], behind(args, 2));
    else client.socket(number(x), +behind(args, 2));
  },
};

function call(client: Client, args: string): void {
  const words = args.split(" ").filter(Boolean);
  let how = 0;
  let [key, meta] = ["", ""];
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at]!;
    if (CALL_WORDS[word]) how |= CALL_WORDS[word];
    else if (word.startsWith("key=")) key = word.slice(4);
    else if (word.startsWith("meta=")) meta = word.slice(5);
    else break;
  }
  client.call(words[at]!, args.slice(args.indexOf(words[at]!) + words[at]!.length + 1), { how, key, meta });
}
