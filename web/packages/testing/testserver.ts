import type { CallToolResult, Implementation, McpClient, Open, Tool } from "holdfast";
import { badArgument, checkClient } from "../shared/checks.js";
import { EventStreams, type ServerStream } from "./serverstreams.js";
import { ToolRun, type ToolContext } from "./toolrun.js";

/** A tool of a {@link TestServer}: what it lists, and what it does. */
export interface TestTool extends Partial<Omit<Tool, "name">> {
  /** Runs at each call that reaches the server. What it throws is the tool's failure. */
  run: (args: Open, context: ToolContext) => CallToolResult | string | Promise<CallToolResult | string>;
}

/** Options of a {@link TestServer}. */
export interface TestServerOptions {
  /** The server's tools by their names. */
  tools?: Record<string, TestTool>;
  /** The server's own name and version. */
  server?: Implementation;
  /** Instructions to a model on how to use the server. */
  instructions?: string;
}

/** A call that has reached the server. */
export interface ReceivedCall {
  readonly tool: string;
  readonly arguments: Open;
  /** Members of the request's `_meta`. */
  readonly meta: Open;
}

const REVISION = "2025-11-25";
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INVALID_REQUEST = -32600;

/** A JSON-RPC message as it came. */
interface Message {
  id?: string | number;
  method?: string;
  params?: Open;
  result?: Open;
  error?: { message?: string };
}

/** How the server can be reached: `down` is no network at all. */
type Reach = "up" | "down";

/**
 * An MCP server in the page, without a network: for unit tests of an app. It speaks Streamable HTTP as of
 * 2025-11-25, keeps what its streams have sent, and so lets calls go on after a cut.
 *
 * ```ts
 * const server = testServer({ tools: { add: { run: ({ a, b }) => String(a + b) } } });
 * const mcp = await connect(server.url, { fetch: server.fetch, principal: "a test" });
 * ```
 */
export class TestServer {
  /** The server's address. No request leaves the page for it. */
  readonly url: string;
  /** The calls that have reached it, in their order: a call that ran twice is there twice. */
  readonly calls: ReceivedCall[] = [];
  readonly #options: TestServerOptions;
  readonly #tools: Map<string, TestTool>;
  #sessions = new Set<string>();
  readonly #streams = new EventStreams();
  /** Runs of tools, by session and the request's id. */
  readonly #runs = new Map<string, ToolRun>();
  #reach: Reach = "up";
  #numbers = 0;

  /** @internal Use {@link testServer}. */
  constructor(options: TestServerOptions) {
    this.url = `https://server-${++servers}.test/mcp`;
    this.#options = options;
    this.#tools = new Map(Object.entries(options.tools ?? {}));
  }

