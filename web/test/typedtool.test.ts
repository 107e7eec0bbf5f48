import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { Call } from "../src/client/call.js";
import type { McpClient } from "../src/client/client.js";
import { Backlog } from "../src/base/backlog.js";
import { OUTCOME } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import type { StandardSchema } from "../packages/tools/standardschema.js";
import { typedTool } from "../packages/tools/typedtool.js";

const SCENE = {
  input: z.object({ scene: z.number(), quality: z.string().default("draft") }),
  output: z.object({ url: z.string(), bytes: z.coerce.number() }),
};

/** A client that makes calls, and those it has made. */
function client(): { mcp: McpClient; made: Call[] } {
  const made: Call[] = [];
  const callTool = (name: string, args: object): Call => {
    made.push(new Call("tools/call", new Backlog(), false, JSON.stringify({ name, arguments: args })));
    return made.at(-1)!;
  };
  return { mcp: { callTool } as unknown as McpClient, made };
}

const settles = (call: Call, result: object): void => call.settle(OUTCOME.result, JSON.stringify(result));
const code = (expected: string, word = "") => (error: unknown): boolean => error instanceof HoldfastError &&
  error.code === expected && error.message.includes(word);

test("arguments leave as the schema has them, and a result comes as its schema has it", async () => {
  const { mcp, made } = client();
  const render = typedTool(mcp, "render", SCENE);
  const typed = render({ scene: 7 });
  assert.deepEqual(made[0]!.params, { name: "render", arguments: { scene: 7, quality: "draft" } });
  settles(typed.call, { content: [], structuredContent: { url: "/7", bytes: "9" } });
  const { structuredContent } = await typed.result;
  assert.deepEqual(structuredContent, { url: "/7", bytes: 9 });
  assert.equal(typed.result, typed.result);
});

test("Fault 391: arguments that do not fit throw at once, nothing is called, and the message has none of them", () => {
  const { mcp, made } = client();
  const render = typedTool(mcp, "render", SCENE);
  assert.throws(
    () => render({ scene: "4111 1111" } as never),
    (error) => code("bad_argument", "arguments.scene does not fit the schema of render")(error) &&
      !(error as Error).message.includes("4111") &&
      (error as { cause: Error }).cause.message.includes("scene: "),
  );
  const later = {
    "~standard": {
      version: 1 as const, vendor: "test", validate: async (value: unknown) => ({ value: value as object }),
    },
  };
  assert.throws(
    () => typedTool(mcp, "render", { input: later })({}), code("bad_argument", "has to answer at once"),
  );
  assert.equal(made.length, 0);
});

test("a result that does not fit rejects with it, and where; a tool's own failure is no such result", async () => {
  const { mcp } = client();
  const render = typedTool(mcp, "render", { output: z.object({ "a/b": z.array(z.number()) }) });
  const bad = render({});
  const result = { content: [], structuredContent: { "a/b": [1, "2"] } };
  settles(bad.call, result);
  await assert.rejects(
    bad.result,
    (error) => code("invalid_structured_content")(error) &&
      (error as HoldfastError).invalid?.at === "/a~1b/1" &&
      JSON.stringify((error as HoldfastError).invalid?.result) === JSON.stringify(result),
  );
  const failed = render({});
  settles(failed.call, { content: [{ type: "text", text: "no" }], isError: true });
  assert.equal((await failed.result).isError, true);
  const missing = render({});
  settles(missing.call, { content: [] });
  await assert.rejects(missing.result, code("invalid_structured_content"));
});

test("a call of an earlier page has the types again, and one of another tool has not", async () => {
  const { mcp, made } = client();
  const render = typedTool(mcp, "render", SCENE);
  const restored = new Call(
    "tools/call", new Backlog(), false, JSON.stringify({ name: "render" }), { createdAt: 1 },
  );
  settles(restored, { content: [], structuredContent: { url: "/", bytes: 1 } });
  assert.equal((await render.of(restored)!.result).isError, undefined);
  assert.equal(
    render.of(new Call("tools/call", new Backlog(), false, JSON.stringify({ name: "other" }))), undefined,
  );
  assert.equal(
    render.of(new Call("prompts/get", new Backlog(), false, JSON.stringify({ name: "render" }))), undefined,
  );
  assert.equal(made.length, 0);
});

test("what is no client, name or schema is named", () => {
  const { mcp } = client();
  for (const [make, word] of [
    [() => typedTool(undefined as never, "x"), "client"],
    [() => typedTool(mcp, ""), "name"],
    [() => typedTool(mcp, "x", { input: { type: "object" } as never }), "input has to be a schema"],
    [() => typedTool(mcp, "x", { inputs: SCENE.input } as never), "inputs is no option"],
  ] as const) assert.throws(make, code("bad_argument", word));
});

test("Fault 606: a call has one object with the types of its tool, and so one promise of its result, however often it is asked for", async () => {
  const { mcp } = client();
  const render = typedTool(mcp, "render", SCENE);
  const made = render({ scene: 7 });
  const call = new Call("tools/call", new Backlog(), false, `{"name":"render"}`);
  assert.equal(render.of(made.call), made);
  assert.equal(render.of(call), render.of(call));
  settles(call, { content: [], structuredContent: { url: "/7", bytes: "9" } });
  assert.equal(
    render.of(call)!.result, render.of(call)!.result,
    "use() of React suspends for ever by another one each time",
  );
  assert.equal(typedTool(mcp, "other").of(call), undefined);
  await Promise.all([render.of(call)!.result]);
});

test("Fault 592: arguments whose schema answers later, by whatever promise, are not sent as none", async () => {
  const { mcp, made } = client();
  // as of another realm, or of zone.js
  const thenable = { then: (resolve: (verdict: object) => void) => resolve({ value: { scene: 7 } }) };
  const schema = (answer: unknown): StandardSchema<{ scene: number }> => ({
    "~standard": { version: 1, vendor: "test", validate: () => answer as never },
  });
  for (const answer of [thenable, Promise.reject(new Error("too late"))])
    assert.throws(
      () => typedTool(mcp, "render", { input: schema(answer) })({ scene: 7 }),
      code("bad_argument", "has to answer at once"),
    );
  for (const answer of [undefined, null, true])
    assert.throws(
      () => typedTool(mcp, "render", { input: schema(answer) })({ scene: 7 }),
      code("bad_argument", "no verdict"),
    );
  assert.equal(made.length, 0);
  const { result, call } = typedTool(mcp, "render", { output: schema(undefined) })({});
  settles(call, { content: [], structuredContent: { scene: 7 } });
  await assert.rejects(result, code("bad_argument", "no verdict"));
});
