import type { JSONSchema, Open } from "holdfast";

/** A value to choose, and what it is called. */
export interface Option {
  value: unknown;
  label: string;
}

/** How a field is filled in. Whatever has no control of its own is typed as JSON. */
export type Control =
  | { kind: "text"; inputType: "text" | "url" | "email" | "date"; minLength?: number; maxLength?: number }
  | { kind: "number"; integer: boolean; min?: number; max?: number }
  | { kind: "boolean" }
  | { kind: "choice"; options: Option[] }
  | { kind: "choices"; options: Option[]; min?: number; max?: number }
  | { kind: "json"; expects?: "array" | "object" };

/** One argument of a tool. */
export interface FieldModel {
  name: string;
  label: string;
  description?: string;
  required: boolean;
  default?: unknown;
  control: Control;
}

/** Fields that a form shows; a schema may have any number. */
const MAX_FIELDS = 100;
const MAX_OPTIONS = 500;
const MAX_BOXES = 50;

/**
 * Reads a tool's input schema. undefined where it is more than a flat list of
 * properties: the arguments are then typed as one JSON object.
 */
export function readSchema(schema: JSONSchema): FieldModel[] | undefined {
  const properties = schema["properties"];
  const combined = ["anyOf", "oneOf", "allOf", "$ref"].some((keyword) => schema[keyword] !== undefined);
  if (properties === undefined && !combined && schema["additionalProperties"] === undefined) return [];
  if (!isObject(properties) || combined) return undefined;
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS) return undefined;
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  return entries.map(([name, raw]) => readField(name, isObject(raw) ? raw : {}, required.has(name)));
}

function readField(name: string, schema: Open, required: boolean): FieldModel {
  const { title, description } = schema;
  return {
    name,
    label: typeof title === "string" && title !== "" ? title : name,
    ...(typeof description === "string" ? { description } : {}),
    required,
    ...(schema["default"] === undefined ? {} : { default: schema["default"] }),
    control: readControl(schema),
  };
}

function readControl(schema: Open): Control {
  const options = choices(schema);
  if (options) return { kind: "choice", options };
  switch (typeOf(schema)) {
    case "string":
      return {
        kind: "text",
        inputType: INPUT_TYPES.get(schema["format"]) ?? "text",
        ...count("minLength", schema["minLength"]),
        ...count("maxLength", schema["maxLength"]),
      };
    case "number":
    case "integer":
      return {
        kind: "number",
        integer: typeOf(schema) === "integer",
        ...bound("min", schema["minimum"]),
        ...bound("max", schema["maximum"]),
      };
    case "boolean":
      return { kind: "boolean" };
    case "array": {
      const several = isObject(schema["items"]) ? choices(schema["items"], "anyOf") : undefined;
      if (!several || several.length > MAX_BOXES) return { kind: "json", expects: "array" };
      return {
        kind: "choices", options: several, ...count("min", schema["minItems"]),
        ...count("max", schema["maxItems"])
      };
    }
    case "object":
      return { kind: "json", expects: "object" };
    default:
      return { kind: "json" };
  }
}

const INPUT_TYPES = new Map<unknown, "url" | "email" | "date">([
  ["uri", "url"],
  ["email", "email"],
  ["date", "date"],
]);

/** The type, where there is one besides null. */
function typeOf(schema: Open): unknown {
  const { type } = schema;
  if (!Array.isArray(type)) return type;
  const others = type.filter((each) => each !== "null");
  return others.length === 1 ? others[0] : undefined;
}

/**
 * `enum`, or constants with titles, which MCP spells `oneOf` where one is to be
 * chosen and `anyOf` in the items of an array.
 */
function choices(schema: Open, titled: "oneOf" | "anyOf" = "oneOf"): Option[] | undefined {
  const { enum: values, enumNames } = schema;
  const constants = schema[titled];
  if (Array.isArray(values) && values.length > 0 && values.length <= MAX_OPTIONS) {
    const names = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value: unknown, i) => ({ value, label: String(names[i] ?? label(value)) }));
  }
  if (
    Array.isArray(constants) && constants.length > 0 && constants.length <= MAX_OPTIONS &&
      constants.every((each) => isObject(each) && "const" in each)
  ) {
    return (constants as Open[]).map(
      (each) => ({ value: each["const"], label: String(each["title"] ?? label(each["const"])) }),
    );
  }
  return undefined;
}

function label(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function bound<K extends string>(name: K, value: unknown): { [key in K]?: number } {
  return (
    typeof value === "number" && Number.isFinite(value) ? { [name]: value } : {}
  ) as { [key in K]?: number };
}

function count<K extends string>(name: K, value: unknown): { [key in K]?: number } {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? bound(name, value) : {};
}

/** Whether a value is an object that is no array. */
export function isObject(value: unknown): value is Open {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