  /** The option `fetch` of {@link connect}. Bound, so that it can be passed on. */
  readonly fetch = (url: string, init: RequestInit = {}): Promise<Response> => {
    // As a fetch does: nothing happens before whoever asked has gone on.
    return Promise.resolve().then(() => {
      if (this.#reach === "down") throw new TypeError("the test server is down");
      if (init.signal?.aborted) throw init.signal.reason as Error;
      if (new URL(url).href !== this.url) return new Response(null, { status: 404 });
      return this.#answer(init.method ?? "GET", new Headers(init.headers), init);
    });
  };

  /**
   * Cuts all streams, as a network does that breaks. What the tools say meanwhile comes when the client is
   * back.
   */
  cut(): void {
    this.#streams.cut();
  }

  /** Cuts all streams and answers nothing until {@link TestServer.up}. */
  down(): void {
    this.#reach = "down";
    this.cut();
  }

  /** Ends {@link TestServer.down}. */
  up(): void {
    this.#reach = "up";
  }

  /**
   * Forgets all sessions and what its streams have sent, as a server that was started again: its tools run
   * on, and nobody hears of it.
   */
  loseSession(): void {
    this.#sessions = new Set();
    this.cut();
    this.#streams.forget();
  }

  /**
   * What a reload of the page does: the client is gone, and the server hears nothing of it. Its calls that
   * are kept are there when the test connects again; what it had under way rejects with `closed`, which
   * nobody is there to read.
   */
  async reload(client: McpClient): Promise<void> {
    checkClient("reload", client);
    this.down();
    try {
      await client.close();
    } finally {
      this.up();
    }
  }

  /**
   * Adds a tool, changes one, or with undefined takes it away; tells the clients that the list has changed.
   */
  setTool(name: string, tool: TestTool | undefined): void {
    if (tool === undefined) this.#tools.delete(name);
    else {
      checkTool("setTool", name, tool);
      this.#tools.set(name, tool);
    }
    this.#streams.unasked({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  }

  async #answer(method: string, headers: Headers, init: RequestInit): Promise<Response> {
    const session = headers.get("mcp-session-id") ?? "";
    if (session !== "" && !this.#sessions.has(session)) return new Response(null, { status: 404 });
    if (method === "DELETE") {
      this.#sessions.delete(session);
      return new Response(null, { status: session === "" ? 405 : 200 });
    }
    if (method === "GET")
      return this.#listen(session, headers.get("last-event-id"), init.signal ?? undefined);
    const message = JSON.parse(await new Response(init.body).text()) as Message;
    if (message.method === "initialize") return this.#initialize(message);
    if (session === "") return failed(message.id, INVALID_REQUEST, "there is no session", 400);
    if (message.method === undefined || message.id === undefined) return this.#told(session, message);
    return this.#asked(session, message, init.signal ?? undefined);
  }

  #initialize({ id }: Message): Response {
    const session = `session-${++this.#numbers}`;
    this.#sessions.add(session);
    const { server = { name: "test server", version: "1" }, instructions } = this.#options;
    const capabilities = { tools: { listChanged: true } };
    return answered(
      id,
      {
        protocolVersion: REVISION, capabilities, serverInfo: server,
        ...(instructions !== undefined && { instructions })
      },
      { "mcp-session-id": session },
    );
  }

  /** A notification, or an answer to what a tool has asked. */
  #told(session: string, { id, method, params = {}, result, error }: Message): Response {
    if (method === "notifications/cancelled")
      this.#runs.get(`${session} ${String(params["requestId"])}`)?.cancel(String(params["reason"] ?? ""));
    else if (method === undefined)
      for (const run of this.#runs.values()) run.answered(String(id), result, error?.message);
    return new Response(null, { status: 202 });
  }

  #asked(session: string, { id, method, params = {} }: Message, signal: AbortSignal | undefined): Response {
    switch (method) {
      case "ping":
        return answered(id, {});
      case "tools/list":
        return answered(id, {
          tools: [...this.#tools].map(
            ([name, { run: _, inputSchema = { type: "object" }, ...tool }]) => ({
              name, inputSchema, ...tool
            }),
          ),
        });
      case "tools/call":
        return this.#call(session, id!, params, signal);
      default:
        return failed(id, METHOD_NOT_FOUND, `the test server has no ${method}`);
    }
  }

  #call(
    session: string, id: string | number, { name, arguments: args = {}, _meta: meta = {} }: Open,
    signal: AbortSignal | undefined,
  ): Response {
    const tool = this.#tools.get(String(name));
    if (!tool) return failed(id, INVALID_PARAMS, `no such tool: ${String(name)}`);
    this.calls.push({ tool: String(name), arguments: args as Open, meta: meta as Open });
    const stream = this.#streams.make();
    const run = new ToolRun(stream, (meta as Open)["progressToken"]);
    const number = `${session} ${id}`;
    this.#runs.set(number, run);
    void run.of(tool.run, args as Open).then((response) => {
      this.#runs.delete(number);
      stream.end({ jsonrpc: "2.0", id, ...response });
    });
    return streamed(stream, 0, signal);
  }

  /** The stream for what is said unasked; or one that was cut, after the event that the client had last. */
  #listen(session: string, last: string | null, signal: AbortSignal | undefined): Response {
    if (session === "") return new Response(null, { status: 405 });
    if (last === null) return streamed(this.#streams.listening(), 0, signal);
    const [stream, after] = this.#streams.after(last) ?? [];
    return stream ? streamed(stream, after!, signal) : new Response(null, { status: 404 });
  }
}

let servers = 0;

/**
 * Makes a server for a test.
 *
 * @throws HoldfastError `bad_argument`
 */
export function testServer(options: TestServerOptions = {}): TestServer {
  const known = ["tools", "server", "instructions"];
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw badArgument("testServer", name, `is no option: there are ${known.join(", ")}`);
  for (const [name, tool] of Object.entries(options.tools ?? {})) checkTool("testServer", name, tool);
  return new TestServer(options);
}

function checkTool(op: string, name: string, tool: TestTool): void {
  if (typeof tool?.run !== "function")
    throw badArgument(op, `tools.${name}.run`, "has to be a function: what the tool does");
}

function streamed(stream: ServerStream, after: number, signal: AbortSignal | undefined): Response {
  return new Response(stream.body(after, signal), { headers: { "content-type": "text/event-stream" } });
}

function answered(id: Message["id"], result: object, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ jsonrpc: "2.0", id, result }), {
    headers: { "content-type": "application/json", ...headers },
  });
}

function failed(id: Message["id"], code: number, message: string, status = 200): Response {
  return new Response(JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code, message } }), {
    status, headers: { "content-type": "application/json" },
  });
}
