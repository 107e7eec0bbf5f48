import assert from "node:assert/strict";
import { test } from "node:test";
import { diagnose } from "../packages/doctor/doctor.js";
import type { DiagnosisFinding } from "../packages/doctor/findings.js";
import { HoldfastError } from "../src/base/errors.js";

const PAGE = "https://app.example";
Object.defineProperty(globalThis, "location", {
  value: { origin: PAGE, protocol: "https:", hostname: "app.example", href: `${PAGE}/` }, configurable: true,
});
Object.defineProperty(globalThis, "origin", { value: PAGE, configurable: true });

/** A server as a browser shows it to a page of another origin: what CORS allows, and what it answers. */
interface Server {
  origin?: string | undefined;
  headers?: string;
  methods?: string;
  expose?: string;
  credentials?: boolean;
  /** Nothing answers. */
  isDown?: boolean;
  /** Each so-many-th request is cut, from there on. */
  cuts?: number;
  answer?: (method: string, headers: Headers, body: { method?: string }) => Response | Promise<Response>;
}

const SIMPLE = ["GET", "HEAD", "POST"];

/**
 * What fetch of a browser's does (Fetch 4.8, CORS-preflight fetch, and 3.3.4). Gives the requests that came
 * through.
 */
function browser(server: Server): { came: string[] } {
  const came: string[] = [];
  let count = 0;
  globalThis.fetch = (async (input: string, init: RequestInit = {}) => {
    const { method = "GET", mode = "cors", credentials = "omit", signal, body } = init;
    const headers = new Headers(init.headers);
    count++;
    if (server.isDown || (server.cuts && count % server.cuts === 0)) throw new TypeError("Failed to fetch");
    const foreign = new URL(input).origin !== PAGE;
    const answered = async (): Promise<Response> => {
      came.push(method);
      const response = await Promise.race([
        Promise.resolve(
          (server.answer ?? mcp())(
            method, headers, typeof body === "string" ? (JSON.parse(body) as object) : {},
          ),
        ),
        new Promise<never>(
          (_, reject) => signal?.addEventListener(
            "abort", () => reject(new DOMException("aborted", "AbortError")),
          ),
        ),
      ]);
      if (!foreign) return response;
      const exposed = (server.expose ?? "").toLowerCase().split(", ");
      const shown = new Headers(
        [...response.headers].filter(([name]) => name === "content-type" || exposed.includes(name)),
      );
      return new Response(response.body, { status: response.status, headers: shown });
    };
    if (mode === "no-cors") return void (await (await answered()).body?.cancel()), new Response(null);
    if (foreign) {
      const allowed = (server.headers ?? "").toLowerCase().split(", ");
      const unsafe = [...headers.keys()].filter(
        (name) => name !== "accept" && !(name === "content-type" && headers.get(name) === "text/plain"),
      );
      if (unsafe.some((name) => !allowed.includes(name))) throw new TypeError("Failed to fetch");
      if (!SIMPLE.includes(method) && !(server.methods ?? "").split(", ").includes(method))
        throw new TypeError("Failed to fetch");
      const response = await answered();
      const isAllowed = credentials === "include"
        ? server.origin === PAGE && server.credentials
        : server.origin === "*" || server.origin === PAGE;
      if (!isAllowed) throw new TypeError("Failed to fetch");
      return response;
    }
    return await answered();
  }) as typeof fetch;
  return { came };
}

/** A server of 2025-11-25 with sessions. */
function mcp(): NonNullable<Server["answer"]> {
  return (method, headers, body) => {
    if (method === "GET") return new Response(null, { status: 405 });
    if (method === "DELETE") return new Response(null, { status: 200 });
    if (body.method === "initialize")
      return new Response(
        JSON.stringify({ jsonrpc: "2.0", id: 1, result: { protocolVersion: "2025-06-18" } }),
        { headers: { "content-type": "application/json", "mcp-session-id": "s" } },
      );
    return new Response(null, { status: headers.get("mcp-session-id") === "s" ? 202 : 400 });
  };
}

const GOOD: Server = {
  origin: "*",
  headers: "content-type, authorization, mcp-protocol-version, mcp-session-id, last-event-id, mcp-method, " +
    "mcp-name",
  methods: "GET, POST, DELETE", expose: "Mcp-Session-Id",
};
const URL_OF_IT = "https://mcp.example/mcp?token=secret";

async function found(
  server: Server, options: Parameters<typeof diagnose>[1] = {}, url = URL_OF_IT,
): Promise<DiagnosisFinding[]> {
  browser(server);
  return (await diagnose(url, { patience: 200, ...options })).findings;
}
const codes = (findings: DiagnosisFinding[]): string[] => findings.map(({ code }) => code);

test("a server that lets the page in has no findings, and its session is given back", async () => {
  const { came } = browser(GOOD);
  const diagnosis = await diagnose(URL_OF_IT);
  assert.deepEqual(diagnosis, { url: "https://mcp.example", findings: [], revision: "2025-06-18" });
  assert.equal(came.at(-1), "DELETE");
});

