import assert from "node:assert/strict";
import { test } from "node:test";

import { withDefaults, type ElicitationResult, type FormElicitation } from "../src/input/elicitation.js";

/** Fills in a form. */
function fill(properties: object, content: ElicitationResult["content"], required: string[] = []): unknown {
  const request: FormElicitation = {
    message: "?", requestedSchema: { type: "object", properties, required },
  };
  return withDefaults(request, { action: "accept", ...(content && { content }) }).content;
}

/** A field that may be left out, as the official Python SDK writes Optional[...]. */
function optional(...types: object[]): object {
  return { anyOf: [...types, { type: "null" }], default: null, title: "A field" };
}

function saying(what: RegExp): (error: unknown) => boolean {
  return (error) => what.test(String(error));
}

test("Fault 581: a field that may be null, as the official Python SDK writes an optional one, is filled in or left out", () => {
  const text = optional({ type: "string", maxLength: 3 });
  assert.deepEqual(fill({ text }, { text: "abc" }), { text: "abc" });
  assert.deepEqual(fill({ text }, {}), {}, "left out: the server has its own default");
  assert.deepEqual(fill({ text }, undefined), {});
  assert.throws(() => fill({ text }, { text: "abcd" }), saying(/content\.text has at most 3 characters/));

  const number = optional({ type: "integer", minimum: 1 });
  assert.deepEqual(fill({ number }, { number: 7 }), { number: 7 });
  assert.throws(() => fill({ number }, { number: 0 }), saying(/content\.number has to be at least 1/));
  assert.deepEqual(fill({ flag: optional({ type: "boolean" }) }, { flag: false }), { flag: false });

  const color = optional({ type: "string", enum: ["red", "blue"] });
  assert.deepEqual(fill({ color }, { color: "red" }), { color: "red" });
  assert.throws(() => fill({ color }, { color: "green" }), saying(/content\.color is none of the choices/));

  // Of several types any will do: the server looks at it again.
  const either = optional({ type: "string" }, { type: "integer" });
  assert.deepEqual(fill({ either }, { either: 1 }), { either: 1 });
  assert.deepEqual(fill({ either }, { either: "1" }), { either: "1" });
  assert.throws(() => fill({ either }, { either: true }), saying(/content\.either/));

  // Titled choices are not types (SEP-1330).
  const titled = { type: "string", anyOf: [{ const: "r", title: "Red" }] };
  assert.deepEqual(fill({ titled }, { titled: "r" }), { titled: "r" });
  assert.throws(() => fill({ titled }, { titled: "g" }), saying(/is none of the choices/));
});

test("Fault 620: a field that may be null is so in whatever way its schema says it, and a required one is null where it is left out", () => {
  // A list of types, as zod-to-json-schema and schemars write it.
  for (
    const number of [{ type: ["integer", "null"], minimum: 1 }, { type: ["null", "integer"], minimum: 1 }]
  ) {
    assert.deepEqual(fill({ number }, { number: 7 }), { number: 7 });
    assert.deepEqual(fill({ number }, {}), {});
    assert.throws(() => fill({ number }, { number: 0 }), saying(/content\.number has to be at least 1/));
    assert.throws(() => fill({ number }, { number: "7" }), saying(/content\.number has to be a number/));
    assert.deepEqual(fill({ number }, {}, ["number"]), { number: null });
  }

  const required = { anyOf: [{ type: "string" }, { type: "null" }] };
  assert.deepEqual(
    fill({ required }, {}, ["required"]), { required: null },
    "without it the server would take the answer for none",
  );
  assert.deepEqual(fill({ required }, { required: "a" }, ["required"]), { required: "a" });
  assert.throws(() => fill({ text: { type: "string" } }, {}, ["text"]), saying(/content\.text is required/));

  // Choices may say their type each, as TypeBox writes them; null may be beside them.
  for (const beside of [[], [{ type: "null" }]]) {
    const color = { anyOf: [{ type: "string", const: "red" }, { type: "string", const: "blue" }, ...beside] };
    assert.deepEqual(fill({ color }, { color: "blue" }), { color: "blue" });
    assert.throws(() => fill({ color }, { color: "green" }), saying(/content\.color is none of the choices/));
  }
});
