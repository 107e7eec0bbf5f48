import assert from "node:assert/strict";
import { test } from "node:test";
import { validate } from "../src/output-schema/validate.js";
import type { Conformity } from "../src/output-schema/verdict.js";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const number = { type: "number" };
const depth = { type: "object", properties: { depth: { type: "number", minimum: 0 } }, required: ["depth"] };
const tree = {
  $defs: {
    node: {
      type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } },
      additionalProperties: false,
    },
  },
  $ref: "#/$defs/node",
};

/** "valid", "unchecked: why", or where and why it does not fit. */
function say(verdict: Conformity): string {
  if (verdict.kind === "valid") return "valid";
  if (verdict.kind === "unchecked") return `unchecked: ${verdict.why}`;
  return `${verdict.at} ${verdict.keyword} ${verdict.rule}`;
}

const cases: [name: string, schema: unknown, value: unknown, want: string][] = [
  ["it fits", depth, { depth: 12.5 }, "valid"],
  ["wrong type", depth, { depth: "deep" }, "/depth type /properties/depth/type"],
  ["out of range", depth, { depth: -1 }, "/depth minimum /properties/depth/minimum"],
  ["missing member", depth, {}, " required /required"],
  [
    "unknown member", { additionalProperties: false }, { a: 1 },
    " additionalProperties /additionalProperties",
  ],
  ["an array at the root", { type: "array", items: number }, [1, "2"], "/1 type /items/type"],
  ["null at the root", { type: "null" }, null, "valid"],
  [
    "names that pointers escape", { properties: { "a/b~c d%": number } }, { "a/b~c d%": "" },
    "/a~1b~0c d% type /properties/a~1b~0c d%/type",
  ],
  ["names of Object.prototype", { properties: { toString: number, constructor: number } }, {}, "valid"],
  [
    "__proto__ as a name", JSON.parse(`{"properties":{"__proto__":{"type":"number"}}}`),
    JSON.parse(`{"__proto__":"x"}`), "/__proto__ type /properties/__proto__/type",
  ],
  ["unknown keywords stay without effect", { "x-render": "gauge", type: "object" }, {}, "valid"],
  ["format is an annotation", { format: "date-time" }, "soon", "valid"],
  [
    "a choice names itself, not its branches", { oneOf: [{ type: "string" }, { type: "null" }] }, 1,
    " oneOf /oneOf",
  ],

  [
    "2020-12: prefixItems and items", { prefixItems: [{ type: "string" }], items: number }, ["a", 1, "b"],
    "/2 type /items/type",
  ],
  [
    "2020-12: $ref beside other keywords", { $defs: { n: number }, $ref: "#/$defs/n", minimum: 3 }, 2,
    " minimum /minimum",
  ],
  [
    "2020-12: $anchor", { $defs: { n: { $anchor: "n", type: "number" } }, items: { $ref: "#n" } }, ["x"],
    "/0 type /items/$ref/type",
  ],
  [
    "2020-12: $id inside",
    { $id: "https://a.example/s", $defs: { n: { $id: "n", type: "number" } }, items: { $ref: "n" } }, ["x"],
    "/0 type /items/$ref/type",
  ],
  [
    "2020-12: dependentRequired", { dependentRequired: { a: ["b"] } }, { a: 1 },
    " dependentRequired /dependantRequired",
  ],
  [
    "2020-12: unevaluatedProperties", { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    { b: 1 }, " unevaluatedProperties /unevaluatedProperties",
  ],
  [
    "2020-12: $schema may be said",
    { $schema: "https://json-schema.org/draft/2020-12/schema", type: "number" }, "x", " type /type",
  ],
  ["recursive $ref, fits", tree, { children: [{ children: [] }] }, "valid"],
  [
    "recursive $ref, does not", tree, { children: [{ children: [{ x: 1 }] }] },
    "/children/0/children/0 additionalProperties " +
      "/$ref/properties/children/items/$ref/properties/children/items/$ref/additionalProperties",
  ],

  [
    "draft-07: items as a tuple", { $schema: DRAFT_07, items: [{ type: "string" }], additionalItems: false },
    ["a", 1], " additionalItems /additionalItems",
  ],
  [
    "draft-07: what is beside a $ref is ignored",
    { $schema: DRAFT_07, definitions: { n: number }, items: { $ref: "#/definitions/n", minimum: 3 } }, [2],
    "valid",
  ],
  [
    "draft-07: dependencies", { $schema: DRAFT_07, dependencies: { a: ["b"] } }, { a: 1 },
    " dependencies /dependencies",
  ],
  [
    "draft-04: exclusiveMinimum is a boolean",
    { $schema: "http://json-schema.org/draft-04/schema#", minimum: 1, exclusiveMinimum: true }, 1,
    " minimum /minimum",
  ],

  [
    "a $ref to another document", { properties: { a: { $ref: "https://elsewhere.example/s.json" } } }, {},
    "unchecked: the output schema has a $ref that leads out of it",
  ],
  [
    "a $ref to a relative document", { $ref: "other.json" }, 1,
    "unchecked: the output schema has a $ref that leads out of it",
  ],
  [
    "a $ref to the dialect itself", { $schema: DRAFT_07, $ref: DRAFT_07 }, 1,
    "unchecked: the output schema has a $ref that leads out of it",
  ],
  [
    "a $ref to nothing", { $ref: "#/$defs/none" }, 1,
    "unchecked: the output schema has a $ref that leads out of it",
  ],
  [
    "a dialect nobody knows", { $schema: "https://elsewhere.example/dialect" }, 1,
    "unchecked: the output schema is of an unknown dialect",
  ],
  [
    "a second dialect", { $defs: { a: { $schema: DRAFT_07 } } }, 1,
    "unchecked: the output schema mixes dialects",
  ],
  ["$dynamicRef", { $dynamicRef: "#a" }, 1, "unchecked: the output schema uses $dynamicRef"],
  ["no schema", "object", 1, "unchecked: the output schema is no object"],
  ["a keyword of the wrong type", { anyOf: 5 }, 1, "unchecked: the output schema is not valid"],
  ["a pattern that is none", { pattern: "(" }, "a", "unchecked: the output schema is not valid"],
];

for (const [name, schema, value, want] of cases) {
  test(`outputSchema: ${name}`, () => {
    const before = JSON.stringify(schema);
    assert.equal(say(validate(schema, value)), want);
    assert.equal(JSON.stringify(schema), before);
  });
}

function nested(levels: number, wrap: (inner: unknown) => unknown, inner: unknown): unknown {
  for (let i = 0; i < levels; i++) inner = wrap(inner);
  return inner;
}

/** Each definition applies the one before it twice. */
function laughs(levels: number): object {
  const $defs: Record<string, object> = { d0: number };
  for (let i = 1; i <= levels; i++)
    $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
  return { $defs, $ref: `#/$defs/d${levels}` };
}

const long = "a".repeat(100_000);
const hostile: [name: string, schema: unknown, value: unknown, want: string][] = [
  [
    "a schema that is deep", nested(5_000, (not) => ({ not }), {}), 1,
    "unchecked: the output schema is nested deeper than 100 levels",
  ],
  [
    "a schema that is large", { enum: Array.from({ length: 100_000 }, (_, i) => i) }, 1,
    "unchecked: the output schema has more than 20000 values",
  ],
  ["a $ref to itself", { $ref: "#" }, 1, "unchecked: the output schema or the result is nested too deep"],
  ["a billion laughs", laughs(40), 1, "unchecked: the validation takes too long"],
  [
    "a result that is deep", { items: { $ref: "#" } }, nested(200_000, (x) => [x], []),
    "unchecked: the output schema or the result is nested too deep",
  ],
  [
    "many items to compare", { uniqueItems: true }, Array.from({ length: 100_000 }, (_, i) => i),
    "unchecked: the result is too large for uniqueItems",
  ],
  ["a pattern that goes back for ever", { pattern: "^(a+)+$" }, `${"a".repeat(50)}!`, " pattern /pattern"],
  ["another", { pattern: "^(a|a)*$" }, `${"a".repeat(50)}!`, " pattern /pattern"],
  [
    "one in patternProperties", { patternProperties: { "^(a+)+$": false } }, { [`${"a".repeat(50)}!`]: 1 },
    "valid",
  ],
  [
    "a pattern that is large", { pattern: "((a{99}){99}){99}" }, "a",
    "unchecked: a pattern of the output schema is too large",
  ],
  [
    "a pattern of nothing, often", { pattern: "(?:(?:){99999}){999999}" }, "a",
    "unchecked: the validation takes too long",
  ],
  [
    "a pattern that looks ahead", { pattern: "^(?=a)" }, "a",
    "unchecked: a pattern of the output schema has a lookahead, a lookbehind or modifiers",
  ],
  [
    "a pattern that refers back", { pattern: "(a)\\1" }, "a",
    "unchecked: a pattern of the output schema refers to a group",
  ],
  ["formats are not run", { format: "url" }, `http://${"a".repeat(50)}!`, "valid"],
  [
    "a pattern on a long text", { items: { not: { pattern: "a.*b.*c.*d" } } },
    Array.from({ length: 100 }, () => long), "unchecked: the validation takes too long",
  ],
];

for (const [name, schema, value, want] of hostile) {
  test(`a hostile outputSchema: ${name}`, () => {
    const start = performance.now();
    assert.equal(say(validate(schema, value)), want);
    // Ten times what a validation may take: only a real hang gets there.
    assert.ok(performance.now() - start < 5_000, "it hangs");
  });
}
