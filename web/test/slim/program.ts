// Two files of one program, each in its own memory. The clock, chance and the page are the proof's, so that
// both do the same as long as slim has left the same program.

import { DEAD, INPUT, Kind, RECORD_WORDS } from "../../src/base/border.js";
import { newGo } from "../../src/runtime/goscope.js";
import type { GoHost } from "../../src/runtime/setup.js";
import { Table, type TableRecord } from "../../src/runtime/table.js";

/** The clock of every program: what performance.now() reads, in ms. */
export const clock = { now: 1_000_000 };

/** What the next random number begins with: both programs draw the same. */
let drawn = 0;

/** What a client is told: the name of an input, and that of a question. */
export type InputName = keyof typeof INPUT;
export type Question = "counters" | "mirrored";

const listeners = new Map<string, ((event: object) => void)[]>();
const listen = (name: string, heard: (event: object) => void): void => void listeners.set(name, [...(listeners.get(name) ?? []), heard]);

/** Takes the place of what a program asks of a page. */
function lendPage(): void {
  const put = (name: string, value: unknown): void => void Object.defineProperty(globalThis, name, { value, configurable: true });
  const draw = (into: Uint8Array): Uint8Array => {
    into.fill(0);
    for (let at = into.length, rest = ++drawn; at > 0 && rest > 0; rest >>>= 8) into[--at] = rest & 255;
    return into;
  };
  put("crypto", { getRandomValues: draw });
  put("performance", { now: () => clock.now });
  put("addEventListener", listen);
  put("document", { addEventListener: listen, visibilityState: "visible" });
  put("setInterval", () => 0);
  Date.now = () => clock.now;
}
lendPage();

/** One file, running. */
class Program {
  readonly #exports: Record<string, (...numbers: number[]) => number>;
  readonly #memory: WebAssembly.Memory;
  readonly #header: number;
  readonly #table: Table;
  readonly #heard: ReadonlyMap<string, ((event: object) => void)[]>;
  readonly #connect: (op: string, options: object) => unknown;
  /** What the program asked to be read, since an event of the page has made it do something. */
  #flushed = 0;

  constructor(module: WebAssembly.Module) {
    listeners.clear();
    drawn = 0;
    const host: GoHost & Record<string, unknown> = {};
    const go = newGo(host);
    go.importObject["holdfast"] = { ready: () => {}, now: () => clock.now, flush: (count: number) => void (this.#flushed = count) };
    go.exit = (code: number) => {
      throw new Error(`exit code ${code}`);
    };
    const instance = new WebAssembly.Instance(module, go.importObject);
    void go.run(instance);
    this.#exports = instance.exports as never;
    this.#memory = instance.exports["mem"] as WebAssembly.Memory;
    this.#header = this.#exports["header"]!();
    this.#table = new Table(this.#memory, this.#header, (n) => this.#exports["reserve"]!(n));
    this.#heard = new Map(listeners);
    this.#connect = (op, options) => (host[op] as (options: object) => unknown)(options);
  }

  open(op: string, options: object, seed: number): unknown {
    drawn = seed - 1;
    return this.#connect(op, options);
  }

  input(name: InputName, client: number, [a = 0, b = 0, c = 0]: readonly number[], payload: Uint8Array): number {
    if (payload.length > 0) this.#table.writeBytes(payload);
    return this.#exports["input"]!(client, INPUT[name], a, b, c, payload.length, clock.now);
  }

  ask(question: Question, client: number, numbers: readonly number[], payload: Uint8Array): number {
    if (payload.length > 0) this.#table.writeBytes(payload);
    return this.#exports[question]!(client, ...numbers, payload.length);
  }

  /** Something happens to the page. */
  page(name: string, event: object): number {
    this.#flushed = 0;
    for (const heard of this.#heard.get(name) ?? []) heard(event);
    return this.#flushed;
  }

  records(count: number): TableRecord[] {
    return count > 0 ? this.#table.read(count, 0) : [];
  }

  get answer(): number {
    return this.#table.answer;
  }

  /** The answer of the last input, its records and all that they point at: where that lies is the memory's own business. */
  effects(count: number): Uint8Array {
    const bytes = new Uint8Array(this.#memory.buffer);
    const words = new Uint32Array(this.#memory.buffer);
    const header = this.#header >>> 2;
    const parts = [bytes.slice((header + 4) << 2, (header + 5) << 2)];
    for (let i = 0, at = words[header + 1]! >>> 2; i < count; i++, at += RECORD_WORDS) {
      const [kind, , , number = 0, , address = 0, length = 0, extra = 0] = words.subarray(at, at + RECORD_WORDS);
      const record = words.slice(at, at + RECORD_WORDS);
      record[5] = 0;
      if (kind === Kind.Fetch) record[3] = 0;
      parts.push(new Uint8Array(record.buffer), bytes.slice(address, address + length));
      if (kind === Kind.Fetch) parts.push(bytes.slice(number, number + extra));
    }
    return joined(parts);
  }
}

/** The wasm as Go's linker wrote it, and as slim left it. Each input goes to both, and throws where their effects differ by a byte. */
export class Pair {
  readonly #programs: readonly Program[];
  inputs = 0;
  effects = 0;
  bytes = 0;

  constructor(linked: Uint8Array<ArrayBuffer>, slim: Uint8Array<ArrayBuffer>) {
    this.#programs = [linked, slim].map((file) => new Program(new WebAssembly.Module(file)));
  }

  /** Makes a client. Returns its handle. */
  open(op: "connect" | "connectAgent", options: object, seed: number): number {
    const [linked, slim] = this.#programs.map((program) => program.open(op, options, seed));
    if (linked !== slim || typeof linked !== "number" || linked < 0) throw new Error(`${op}: ${String(linked)}, and ${String(slim)}`);
    return linked;
  }

  input(name: InputName, client: number, numbers: readonly number[] = [], payload: Uint8Array | string = ""): TableRecord[] {
    const bytes = typeof payload === "string" ? new TextEncoder().encode(payload) : payload;
    return this.#both(() => `${name}(${[client, ...numbers].join(", ")}) ${show(bytes)}`, (program) => program.input(name, client, numbers, bytes));
  }

  ask(question: Question, client: number, numbers: readonly number[] = [], payload = ""): TableRecord[] {
    const bytes = new TextEncoder().encode(payload);
    return this.#both(() => `${question}(${[client, ...numbers].join(", ")}) ${payload}`, (program) => program.ask(question, client, numbers, bytes));
  }

  page(name: string, event: object = {}): TableRecord[] {
    return this.#both(() => name, (program) => program.page(name, event));
  }

  /** The answer word of the last input. */
  get answer(): number {
    return this.#programs[0]!.answer;
  }

  #both(what: () => string, input: (program: Program) => number): TableRecord[] {
    const before = drawn;
    const [linked, slim] = this.#programs.map((program) => {
      drawn = before;
      const count = input(program);
      return { count, effects: program.effects(count) };
    });
    this.inputs++;
    if (linked!.count !== slim!.count || !isSame(linked!.effects, slim!.effects)) {
      throw new Error(`${what()}\nthe effects differ: ${linked!.count} and ${slim!.count} records\n${show(linked!.effects)}\n${show(slim!.effects)}`);
    }
    if (linked!.count === DEAD) throw new Error(`${what()}\nthe program has ended`);
    this.effects += Math.max(linked!.count, 0);
    this.bytes += linked!.effects.length;
    return this.#programs[0]!.records(linked!.count);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** Bytes for people. */
function show(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes.subarray(0, 2_000)).replaceAll(/[^ -~]+/g, "·");
}
