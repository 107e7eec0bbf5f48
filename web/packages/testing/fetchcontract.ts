import type { FetchLike } from "holdfast";
import { badArgument } from "../shared/checks.js";
import { EventStreams } from "./serverstreams.js";

/** One thing that a `fetch` of an app's has to do. */
export interface ContractCase {
  name: string;
  /** Rejects where it does not. */
  run: () => Promise<void>;
}

/** How the fetch that is tried reaches the contract's server. */
export interface ContractSetup {
  /** The function that `connect` gets as its option `fetch`. */
  fetch: FetchLike;
  /** The address that `connect` gets. */
  url: string;
}

/** Options of {@link fetchContract}. */
export interface ContractOptions {
  /** How long a case waits for what is there already, in ms. Default 2,000. */
  patience?: number;
}

/**
 * What the option `fetch` of `connect` has to do, as cases for a test runner of whatever kind. `make` gives
 * the fetch that is tried, over the fetch that it is given, which is the contract's own server: a proxy, a
 * logger, one that adds header fields.
 *
 * ```ts
 * const contract = fetchContract((inner) => ({ fetch: withLog(inner), url: "https://contract.test/" }));
 * for (const { name, run } of contract) test(name, run);
 * ```
 *
 * @throws HoldfastError `bad_argument`
 */
export function fetchContract(
  make: (inner: FetchLike) => ContractSetup, { patience = PATIENCE }: ContractOptions = {},
): ContractCase[] {
  if (typeof make !== "function")
    throw badArgument("fetchContract", "make", "has to be a function that makes the fetch to try");
  return CASES.map(([name, tryIt]) => ({
    name,
    run: async () => {
      const server = new ContractServer();
      const { fetch, url } = make(server.fetch);
      const soon: Soon = (what, coming) => within(patience, what, coming);
      await within(2 * patience, name, tryIt({ fetch: (init) => fetch(url, init), server, soon }));
    },
  }));
}

/** Rejects where something does not come. */
type Soon = <T>(what: string, coming: Promise<T>) => Promise<T>;

interface Tried {
  soon: Soon;
  fetch: (init: RequestInit) => Promise<Response>;
  server: ContractServer;
}

/** A server that notes what came. */
class ContractServer {
  readonly came: { method: string; headers: Headers; body: string; signal: AbortSignal | undefined }[] = [];
  readonly streams = new EventStreams();
  readonly stream = this.streams.make();

  readonly fetch: FetchLike = async (_, init) => {
    const { method = "GET", headers, body, signal } = init;
    this.came.push({
      method, headers: new Headers(headers), body: body ? await new Response(body).text() : "",
      signal: signal ?? undefined,
    });
    if (signal?.aborted) throw signal.reason as Error;
    if (method === "DELETE") throw new TypeError("no network");
    if (method === "PUT") return new Response("no", { status: 429, headers: { "retry-after": "7" } });
    return new Response(this.stream.body(0, signal ?? undefined), {
      headers: { "content-type": "text/event-stream", "mcp-session-id": "s" },
    });
  };
}

const CASES: readonly [name: string, tryIt: (tried: Tried) => Promise<void>][] = [
  [
    "method, header fields and body arrive as they were given",
    async ({ fetch, server }) => {
      await fetch({
        method: "POST", headers: { "mcp-protocol-version": "a revision", "last-event-id": "7" },
        body: '{"a":1}',
      });
      const [{ method, headers, body } = nothing()] = server.came;
      is("method", method, "POST");
      is("mcp-protocol-version", headers.get("mcp-protocol-version"), "a revision");
      is("last-event-id", headers.get("last-event-id"), "7");
      is("body", body, '{"a":1}');
    },
  ],
  [
    "status and header fields of the answer come back, also of a refusal",
    async ({ fetch }) => {
      is("mcp-session-id", (await fetch({ method: "POST" })).headers.get("mcp-session-id"), "s");
      const refused = await fetch({ method: "PUT" });
      is("status", refused.status, 429);
      is("retry-after", refused.headers.get("retry-after"), "7");
    },
  ],
  [
    "the answer is there with its head, and its body comes piece by piece, unread",
    async ({ fetch, server, soon }) => {
      const response = await soon("the answer, before its stream has ended", fetch({ method: "POST" }));
      is("bodyUsed", response.bodyUsed, false);
      const reader = response.body!.getReader();
      await soon("the first event", reader.read());
      server.stream.send({ n: 1 });
      const { value } = await soon("an event, when the server sends it", reader.read());
      is("the event", new TextDecoder().decode(value).includes('{"n":1}'), true);
      await reader.cancel();
    },
  ],
  [
    "a stream that the network cuts fails, and does not end as if it were whole",
    async ({ fetch, server, soon }) => {
      const reader = (await fetch({ method: "POST" })).body!.getReader();
      await reader.read();
      server.stream.cut();
      await fails("reading a stream that was cut", async () => {
        while (!(await soon("the cut", reader.read())).done);
      });
    },
  ],
  [
    "the signal gives up the request, and its stream",
    async ({ fetch, server, soon }) => {
      const giveUp = new AbortController();
      const reader = (await fetch({ method: "POST", signal: giveUp.signal })).body!.getReader();
      await reader.read();
      giveUp.abort();
      is("the signal's being passed on", server.came[0]?.signal?.aborted, true);
      await fails("reading a stream that was given up", async () => {
        while (!(await soon("the end of a stream that was given up", reader.read())).done);
      });
      await fails(
        "a request that was given up before", () => fetch({ method: "POST", signal: AbortSignal.abort() }),
      );
    },
  ],
  [
    "without a network it rejects, and makes no answer up",
    ({ fetch }) => fails("a request without a network", () => fetch({ method: "DELETE" })),
  ],
];

function nothing(): never {
  throw new Error("no request came");
}

function is(what: string, was: unknown, has: unknown): void {
  if (was !== has) throw new Error(`${what} is ${JSON.stringify(was)}, and has to be ${JSON.stringify(has)}`);
}

async function fails(what: string, run: () => Promise<unknown>): Promise<void> {
  const isRefused = await run().then(() => false, () => true);
  if (!isRefused) throw new Error(`${what} has to reject`);
}

const PATIENCE = 2000;

async function within<T>(patience: number, what: string, coming: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} does not come`)), patience);
  });
  try {
    return await Promise.race([coming, late]);
  } finally {
    clearTimeout(timer);
  }
}
