import {
  type Call,
  type CallEvent,
  type CallOptions,
  type CallToolResult,
  HoldfastError,
  type McpClient,
  type Open,
} from "holdfast";
import { badArgument } from "../shared/checks.js";
import { pathOf, type SchemaIssue, type SchemaVerdict, type StandardSchema } from "./standardschema.js";
import { toolNameOf, type ToolResult } from "./toolmap.js";

/** Schemas of a tool's arguments and result. Without a schema, any value passes. */
export interface ToolSchemas<In, Sent extends object, Out> {
  /** The schema of the tool's arguments. It has to validate at once: the call is made at once as well. */
  input?: StandardSchema<In, Sent>;
  /** The schema of the tool's structuredContent. */
  output?: StandardSchema<unknown, Out>;
}

/** A call of a tool whose result the app's schema looks at. */
export interface TypedCall<Out> extends AsyncIterable<CallEvent> {
  /** The call itself: its key, its guarantee, `cancel()` and the rest. */
  readonly call: Call<CallToolResult>;
  /**
   * The result, with structuredContent as the schema has it. Rejects as {@link Call.result} does, and with
   * `invalid_structured_content` where it does not fit: the tool has run, and `error.invalid` has its result.
   */
  readonly result: Promise<ToolResult<Out>>;
}

/** A tool that is called like a function. */
export interface TypedTool<In, Out> {
  /**
   * Calls the tool.
   *
   * @throws HoldfastError `bad_argument` where the arguments do not fit, at once; the schema's words are in
   *   its `cause`
   */
  (args: In, options?: CallOptions): TypedCall<Out>;
  /**
   * A call of an earlier page, or any other, with the tool's types, the same object each time; undefined
   * where it is a call of another tool.
   */
  of(call: Call<CallToolResult>): TypedCall<Out> | undefined;
}

/**
 * A tool of a server's with the app's own schemas for what goes in and comes out, of any library that speaks
 * Standard Schema.
 *
 * ```ts
 * const input = z.object({ scene: z.number() });
 * const render = typedTool(mcp, "render", { input, output: z.object({ url: z.url() }) });
 * const { structuredContent } = await render({ scene: 7 }).result;
 * ```
 *
 * @throws HoldfastError `bad_argument`
 */
export function typedTool<In = Open, Sent extends object = In & object, Out = unknown>(
  client: McpClient, name: string, schemas: ToolSchemas<In, Sent, Out> = {},
): TypedTool<In, Out> {
  if (typeof (client as Partial<McpClient> | undefined)?.callTool !== "function")
    throw badArgument("typedTool", "client", "has to be an McpClient: what connect resolves to");
  if (typeof name !== "string" || name === "")
    throw badArgument("typedTool", "name", "has to be the name of a tool");
  checkSchemas(schemas);
  const { input, output } = schemas;
  const typed = new WeakMap<Call<CallToolResult>, TypedCall<Out>>();
  const as = (call: Call<CallToolResult>): TypedCall<Out> => {
    let one = typed.get(call);
    if (!one) typed.set(call, (one = new Typed(call, output)));
    return one;
  };
  const of = (call: Call<CallToolResult>): TypedCall<Out> | undefined => (
    toolNameOf(call) === name ? as(call) : undefined
  );
  const make = (args: In, options?: CallOptions): TypedCall<Out> => as(
    client.callTool(name, (input ? fitting(name, input, args) : args) as Open, options)
  );
  return Object.assign(make, { of });
}

class Typed<Out> implements TypedCall<Out> {
  readonly call: Call<CallToolResult>;
  readonly #schema: StandardSchema<unknown, Out> | undefined;
  #result: Promise<ToolResult<Out>> | undefined;

  /**
   * @internal A framework leaves alone what says what it is: behind its proxy an object has no private
   * members.
   */
  get [Symbol.toStringTag](): string {
    return "TypedCall";
  }

  constructor(call: Call<CallToolResult>, schema: StandardSchema<unknown, Out> | undefined) {
    this.call = call;
    this.#schema = schema;
  }

  /** Made when first asked for, as that of a call is: who only iterates leaves no unhandled rejection. */
  get result(): Promise<ToolResult<Out>> {
    return (this.#result ??= this.call.result.then((result) => judged(this.#schema, result)));
  }

  [Symbol.asyncIterator](): AsyncIterator<CallEvent> {
    return this.call[Symbol.asyncIterator]();
  }
}

/** The arguments as the schema has them. */
function fitting<In, Sent extends object>(name: string, schema: StandardSchema<In, Sent>, args: In): Sent {
  const verdict = schema["~standard"].validate(args);
  // Any object with `then` counts as a promise: zone.js has promises of its own, and so has another realm.
  if (typeof (verdict as Partial<Promise<unknown>> | null)?.then === "function") {
    Promise.resolve(verdict).catch(() => {}); // which nobody waits for
    throw badArgument(
      "tools/call", "input", "is a schema that answers later: one of arguments has to answer at once",
    );
  }
  if (!isVerdict(verdict)) throw noVerdict("input");
  if (!verdict.issues) return verdict.value as Sent;
  const path = verdict.issues[0] ? pathOf(verdict.issues[0]) : [];
  // A schema's words may repeat what was given, and messages hold no payload.
  throw new HoldfastError({
    code: "bad_argument", op: "tools/call",
    message: `${["arguments", ...path].join(".")} does not fit the schema of ${name}`,
    cause: wordsOf(verdict.issues),
  });
}

/** A result that the schema accepts; throws what {@link TypedCall.result} says. */
async function judged<Out>(
  schema: StandardSchema<unknown, Out> | undefined, result: CallToolResult,
): Promise<ToolResult<Out>> {
  if (!schema || result.isError === true) return result as ToolResult<Out>;
  const verdict = await schema["~standard"].validate(result.structuredContent);
  if (!isVerdict(verdict)) throw noVerdict("output");
  if (!verdict.issues) return { ...result, structuredContent: verdict.value as Out } as ToolResult<Out>;
  const path = verdict.issues[0] ? pathOf(verdict.issues[0]) : [];
  throw new HoldfastError({
    code: "invalid_structured_content",
    op: "tools/call",
    message: "the structuredContent does not fit the app's schema",
    hint: "The tool has run, and its result is in error.invalid.",
    invalid: {
      result, at: path.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""),
    },
    cause: wordsOf(verdict.issues),
  });
}

function isVerdict<Out>(
  verdict: SchemaVerdict<Out> | Promise<SchemaVerdict<Out>>,
): verdict is SchemaVerdict<Out> {
  return typeof verdict === "object" && verdict !== null;
}

function noVerdict(name: string): HoldfastError {
  return badArgument(
    "tools/call", name, "is a schema that gives no verdict: validate has to give { value } or { issues }",
  );
}

function wordsOf(issues: readonly SchemaIssue[]): Error {
  return new Error(
    issues.map((issue) => [pathOf(issue).join("."), issue.message].filter(Boolean).join(": ")).join("; "),
  );
}

function checkSchemas({ input, output, ...others }: { input?: unknown; output?: unknown }): void {
  for (const name of Object.keys(others))
    throw badArgument("typedTool", name, "is no option: there are input, output");
  for (const [name, schema] of Object.entries({ input, output })) {
    if (
      schema !== undefined &&
        typeof (schema as Partial<StandardSchema> | null)?.["~standard"]?.validate !== "function"
    )
      throw badArgument(
        "typedTool", name,
        "has to be a schema that speaks Standard Schema, as those of zod, Valibot and ArkType do",
      );
  }
}
