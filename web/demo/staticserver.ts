// Plays the demo's MCP server where there is none: a service worker that answers what its pages send to /mcp
// beside it. It speaks 2025-11-25 over Streamable HTTP: a session, one tool, and streams whose events have
// ids and are kept, so that a GET with Last-Event-ID goes on behind any of them. It knows nothing of who
// asks.

import { DOWN, type Down } from "./down.js";

/** What this file uses of a service worker; the demo is checked with the types of a page. */
interface Worker {
  registration: { scope: string };
  clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listener: (event: Extendable) => void): void;
  addEventListener(
    type: "fetch",
    listener: (event: Extendable & {
      request: Request;
      respondWith(response: Promise<Response>): void
    }) => void,
  ): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
}
interface Extendable {
  waitUntil(work: Promise<unknown>): void;
}
interface Message {
  id?: number | string;
  method?: string;
  params?: {
    arguments?: { n?: number; delayMs?: number };
    _meta?: { progressToken?: number | string };
    name?: string
  };
}

const worker = globalThis as unknown as Worker;
const REVISION = "2025-11-25";
const ENDPOINT = new URL("mcp", worker.registration.scope).pathname;
const text = new TextEncoder();

/** How soon a client may come again after a cut, in ms. */
const RETRY = 500;

/** The stream of one call: its events by number, and the connection that has it now. */
class Stream {
  #events: string[] = [];
  #reader: ReadableStreamDefaultController<Uint8Array> | undefined;
  #ended = false;

  constructor(private readonly id: string) {
    this.#events.push(`id: ${id}_0\nretry: ${RETRY}\ndata: \n\n`);
  }

  /** A message of the server's; the last one ends the stream. */
  send(message: unknown, last = false): void {
    const event = `id: ${this.id}_${this.#events.length}\ndata: ${JSON.stringify(message)}\n\n`;
    this.#events.push(event);
    this.#ended = last;
    this.#reader?.enqueue(text.encode(event));
    if (last) this.#end();
  }

  /** Connects somebody from an event on. Who was connected before is let go of. */
  connect(from: number): Response {
    this.#end();
    const body = new ReadableStream<Uint8Array>({
      start: (reader) => {
        this.#reader = reader;
        for (const event of this.#events.slice(from)) reader.enqueue(text.encode(event));
        if (this.#ended) this.#end();
      },
      cancel: () => {
        this.#reader = undefined;
      },
    });
    return new Response(body, {
      headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    });
  }

  /** Breaks the connection, as a network does. */
  cut(): void {
    this.#reader?.error(new TypeError("the network is away"));
    this.#reader = undefined;
  }

  #end(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }
}

const sessions = new Set<string>();
const streams = new Map<string, Stream>();
let downUntil = 0;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const refused = (status: number, words: string): Response => new Response(words, {
  status, headers: { "content-type": "text/plain" },
});

/** Counts, whether anybody listens or not. */
async function count(stream: Stream, { id, params }: Message): Promise<void> {
  const { n = 20, delayMs = 500 } = params?.arguments ?? {};
  const progressToken = params?._meta?.progressToken;
  for (let progress = 1; progress <= n; progress++) {
    await pause(delayMs);
    if (progressToken === undefined) continue;
    stream.send({
      jsonrpc: "2.0", method: "notifications/progress",
      params: { progressToken, progress, total: n, message: `${progress} of ${n}` },
    });
  }
  stream.send(
    { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: `Counted to ${n}.` }] } }, true,
  );
}

const TOOL = {
  name: "count",
  title: "Count",
  description: "Counts from 1 to n and reports every number as progress.",
  inputSchema: { type: "object", properties: { n: { type: "integer" }, delayMs: { type: "integer" } } },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

/** What each method answers at once; a call of the tool is a stream instead. */
const ANSWERS: Record<string, unknown> = {
  initialize: {
    protocolVersion: REVISION, capabilities: { tools: {} },
    serverInfo: { name: "holdfast-static-demo", title: "Holdfast demo server", version: "1.0.0" },
  },
  "tools/list": { tools: [TOOL] },
  ping: {},
};

async function post(request: Request, event: Extendable): Promise<Response> {
  const message = (await request.json().catch(() => ({}))) as Message;
  const headers = new Headers({ "content-type": "application/json" });
  if (message.method === "initialize") {
    const session = crypto.randomUUID();
    sessions.add(session);
    headers.set("mcp-session-id", session);
  } else {
    const session = request.headers.get("mcp-session-id");
    if (session === null) return refused(400, "no session");
    if (!sessions.has(session)) return refused(404, "no such session");
  }
  if (message.id === undefined) return new Response(null, { status: 202 });
  if (message.method === "tools/call" && message.params?.name === TOOL.name) {
    const id = crypto.randomUUID();
    const stream = new Stream(id);
    streams.set(id, stream);
    // The browser ends a worker that seems to do nothing.
    event.waitUntil(count(stream, message));
    return stream.connect(0);
  }
  const result = ANSWERS[message.method ?? ""];
  const answer = result === undefined ? { error: { code: -32601, message: "no such method" } } : { result };
  return new Response(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer }), { headers });
}

function get(request: Request): Response {
  const [, id = "", number = ""] = /^(.*)_(\d+)$/.exec(request.headers.get("last-event-id") ?? "") ?? [];
  if (!id) return refused(405, "there is no stream but those of calls");
  return streams.get(id)?.connect(Number(number) + 1) ?? refused(404, "no such stream");
}

async function answer(request: Request, event: Extendable): Promise<Response> {
  if (Date.now() < downUntil) return Response.error();
  if (request.method === "POST") return post(request, event);
  if (request.method === "GET") return get(request);
  if (request.method === "DELETE") sessions.delete(request.headers.get("mcp-session-id") ?? "");
  return new Response(null, { status: request.method === "DELETE" ? 204 : 405 });
}

worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (origin === location.origin && pathname === ENDPOINT) event.respondWith(answer(event.request, event));
});
worker.addEventListener("message", ({ data }: MessageEvent<Partial<Down>>) => {
  if (data.type !== DOWN || typeof data.ms !== "number") return;
  downUntil = Date.now() + data.ms;
  for (const stream of streams.values()) stream.cut();
});
