import { spend, Uncheckable } from "./budget.js";

/** JSON values in a schema at most; the largest in use have a few thousand. */
const MOST_VALUES = 20_000;
/** Levels of nesting at most. */
const MOST_LEVELS = 100;

/** The validator's names for dialects. */
export type SchemaDraft = "4" | "7" | "2019-09" | "2020-12";

/** The dialects that are understood, by `$schema` without its empty fragment. */
const DIALECTS: Record<string, SchemaDraft> = {
  "https://json-schema.org/draft/2020-12/schema": "2020-12",
  "https://json-schema.org/draft/2019-09/schema": "2019-09",
  "http://json-schema.org/draft-07/schema": "7",
  "http://json-schema.org/draft-06/schema": "7",
  "http://json-schema.org/draft-04/schema": "4",
};

/** Keywords of these dialects that the validator has not, or not in full. */
const UNSUPPORTED = ["$dynamicRef", "$recursiveRef", "$recursiveAnchor"];

/**
 * An object of a schema. The validator reads `$recursiveAnchor` of each schema
 * that it applies, once and first of all: that read counts as a step, so that
 * `$ref`s which multiply ("billion laughs") or never end are given up.
 */
class SchemaObject {
  get $recursiveAnchor(): undefined {
    spend();
    return undefined;
  }
}

/** A copy of a server's schema that the validator may mark and that counts its steps. */
export interface CheckedSchema {
  root: object;
  draft: SchemaDraft;
  /** True if the schema compares the items of an array with each other. Example: `uniqueItems`. */
  comparesItems: boolean;
}

/** Copies a schema within bounds; throws {@link Uncheckable} where it cannot be worked with. */
export function copySchema(schema: unknown): CheckedSchema {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    throw new Uncheckable("the output schema is no object");
  let values = 0;
  let comparesItems = false;
  const dialect = (schema as Record<string, unknown>)["$schema"];
  const draft = draftOf(dialect);
  const copy = (value: unknown, level: number): unknown => {
    if (++values > MOST_VALUES)
      throw new Uncheckable(`the output schema has more than ${MOST_VALUES} values`);
    if (level > MOST_LEVELS)
      throw new Uncheckable(`the output schema is nested deeper than ${MOST_LEVELS} levels`);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => copy(item, level + 1));
    const object = new SchemaObject();
    for (const [key, member] of Object.entries(value)) {
      if (UNSUPPORTED.includes(key)) throw new Uncheckable(`the output schema uses ${key}`);
      if (key === "$schema" && typeof member === "string" && member !== dialect) {
        throw new Uncheckable("the output schema mixes dialects");
      }
      if (key === "uniqueItems" && member === true) comparesItems = true;
      // Defined, not assigned: a key may be "__proto__".
      Object.defineProperty(object, key, { value: copy(member, level + 1), enumerable: true });
    }
    return object;
  };
  return { root: copy(schema, 0) as object, draft, comparesItems };
}

function draftOf(dialect: unknown): SchemaDraft {
  if (dialect === undefined) return "2020-12"; // since 2025-11-25; before it MCP named none
  const known = typeof dialect === "string" ? DIALECTS[dialect.replace(/#$/, "")] : undefined;
  if (!known) throw new Uncheckable("the output schema is of an unknown dialect");
  return known;
}
