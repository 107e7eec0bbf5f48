import assert from "node:assert/strict";
import { test } from "node:test";
import type { HoldfastError } from "../src/base/errors.js";
import type { CallToolResult } from "../src/base/mcp.js";
import type { ValidatePolicy } from "../src/output-schema/outputs.js";
import { Outputs } from "../src/output-schema/outputs.js";
import { validate } from "../src/output-schema/validate.js";

const SECRET = "payload-that-no-message-may-hold";
const depth = { type: "object", properties: { depth: { type: "number" } }, required: ["depth"] };
const text = { content: [{ type: "text" as const, text: "12" }] };

/** Outputs that know one tool, measure, and what they told and loaded. */
function outputs(policy: ValidatePolicy, outputSchema: object = depth) {
  const told: string[] = [];
  const loads = { count: 0, fail: false };
  const them = new Outputs(
    policy,
    (what, cause) => told.push(`${what}: ${cause}`),
    async () => {
      loads.count++;
      if (loads.fail) throw new Error("404");
      return { version: "", validate };
    },
  );
  const tool = { name: "measure", inputSchema: {}, outputSchema: outputSchema as Record<string, unknown> };
  them.learn(tool);
  return { them, told, loads, tool };
}

const cases: [name: string, result: CallToolResult, code: string | undefined][] = [
  ["fits", { ...text, structuredContent: { depth: 12 } }, undefined],
  ["does not fit", { ...text, structuredContent: { depth: SECRET } }, "invalid_structured_content"],
  ["is missing", text, "invalid_structured_content"],
  ["is missing, and the tool failed", { ...text, isError: true }, undefined],
  ["does not fit, and the tool failed", { ...text, isError: true, structuredContent: SECRET }, undefined],
  ["is still to come, in a task", { ...text, task: { taskId: "1" } }, undefined],
  ["waits for input", { ...text, resultType: "input_required" }, undefined],
];
for (const [name, result, code] of cases) {
  test(`structuredContent that ${name}`, async () => {
    const { them, told } = outputs("reject");
    const error = await them.check("measure", result);
    assert.equal(error?.code, code);
    assert.equal(error?.invalid?.result, code && result);
    assert.deepEqual(told, []);
    const report = outputs("report");
    assert.equal(await report.them.check("measure", result), undefined);
    assert.equal(report.told.length, code ? 1 : 0);
    assert.ok(!`${error?.message}${JSON.stringify(error)}${report.told.join()}`.includes(SECRET));
  });
}

test("the error says where the result does not fit", async () => {
  const error = (
    await outputs("reject").them.check("measure", { ...text, structuredContent: { depth: "" } })
  ) as HoldfastError;
  const { at, keyword, rule } = error.invalid!;
  assert.deepEqual([at, keyword, rule], ["/depth", "type", "/properties/depth/type"]);
  assert.equal(
    error.message, "tools/call: the structuredContent does not fit the tool's outputSchema (type)",
  );
  const missing = (await outputs("reject").them.check("measure", text)) as HoldfastError;
  assert.deepEqual(Object.keys(missing.invalid!), ["result"]);
});

test("what cannot be checked is delivered, and told of", async () => {
  const { them, told } = outputs("reject", { $ref: "https://elsewhere.example/s.json" });
  assert.equal(await them.check("measure", { ...text, structuredContent: {} }), undefined);
  assert.deepEqual(told, ["unchecked_output: measure: the output schema has a $ref that leads out of it"]);
});

test("a validator that cannot be loaded holds up no result, and is tried again", async () => {
  const { them, told, loads } = outputs("reject");
  loads.fail = true;
  const result = { ...text, structuredContent: SECRET };
  assert.equal(await them.check("measure", result), undefined);
  assert.deepEqual(told, ["unchecked_output: measure: the validator could not be loaded: 404"]);
  loads.fail = false;
  assert.equal((await them.check("measure", result))?.code, "invalid_structured_content");
});

test("only what is needed is loaded, only what is known is checked", async () => {
  const { them, loads, tool } = outputs("reject");
  await them.check("measure", { ...text, isError: true });
  await them.check("another", text);
  await them.check("measure", text); // a missing member needs no validator
  assert.equal(loads.count, 0);
  tool.outputSchema["properties"] = { depth: false }; // what an app does to its list is its own business
  assert.equal(await them.check("measure", { ...text, structuredContent: { depth: 1 } }), undefined);
  them.learn({ name: "measure", inputSchema: {} });
  assert.equal(them.knows("measure"), false);
  them.learn(tool);
  them.forget();
  assert.equal(them.knows("measure"), false);
  assert.equal(outputs(false).them.knows("measure"), false);
});
