// The rig in the page: loads one contender and runs the measurements that the
// command asks for, the same for all.
import type { Contender, Options, Session } from "./contender.js";
import { apart } from "./apart.js";
import { watch, type Strain } from "./watch.js";

let contender: Contender;
let session: Session;

/** When something was first reached, in ms since import(); what the page has no part in is left out. */
type Phases = Partial<Record<"imported" | "compiled" | "asked" | "answered" | "connected", number>>;

let began = 0;
let phases: Phases = {};

function reached(phase: keyof Phases): void {
  phases[phase] ??= performance.now() - began;
}

/** Import to connected. */
async function start(bundle: string, url: string, options: Options): Promise<Phases> {
  phases = {};
  began = performance.now();
  contender = (await import(bundle)) as Contender;
  reached("imported");
  session = await contender.connect(url, options);
  reached("connected");
  return phases;
}

/**
 * Notes from here on when the contender's first request leaves, and when it is answered: for a page that is
 * measured for nothing else.
 */
function watchRequests(): void {
  const browsers = globalThis.fetch;
  globalThis.fetch = async (...args) => {
    const isRequest = args[1]?.method === "POST";
    if (isRequest) reached("asked");
    const response = await browsers(...args);
    if (isRequest) reached("answered");
    return response;
  };
}

/**
 * The same in one more page, without the import: connect alone, in ms; `preloads`: the app has had its part
 * of the client loaded before.
 */
async function further(bundle: string, url: string, options: Options, preloads: boolean): Promise<number> {
  contender = (await import(bundle)) as Contender;
  if (preloads) await contender.preload!(options);
  const began = performance.now();
  session = await contender.connect(url, options);
  return performance.now() - began;
}

/** The scripts that the page has loaded of the contender; a worker's are not among them. */
function scripts(): string[] {
  const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
  return loaded.filter(
    (path) => path.endsWith(".mjs") && path !== "/rig.mjs" && !path.endsWith("-worker.mjs"),
  );
}

interface Burst extends Strain {
  ms: number;
  seen: number;
  /** Events that came out of their order. */
  astray: number;
}

/** One call that says a lot on its way. */
async function burst(args: { count: number; size: number; each: boolean }): Promise<Burst> {
  let seen = 0;
  let astray = 0;
  const together = args.each ? apart() : () => {};
  const stop = watch();
  const began = performance.now();
  await session.call("burst", { ...args }, (progress) => {
    if (progress !== ++seen) astray++;
  });
  const ms = performance.now() - began;
  together();
  return { ...(await stop()), ms, seen, astray };
}

let made = 0;
let answered = 0;

/** One small call. */
async function echo(tool = "echo"): Promise<void> {
  made++;
  await session.call(tool, { text: "ping" });
  answered++;
}

// What the page asks of the browser for its calls. A worker's is not among it.
let transactions = 0;
let locks = 0;
const { transaction } = IDBDatabase.prototype;
IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...args: Parameters<typeof transaction>) {
  if (args[1] === "readwrite") transactions++;
  return transaction.apply(this, args);
};
const request = LockManager.prototype.request as (...args: unknown[]) => Promise<unknown>;
Object.assign(LockManager.prototype, {
  request(this: LockManager, ...args: unknown[]) {
    locks++;
    return request.apply(this, args);
  },
});

/** The transactions that write and the requests for Web Locks, so far. */
function asked(): { transactions: number; locks: number } {
  return { transactions, locks };
}

/** Has the client list the tools, where it makes something of that. */
async function list(): Promise<void> {
  await session.list?.();
}

/** How far the small calls have come, for the command to tell of one that hangs. */
function standing(): string {
  return `${answered} of ${made} small calls answered`;
}

/** How long each of so many calls took, one after another, in ms. */
async function sequential(count: number, tool?: string): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const began = performance.now();
    await echo(tool);
    times.push(performance.now() - began);
  }
  return times;
}

/** The time of so many calls with no more than `width` in flight, in ms. */
async function concurrent(count: number, width: number): Promise<number> {
  let left = count;
  const began = performance.now();
  const lane = async (): Promise<void> => {
    while (left-- > 0) await echo();
  };
  await Promise.all(Array.from({ length: width }, lane));
  return performance.now() - began;
}

/** The time of one large result, in ms. */
async function large(args: { size: number; sse: boolean }): Promise<number> {
  const began = performance.now();
  const result = (await session.call("large", { ...args })) as { content: { text: string }[] };
  const ms = performance.now() - began;
  const length = result.content[0]!.text.length;
  if (length < args.size * 0.9) throw new Error(`the text has ${length} characters`);
  return ms;
}

interface Recovery {
  /** From the cut to the first event after it, in ms; -1 if none came. */
  ms: number;
  /** From the last cut until the request arrived that mended it, in ms, as the server has it. */
  after: number;
  lost: number;
  twice: number;
  /** Why the call failed; "" where it did not. */
  error: string;
}

let cuts = 0;

/** A call whose stream breaks half way; the rig waits `patience` ms for its end. */
async function cut(
  args: { count: number; pause: number; retry?: number; cuts?: number }, patience: number,
): Promise<Recovery> {
  const half = args.count / 2;
  const times = new Map<number, number>();
  let before = 0;
  let after = 0;
  let twice = 0;
  const call = session.call("cut", { ...args, text: `cut-${++cuts}` }, (progress) => {
    const now = performance.now();
    if (times.has(progress)) twice++;
    times.set(progress, now);
    if (progress <= half) before = now;
    else after ||= now;
  });
  const error = await within(patience, call);
  const result = error === "" ? ((await call) as { content: { text: string }[] }) : undefined;
  return {
    ms: after ? after - before - args.pause : -1, after: Number(result?.content[0]?.text ?? -1),
    lost: args.count - times.size, twice, error,
  };
}

/** A call whose stream breaks and cannot be resumed: how long until the call says so, and what. */
async function drop(patience: number): Promise<{ ms: number; error: string }> {
  const began = performance.now();
  const error = await within(patience, session.call("drop", {}, () => {}, 0));
  return { ms: performance.now() - began, error };
}

/** How a call ended: "" if well, "nothing" if not within so many ms. */
function within(ms: number, call: Promise<unknown>): Promise<string> {
  const told = call.then(
    () => "",
    (error: unknown) => String(error),
  );
  return Promise.race([told, new Promise<string>((resolve) => setTimeout(() => resolve("nothing"), ms))]);
}

// The memory of the contender's wasm: the heap that the browser tells of leaves
// it out.
let memory: WebAssembly.Memory | undefined;
for (const name of ["instantiate", "instantiateStreaming"] as const) {
  const instantiate =
    WebAssembly[name] as (...args: unknown[]) => Promise<WebAssembly.WebAssemblyInstantiatedSource>;
  Object.assign(WebAssembly, {
    [name]: async (...args: unknown[]) => {
      const made = await instantiate(...args);
      reached("compiled");
      for (const one of Object.values((made.instance ?? made).exports))
        if (one instanceof WebAssembly.Memory) memory = one;
      return made;
    },
  });
}

/** Bytes of the contender's wasm memory. */
function wasm(): number {
  return memory?.buffer.byteLength ?? 0;
}

/** Keeps the main thread busy for so many ms, for the command to see whose process that is. */
function spin(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

const rig = {
  start, watchRequests, further, scripts, burst, standing, asked, list, sequential, concurrent, large, cut,
  drop, wasm, spin,
};
export type Rig = typeof rig;
Object.assign(globalThis, { rig });
