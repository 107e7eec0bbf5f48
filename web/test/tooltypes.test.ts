import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
// @ts-expect-error it is a script, as npm publishes it
import { main, toolTypes } from "../bin/tooltypes.mjs";
// @ts-expect-error it is a script, as npm publishes it
import { Types } from "../bin/schematypes.mjs";

const FILE = "web/test/testdata/tools.json";
const GOLDEN = "web/test/testdata/tooltypes.ts";

type Asked = {
  method: string;
  headers: Headers;
  body: { id?: number; method?: string; params?: { cursor?: string } }
};

/** Runs the command against an answer; what it prints, its exit code, and what it asked. */
async function run(
  args: string[], answer: (asked: Asked) => Response = () => new Response(null, { status: 500 }),
): Promise<{ code: number; out: string; err: string; asked: Asked[] }> {
  const [out, err]: [string[], string[]] = [[], []];
  const asked: Asked[] = [];
  const code: number = await main(args, {
    out: (line: string) => out.push(line),
    err: (line: string) => err.push(line),
    readFile: async (path: string) => readFileSync(path, "utf8"),
    fetch: async (_url: string, { method, headers, body }: {
      method: string;
      headers: HeadersInit;
      body?: string
    }) => {
      asked.push({ method, headers: new Headers(headers), body: JSON.parse(body ?? "{}") });
      return answer(asked.at(-1)!);
    },
  });
  return { code, out: out.join("\n"), err: err.join("\n"), asked };
}

const reply = (id: unknown, result: object, headers: Record<string, string> = {}): Response => new Response(
  JSON.stringify({ jsonrpc: "2.0", id, result }),
  { headers: { "content-type": "application/json", ...headers } },
);

test("the types of a list of tools are those of the golden, which the type tests compile", async () => {
  const { code, out, err } = await run([FILE, "--name", "ExampleTools"]);
  assert.equal(err, "");
  assert.equal(code, 0);
  assert.equal(
    `${out}\n`, readFileSync(GOLDEN, "utf8"),
    "node web/bin/holdfast-tool-types.mjs web/test/testdata/tools.json --name ExampleTools > " +
      "web/test/testdata/tooltypes.ts, and read what has changed",
  );
});

test("a schema becomes the type that accepts no less", () => {
  for (const [schema, type] of [
    [true, "unknown"],
    [{}, "unknown"],
    [{ type: "string", minLength: 3 }, "string"],
    [{ type: ["integer", "null"] }, "number | null"],
    [{ enum: ["a", 1, null] }, `"a" | 1 | null`],
    [{ const: "x" }, `"x"`],
    [{ type: "array", items: { type: ["string", "number"] } }, "(string | number)[]"],
    [{ type: "array" }, "unknown[]"],
    [{ prefixItems: [{ type: "string" }], items: false }, "[(string)?]"],
    [{ type: "object" }, "{ [name: string]: unknown }"],
    [{ type: "object", additionalProperties: { type: "number" } }, "{ [name: string]: number }"],
    [{ anyOf: [{ type: "string" }, {}] }, "unknown"],
    [
      { allOf: [{ anyOf: [{ type: "string" }, { type: "number" }] }, { type: "string" }] },
      "(string | number) & string",
    ],
    [{ $ref: "https://elsewhere.example/schema.json" }, "unknown"],
    [{ $ref: "#/nowhere" }, "unknown"],
    [{ type: "string", nullable: true }, "string | null"],
  ] as const) {
    assert.equal(new Types("T").of(schema, schema, "x"), type, JSON.stringify(schema));
  }
});

