import type { JSONSchema, Tool } from "../base/mcp.js";

/** An argument that goes into a header field as well: where it is, and the field's name. */
export interface Mirrored {
  path: string[];
  header: string;
}

/**
 * The outcome of a tool's x-mcp-header annotations: header fields, or the reason why the tool cannot be used.
 */
export type ToolHeaders =
  | { fields: Mirrored[]; invalid?: undefined }
  | { fields?: undefined; invalid: string };

/** RFC 9110 section 5.6.2: the characters of a field name. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Reads the x-mcp-header annotations of a tool's input schema (SEP-2243). A
 * tool with an invalid one MUST be dropped: proxies would route it by a header
 * that cannot be sent.
 */
export function toolHeaders(tool: Tool): ToolHeaders {
  const fields: Mirrored[] = [];
  const seen = new Set<string>();
  try {
    collect(tool.inputSchema, [], true, fields, seen, 0);
  } catch (error) {
    return { invalid: (error as Error).message };
  }
  return { fields };
}

/** Levels of a schema that are searched; a deeper annotation cannot be reached by sane arguments. */
const MAX_DEPTH = 64;

function collect(
  schema: unknown, path: string[], reachable: boolean, fields: Mirrored[], seen: Set<string>, depth: number,
): void {
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH) return;
  if (Array.isArray(schema)) {
    for (const item of schema) collect(item, path, false, fields, seen, depth + 1);
    return;
  }
  const node = schema as JSONSchema;
  if ("x-mcp-header" in node) fields.push(annotation(node, path, reachable, seen));
  for (const [key, value] of Object.entries(node)) {
    if (key === "properties" && typeof value === "object" && value !== null) {
      for (const [name, property] of Object.entries(value)) {
        collect(property, [...path, name], reachable, fields, seen, depth + 1);
      }
    } else if (
      key !== "x-mcp-header" && key !== "default" && key !== "enum" && key !== "const" && key !== "examples"
    ) {
      // Under items, oneOf, $defs and the like no argument has one fixed place.
      collect(value, path, false, fields, seen, depth + 1);
    }
  }
}

function annotation(node: JSONSchema, path: string[], reachable: boolean, seen: Set<string>): Mirrored {
  const header = node["x-mcp-header"];
  const at = path.join(".");
  if (typeof header !== "string" || header === "")
    throw new Error(`x-mcp-header of ${at} is empty or no string`);
  if (!TOKEN.test(header)) throw new Error(`x-mcp-header of ${at} is no header field name`);
  if (!reachable || path.length === 0)
    throw new Error(`x-mcp-header of ${at || "the schema"} is not on a property`);
  if (!["string", "integer", "boolean"].includes(node["type"] as string)) {
    throw new Error(`x-mcp-header of ${at} is on something else than a string, an integer or a boolean`);
  }
  const lower = header.toLowerCase();
  if (seen.has(lower)) throw new Error(`x-mcp-header ${header} is given twice`);
  seen.add(lower);
  return { path, header };
}