test("Fault 398: each rule that keeps a page out is found, with the line for each stack", async () => {
  for (const [what, server, options, expected, word] of [
    ["nothing there", { isDown: true }, {}, ["unreachable"], "Is the server running"],
    ["no CORS", { ...GOOD, origin: undefined }, {}, ["allow_origin"], `Access-Control-Allow-Origin: ${PAGE}`],
    [
      "fields", { ...GOOD, headers: "content-type, mcp-session-id, mcp-method, mcp-name" }, {},
      ["allow_headers"], "mcp-protocol-version, last-event-id",
    ],
    ["the app's own field", GOOD, { headers: { "x-tenant": "7" } }, ["allow_headers"], "x-tenant"],
    ["no content-type", { ...GOOD, headers: "authorization" }, {}, ["allow_headers"], "content-type"],
    ["cookies", GOOD, { credentials: "include" }, ["allow_credentials"], "not *"],
    ["DELETE", { ...GOOD, methods: "GET, POST" }, {}, ["allow_methods"], "DELETE"],
    [
      "the session is hidden", { ...GOOD, expose: "" }, {}, ["expose_session"],
      "Expose-Headers: Mcp-Session-Id",
    ],
  ] as [string, Server, Parameters<typeof diagnose>[1], string[], string][]) {
    const findings = await found(server, options);
    assert.deepEqual(codes(findings), expected, what);
    assert.ok(findings[0]!.hint.includes(word), `${what}: ${findings[0]!.hint}`);
    assert.ok(!JSON.stringify(findings).includes("secret"), what);
    if (what === "nothing there") continue;
    for (const [stack, lines] of Object.entries(findings[0]!.lines!))
      assert.ok(lines.includes(PAGE), `${what}, ${stack}`);
  }
});

test("Fault 693: a frame without an address is named by the origin that its requests have, and its own server is not foreign", async () => {
  const { location } = globalThis;
  Object.defineProperty(globalThis, "location", {
    value: { origin: "null", protocol: "about:", hostname: "", href: "about:srcdoc" }, configurable: true,
  });
  try {
    const [finding] = await found({ ...GOOD, origin: undefined });
    assert.ok(finding!.hint.includes(`Access-Control-Allow-Origin: ${PAGE}`), finding!.hint);
    assert.deepEqual(codes(await found({ ...GOOD, origin: undefined }, {}, `${PAGE}/mcp`)), []);
  } finally {
    Object.defineProperty(globalThis, "location", { value: location, configurable: true });
  }
});

test("what answers is no MCP server, or wants somebody, or forbids the page", async () => {
  const status = (code: number) => (): Response => new Response("no", { status: code });
  for (const [answer, code] of [
    [status(401), "unauthorized"],
    [status(403), "refused"],
    [status(404), "no_endpoint"],
    [
      (method: string) => (
        method === "POST"
          ? new Response("<p>hello</p>", { headers: { "content-type": "text/html" } })
          : new Response(null)
      ),
      "not_mcp",
    ],
  ] as const) assert.deepEqual(codes(await found({ ...GOOD, answer })), [code]);
  const modern = await found({
    ...GOOD,
    answer: () => new Response(
      JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32601, message: "no" } }),
    ),
  });
  assert.deepEqual(codes(modern), []);
});

test("a proxy that keeps streams is found, and one that passes them on is not", async () => {
  const held = await found({
    ...GOOD,
    answer: (method, headers, body) => (
      method === "GET" && headers.get("accept") === "text/event-stream"
        ? new Promise(() => {})
        : mcp()(method, headers, body)
    ),
  });
  assert.deepEqual(codes(held), ["buffered"]);
  assert.ok(held[0]!.lines!.nginx.includes("proxy_buffering off"));
  const streams = (
    _: string, headers: Headers, body: { method?: string }, method = _
  ): Response | Promise<Response> => {
    if (method === "GET" && headers.get("accept") === "text/event-stream")
      return new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
    if (body.method !== "initialize") return mcp()(method, headers, body);
    const event =
      `event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}\n\n`;
    return new Response(new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode(event)) }), {
      headers: { "content-type": "text/event-stream", "mcp-session-id": "s" },
    });
  };
  assert.deepEqual(
    codes(await found({ ...GOOD, answer: (method, headers, body) => streams(method, headers, body) })), [],
  );
});

test("Fault 398: a network that comes and goes is not taken for a rule", async () => {
  for (const cuts of [2, 3, 5]) {
    const findings = codes(await found({ ...GOOD, cuts }));
    assert.ok(
      !findings.some(
        (code) => code === "allow_origin" || code === "allow_headers" || code === "allow_credentials",
      ),
      `${cuts}: ${findings}`,
    );
  }
});

test("mixed content and addresses of the local network are told from a server that is down", async () => {
  assert.deepEqual(codes(await found({ isDown: true }, {}, "http://mcp.example/mcp")), ["mixed_content"]);
  assert.deepEqual(codes(await found({ isDown: true }, {}, "http://localhost:3000/mcp")), ["local_network"]);
  assert.deepEqual(codes(await found({ isDown: true }, {}, "https://192.168.1.7/mcp")), ["local_network"]);
});

test("what is no address, and no option, is named; a signal gives it up", async () => {
  const bad = (word: string) => (error: unknown): boolean => error instanceof HoldfastError &&
    error.code === "bad_argument" && error.message.includes(word);
  await assert.rejects(diagnose(undefined as never), bad("url"));
  await assert.rejects(diagnose("ws://mcp.example"), bad("url"));
  await assert.rejects(diagnose(URL_OF_IT, { timeout: 1 } as never), bad("timeout is no option"));
  await assert.rejects(diagnose(URL_OF_IT, { patience: 0 }), bad("patience"));
  browser(GOOD);
  await assert.rejects(
    diagnose(URL_OF_IT, { signal: AbortSignal.abort(new Error("enough")) }),
    (error) => (error as Error).message === "enough",
  );
});