test("Fault 390: what a server writes into names, texts and schemas stays data", () => {
  const evil = "*/ process.exit(1); /* \u2028 x";
  const text: string = toolTypes(
    [
      {
        name: 'a": never }; evil(); "', description: evil,
        inputSchema: {
          type: "object",
          properties: { "b}\n": { const: `"+evil()+"\u2028`, description: evil }, __proto__: {} },
        },
      }
    ],
    "T",
  );
  assert.ok(!/\*\/ process/.test(text), text);
  assert.ok(text.includes(String.raw`"a\": never }; evil(); \"": {`), text);
  assert.ok(text.includes(String.raw`"b}\n"?: "\"+evil()+\"\u2028"`), text);
  assert.ok(!/[\u2028\u2029]/.test(text));
  // Nesting without end, and references in a circle.
  let deep: object = { type: "string" };
  for (let n = 0; n < 10_000; n++) deep = { type: "array", items: deep };
  assert.ok(new Types("T").of(deep, deep, "x").length < 1000);
  const circle = { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" };
  const types = new Types("T");
  assert.equal(types.of(circle, circle, "x"), "T_x_a");
  assert.ok(types.declarations().includes("= unknown;"), "a circle of nothing but references compiles");
});

test("a server of 2026-07-28 is asked page by page, without a handshake", async () => {
  const { code, out, asked } = await run([
    "https://example.com/mcp", "--header", "Authorization: Bearer abc",
  ], ({ body }) =>
    body.params?.cursor === "2"
      ? reply(body.id, { tools: [{ name: "b", inputSchema: {} }] })
      : reply(body.id, { tools: [{ name: "a", inputSchema: {} }], nextCursor: "2" }),
  );
  assert.equal(code, 0);
  assert.deepEqual(asked.map(({ body }) => body.method), ["tools/list", "tools/list"]);
  assert.equal(asked[1]!.headers.get("authorization"), "Bearer abc");
  assert.equal(asked[1]!.headers.get("mcp-protocol-version"), "2026-07-28");
  assert.ok(/ a: .*\n  b: /.test(out), out);
});

test("an older server is asked in a session, which is ended, and may answer by an event stream", async () => {
  const { code, out, asked } = await run(["https://example.com/mcp"], ({ method, headers, body }) => {
    if (method === "DELETE") return new Response(null, { status: 200 });
    if (body.method === "initialize")
      return reply(body.id, { protocolVersion: "2025-06-18" }, { "mcp-session-id": "s" });
    if (headers.get("mcp-session-id") !== "s") return new Response("no session", { status: 400 });
    if (body.method !== "tools/list") return new Response(null, { status: 202 });
    const json = JSON.stringify({
      jsonrpc: "2.0", id: body.id, result: { tools: [{ name: "a", inputSchema: { type: "object" } }] },
    });
    return new Response(
      `id: 1\ndata:\n\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\r\n\r\nevent: ` +
        `message\ndata: ${json.slice(0, 17)}\ndata: ${json.slice(17)}\n\n`,
      { headers: { "content-type": "text/event-stream" } },
    );
  });
  assert.equal(code, 0);
  assert.ok(out.includes("  a: { input: { [name: string]: unknown }; output: unknown };"), out);
  assert.deepEqual(
    asked.map(({ method, body }) => body.method ?? method),
    ["tools/list", "initialize", "notifications/initialized", "tools/list", "DELETE"],
  );
  assert.equal(asked[3]!.headers.get("mcp-protocol-version"), "2025-06-18");
});

test("what is wrong is said in a line, without what was given for a header", async () => {
  for (const [args, answer, word] of [
    [[], undefined, "usage"],
    [["https://example.com/mcp", "--header", "secret"], undefined, "NAME: VALUE"],
    [["https://example.com/mcp", "--name", "a b"], undefined, "no name of a type"],
    [["https://example.com/mcp"], () => new Response(null, { status: 401 }), "give it a token"],
    [
      ["https://example.com/mcp"],
      () => new Response("<p>hello</p>", { headers: { "content-type": "text/html" } }), "is that the address",
    ],
    [
      ["https://example.com/mcp"], ({ body }: Asked) => reply(body.id, { tools: [], nextCursor: "again" }),
      "no end",
    ],
    [["package.json"], undefined, "no list of tools"],
    [["README.md"], undefined, "no JSON"],
  ] as const) {
    const { code, out, err } = await run([...args], answer as never);
    assert.ok(code > 0 && out === "" && err.includes(word), `${args}: ${err}`);
    assert.ok(!err.includes("secret"));
  }
});
