// JSON Schema as types of TypeScript, as far as types can say it. What they cannot (a pattern, a bound) is left out, so a
// type accepts what its schema does, and perhaps more. What is not understood is `unknown`. Texts of a server's go into
// comments and string literals alone: they are data.

/** Levels of nesting at most; what is deeper is `unknown`. */
const DEEPEST = 32;

/** Whether it can be the name of a type. */
export function isIdentifier(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

/** A name as that of a member. */
export function memberName(name) {
  return isIdentifier(name) ? name : JSON.stringify(name);
}

/** A text as a comment above something. */
export function documented(text, indent) {
  if (typeof text !== "string" || text.trim() === "") return "";
  const lines = text.trim().replaceAll("*/", "*\u200b/").split(/\r\n|[\n\r\u2028\u2029]/);
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** The types of many schemas, and those that they name: a schema that contains itself needs a name. */
export class Types {
  #prefix;
  /** Name of the type by the schema that a `$ref` leads to. */
  #names = new Map();
  #declared = [];

  /** @param prefix goes before the names of types that are declared */
  constructor(prefix) {
    this.#prefix = prefix;
  }

  /** The type of a schema; `root` is the document that its `$ref`s are in, `hint` what a type of its own is named after. */
  of(schema, root, hint, { object = false } = {}) {
    const type = this.#type(schema, { root, hint, depth: 0, open: [] });
    // Arguments are an object, whatever the schema leaves out (schema: Tool.inputSchema).
    return object && (type === "unknown" || type === "null") ? "{ [name: string]: unknown }" : type;
  }

  /** What is declared for them. */
  declarations() {
    return this.#declared.map(({ name, type }) => `type ${name} = ${type};\n\n`).join("");
  }

  /** A type that stands one level further in. */
  indented(type) {
    return type.replaceAll("\n", "\n  ");
  }

  #type(schema, at) {
    if (schema === true || at.depth > DEEPEST) return "unknown";
    if (schema === false) return "never";
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return "unknown";
    const deeper = { ...at, depth: at.depth + 1 };
    const parts = [];
    if (typeof schema.$ref === "string") parts.push(this.#referred(schema.$ref, deeper));
    if ("const" in schema) parts.push(literal(schema.const));
    else if (Array.isArray(schema.enum)) parts.push(union(schema.enum.map(literal)));
    else parts.push(this.#byKind(schema, deeper));
    for (const word of ["anyOf", "oneOf"]) if (Array.isArray(schema[word])) parts.push(union(schema[word].map((each) => this.#type(each, deeper))));
    if (Array.isArray(schema.allOf)) parts.push(...schema.allOf.map((each) => this.#type(each, deeper)));
    const known = [...new Set(parts.filter((part) => part !== "unknown"))];
    const type = known.length === 0 ? "unknown" : known.length === 1 ? known[0] : known.map(grouped).join(" & ");
    return schema.nullable === true ? union([type, "null"]) : type;
  }

  #byKind(schema, at) {
    const kinds = Array.isArray(schema.type) ? schema.type : [schema.type ?? impliedKind(schema)];
    return union(kinds.map((kind) => this.#kind(kind, schema, at)));
  }

  #kind(kind, schema, at) {
    switch (kind) {
      case "string":
      case "boolean":
      case "null":
        return kind;
      case "number":
      case "integer":
        return "number";
      case "array":
        return this.#array(schema, at);
      case "object":
        return this.#object(schema, at);
      default:
        return "unknown";
    }
  }

  #array({ items, prefixItems }, outer) {
    const at = { ...outer, open: [] };
    const tuple = prefixItems ?? (Array.isArray(items) ? items : undefined);
    if (!Array.isArray(tuple)) return `${grouped(items === undefined ? "unknown" : this.#type(items, at))}[]`;
    // Items beyond the last are allowed unless the schema says no, and fewer are as well: a schema bounds that by minItems.
    const rest = prefixItems !== undefined && items === false ? "" : `, ...${grouped(prefixItems !== undefined && items !== undefined ? this.#type(items, at) : "unknown")}[]`;
    return `[${tuple.map((each) => `(${this.#type(each, at)})?`).join(", ")}${rest}]`;
  }

  #object({ properties = {}, required = [], additionalProperties, patternProperties }, outer) {
    const at = { ...outer, open: [] };
    const members = Object.entries(properties ?? {}).map(([name, schema]) => {
      const isNeeded = Array.isArray(required) && required.includes(name);
      const type = this.#type(schema, at);
      return `${documented(schema?.description, "  ")}  ${memberName(name)}${isNeeded ? "" : "?"}: ${this.indented(type)};\n`;
    });
    // Members of any name would make each slip in a name right: only where the schema has no others, or says of which kind they are.
    const others = typeof additionalProperties === "object" && additionalProperties !== null && !patternProperties ? this.#type(additionalProperties, at) : "unknown";
    if (members.length === 0) return additionalProperties === false ? "{ [name: string]: never }" : `{ [name: string]: ${this.indented(others)} }`;
    if (additionalProperties === true || (typeof additionalProperties === "object" && additionalProperties !== null)) members.push("  [name: string]: unknown;\n");
    return `{\n${members.join("")}}`;
  }

  #referred(ref, at) {
    const found = ref === "#" ? at.root : ref.startsWith("#/") ? pointed(at.root, ref.slice(2)) : undefined;
    if (typeof found !== "object" || found === null) return "unknown"; // in another document
    const known = this.#names.get(found);
    // A type may have itself in a member, and must not be made of nothing but itself.
    if (known) return at.open.includes(known) ? "unknown" : known;
    const name = this.#free(`${this.#prefix}_${at.hint}_${ref.split("/").pop()}`);
    this.#names.set(found, name);
    const declared = { name, type: "unknown" };
    this.#declared.push(declared);
    declared.type = this.#type(found, { ...at, open: [...at.open, name] });
    return name;
  }

  #free(name) {
    const plain = name.replaceAll(/[^\w$]+/g, "_");
    const taken = new Set(this.#declared.map((each) => each.name));
    for (let n = 1; ; n++) {
      const candidate = n === 1 ? plain : `${plain}${n}`;
      if (!taken.has(candidate)) return candidate;
    }
  }
}

/** What a schema that does not say its type speaks of. */
function impliedKind(schema) {
  if (schema.properties || schema.additionalProperties !== undefined || schema.required) return "object";
  if (schema.items !== undefined || schema.prefixItems) return "array";
  return undefined;
}

function literal(value) {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "number";
  if (typeof value === "string") return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  return "unknown"; // an object or a list
}

function union(types) {
  const all = [...new Set(types)];
  if (all.includes("unknown") || all.length === 0) return all.length === 0 ? "never" : "unknown";
  return all.map((type) => (type.includes(" & ") ? grouped(type) : type)).join(" | ");
}

/** In brackets, where another operator comes. */
function grouped(type) {
  return / [|&] /.test(type) || type.startsWith("[") ? `(${type})` : type;
}

/** What a JSON Pointer (RFC 6901) leads to, in a fragment. */
function pointed(root, pointer) {
  return pointer.split("/").reduce((at, step) => {
    let name = step;
    try {
      name = decodeURIComponent(step);
    } catch {
      // As it is.
    }
    name = name.replaceAll("~1", "/").replaceAll("~0", "~");
    return typeof at === "object" && at !== null && Object.hasOwn(at, name) ? at[name] : undefined;
  }, root);
}
