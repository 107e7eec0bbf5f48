import { HoldfastError } from "../base/errors.js";
import type { JSONSchema, Open } from "../base/mcp.js";

/** A form that the server wants filled in (schema: ElicitRequestFormParams). */
export interface FormElicitation extends Open {
  mode?: "form";
  /** The server's text for the person. */
  message: string;
  /** A flat object of strings, numbers, booleans and enums. */
  requestedSchema: JSONSchema;
}

/** A page that the server wants the person to visit. Show the whole URL and ask before it is opened. */
export interface URLElicitation extends Open {
  mode: "url";
  /** The server's text for the person. */
  message: string;
  /** Never to be fetched or opened without consent. */
  url: string;
  /** Names the request in notifications/elicitation/complete (2025-11-25). */
  elicitationId?: string;
}

/** The person's action on an elicitation. The schema's defaults fill members that `content` leaves out. */
export interface ElicitationResult extends Open {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean | string[]>;
  /**
   * Of a page that a call needs visited before it can run (error -32042 of 2025-11-25): the person says that
   * they have done there what it is for, so that the call is made again now. Without it that waits for the
   * word of the server, which need not give it. No server is sent this.
   */
  complete?: boolean;
}

/** True if an elicitation asks for a form. Example: an elicitation without a mode asks for a form. */
export function isForm(params: Open): boolean {
  return params["mode"] !== "url";
}

/**
 * The context of a handler. For a form, the context has `check`, by which the handler checks an answer before
 * giving it. Any other request gets `context` alone.
 */
export function withCheck<T extends object>(
  params: Open, context: T,
): T & { check?: (answer: ElicitationResult) => ElicitationResult } {
  return isForm(params)
    ? { ...context, check: (answer) => withDefaults(params as unknown as FormElicitation, answer) }
    : context;
}

/**
 * Completes and checks what a handler accepted: members that it left out get
 * the schema's defaults (SEP-1034), and what the schema does not allow is an
 * error that names the member, before it reaches the server.
 */
export function withDefaults(request: FormElicitation, answer: ElicitationResult): ElicitationResult {
  if (answer.action !== "accept") return { action: answer.action };
  const schema = request.requestedSchema;
  const properties = (schema["properties"] ?? {}) as Record<string, JSONSchema>;
  const content: Record<string, string | number | boolean | string[] | null> = {};
  // a member may be called "constructor"
  const given: Partial<typeof content> = { __proto__: null as never, ...answer.content };
  for (const [name, property] of Object.entries(properties)) {
    const value = given[name] ?? property["default"] ?? null;
    if (value === null && !(schema["required"] as string[] | undefined)?.includes(name)) continue;
    const problem = check(property, value);
    if (problem) throw invalid(name, value === null ? "is required" : problem);
    content[name] = value as string;
  }
  return { action: "accept", content: content as NonNullable<ElicitationResult["content"]> };
}

function invalid(name: string, problem: string): HoldfastError {
  return new HoldfastError({
    code: "bad_argument", op: "elicitation/create", message: `content.${name} ${problem}`,
  });
}

/** Says what is wrong with a value; the schemas of forms are flat (2025-11-25 client/elicitation). */
function check(schema: JSONSchema, value: unknown): string | undefined {
  const types = typesOf(schema);
  if (types) {
    const problems =
      types.filter(({ type }) => type !== "null" || value === null).map((type) => check(type, value));
    return problems.includes(undefined) ? undefined : problems[0];
  }
  if ("const" in schema) return value === schema["const"] ? undefined : "is none of the choices";
  const number = (key: string): number | undefined =>
    (typeof schema[key] === "number" ? schema[key] : undefined);
  switch (schema["type"]) {
    case "null":
      return value === null ? undefined : "has to be null";
    case "boolean":
      return typeof value === "boolean" ? undefined : "has to be true or false";
    case "integer":
    case "number":
      if (typeof value !== "number" || !Number.isFinite(value)) return "has to be a number";
      if (schema["type"] === "integer" && !Number.isInteger(value)) return "has to be an integer";
      if (value < (number("minimum") ?? -Infinity)) return `has to be at least ${number("minimum")}`;
      if (value > (number("maximum") ?? Infinity)) return `has to be at most ${number("maximum")}`;
      return undefined;
    case "array": {
      if (!Array.isArray(value)) return "has to be a list";
      if (value.length < (number("minItems") ?? 0)) return `needs at least ${number("minItems")} items`;
      if (value.length > (number("maxItems") ?? Infinity)) return `has at most ${number("maxItems")} items`;
      const allowed = choices((schema["items"] ?? {}) as JSONSchema);
      return allowed && !value.every((item) => allowed.includes(item))
        ? "holds something that is no choice"
        : undefined;
    }
    default: {
      if (typeof value !== "string") return "has to be text";
      const allowed = choices(schema);
      if (allowed) return allowed.includes(value) ? undefined : "is none of the choices";
      const length = [...value].length;
      if (length < (number("minLength") ?? 0)) return `needs at least ${number("minLength")} characters`;
      if (length > (number("maxLength") ?? Infinity)) return `has at most ${number("maxLength")} characters`;
      return undefined;
    }
  }
}

/**
 * The types of a field that has several, as of one that may be null: the official Python SDK writes `anyOf`,
 * others a list. Titled choices (SEP-1330) are values, and no types; undefined for those, and for a field of
 * one type.
 */
function typesOf(schema: JSONSchema): JSONSchema[] | undefined {
  const { type, anyOf } = schema as { type?: unknown; anyOf?: JSONSchema[] };
  if (Array.isArray(type)) return type.map((each: string) => ({ ...schema, type: each }));
  return anyOf?.some((each) => "type" in each) ? anyOf : undefined;
}

/** The values of an enum, in any of the forms that SEP-1330 allows; undefined for none. */
function choices(schema: JSONSchema): unknown[] | undefined {
  if (Array.isArray(schema["enum"])) return schema["enum"] as unknown[];
  const titled = schema["oneOf"] ?? schema["anyOf"];
  return Array.isArray(titled) ? titled.map((choice: JSONSchema) => choice["const"]) : undefined;
}
