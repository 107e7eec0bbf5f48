// The chunk holdfast-validate.mjs, loaded when the first result with an
// outputSchema arrives. @cfworker/json-schema interprets schemas: it needs no
// eval, so that it runs under a strict Content-Security-Policy. It fetches
// nothing. What it has no bounds for is bounded here.
import { dereference, format, validate as apply, type OutputUnit, type Schema } from "@cfworker/json-schema";
import { Uncheckable, within } from "./budget.js";
import { copySchema, type CheckedSchema } from "./schema.js";
import type { Conformity } from "./verdict.js";

declare const HOLDFAST_VERSION: string;

/** Version of this build; the module that loads it has to be of the same. */
export const version: string = HOLDFAST_VERSION;

/** ms that one validation may take: a page that hangs longer is noticed. */
const PATIENCE = 500;

/** Comparisons for uniqueItems at most: the validator compares all items with all. */
const MOST_COMPARISONS = 20_000_000;

/** Where a schema without `$id` lies: an address that is nobody's (RFC 2606). */
const BASE = new URL("https://schema.invalid/");

// `format` is an annotation in 2020-12 and optional before it, and some of its
// regular expressions are slow on what an attacker writes.
for (const name of Object.keys(format)) delete format[name];

interface Ready extends CheckedSchema {
  lookup: Record<string, Schema | boolean>;
}

const ready = new WeakMap<object, Ready>();

/** Validates a value. It never throws, and takes no longer than `ms`. */
export function validate(schema: unknown, value: unknown, ms: number = PATIENCE): Conformity {
  try {
    return within(ms, () => judge(prepare(schema), value));
  } catch (error) {
    if (error instanceof Uncheckable) return { kind: "unchecked", why: error.message };
    if (error instanceof RangeError)
      return { kind: "unchecked", why: "the output schema or the result is nested too deep" };
    return { kind: "unchecked", why: "the output schema is not valid" };
  }
}

function prepare(schema: unknown): Ready {
  const known = typeof schema === "object" && schema !== null ? ready.get(schema) : undefined;
  if (known) return known;
  const checked = copySchema(schema);
  const lookup = dereference(checked.root, Object.create(null) as Ready["lookup"], BASE);
  for (const part of Object.values(lookup)) {
    const target = typeof part === "object" ? part.__absolute_ref__ : undefined;
    // References are never fetched: a target outside the schema is missing.
    if (target !== undefined && !(target in lookup))
      throw new Uncheckable("the output schema has a $ref that leads out of it");
  }
  const made = { ...checked, lookup };
  ready.set(schema as object, made);
  return made;
}

function judge({ root, draft, lookup, comparesItems }: Ready, value: unknown): Conformity {
  if (comparesItems) {
    const { longest, size } = measure(value);
    if (longest * size > MOST_COMPARISONS) throw new Uncheckable("the result is too large for uniqueItems");
  }
  const { valid, errors } = apply(value, root as Schema, draft, lookup);
  return valid ? { kind: "valid" } : fault(errors);
}

/** The longest array in a value, and how many values it has, long strings counting for more. */
function measure(value: unknown): { longest: number; size: number } {
  let longest = 0;
  let size = 0;
  const visit = (each: unknown): void => {
    size += typeof each === "string" ? 1 + (each.length >> 6) : 1;
    if (typeof each !== "object" || each === null) return;
    if (Array.isArray(each)) longest = Math.max(longest, each.length);
    for (const member of Object.values(each)) visit(member);
  };
  visit(value);
  return { longest, size };
}

/** Follows the first error inwards: an outer keyword's error comes before those of the keywords below it. */
function fault(errors: OutputUnit[]): Conformity {
  let found = errors[0]!;
  for (const error of errors) {
    // Below these several branches failed, and none of them is the one.
    if (["anyOf", "oneOf", "contains"].includes(found.keyword)) break;
    if (error !== found && error.keywordLocation.startsWith(`${found.keywordLocation}/`)) found = error;
  }
  return {
    kind: "invalid",
    at: pointer(found.instanceLocation),
    keyword: found.keyword,
    rule: pointer(found.keywordLocation),
  };
}

/** A pointer from its form as a URI fragment (RFC 6901 section 6). */
function pointer(fragment: string): string {
  return decodeURIComponent(fragment.slice(1));
}
