import type { Call, CallOptions, CallToolResult, ContentBlock, McpClient, Open } from "holdfast";
import { badArgument } from "../shared/checks.js";

/** The types of one tool's arguments and result, in a map of a server's tools. */
export interface ToolTypes {
  /** The tool's arguments. */
  input: object;
  /** The tool's structuredContent; `unknown` where the tool has no outputSchema. */
  output: unknown;
}

/**
 * The tools of a server by their names: an interface, as `holdfast-tool-types` writes it. Each of its members
 * is {@link ToolTypes}.
 */
export type ToolMap<M> = { [N in keyof M]: ToolTypes };

/** The result of a tool that says what its structuredContent is; with `isError` it is the tool's failure. */
export type ToolResult<Output> = ToolSuccess<Output> | ToolFailure;

/** The result of a tool that has done what it was asked. */
export interface ToolSuccess<Output> extends Open {
  content: ContentBlock[];
  structuredContent: Output;
  isError?: false;
}

/** The failure of a tool, in its own words. */
export interface ToolFailure extends Open {
  content: ContentBlock[];
  structuredContent?: unknown;
  isError: true;
}

/** The arguments after a tool's name: those of a tool that needs none may be left out. */
type Rest<Input> = {} extends Input
  ? [args?: Input, options?: CallOptions]
  : [args: Input, options?: CallOptions];

/** A client whose tools are known to the compiler. */
export type TypedClient<M extends ToolMap<M>> = Omit<McpClient, "callTool"> & {
  /** As {@link McpClient.callTool}, for tools of the map alone. */
  callTool<N extends keyof M & string>(
    name: N, ...rest: Rest<M[N]["input"]>
  ): Call<ToolResult<M[N]["output"]>>;
  /** The same in the words of the official client. */
  callTool<N extends keyof M & string>(
    tool: { name: N; arguments: M[N]["input"] }, options?: CallOptions,
  ): Call<ToolResult<M[N]["output"]>>;
};

/**
 * The same client, with the types of its server's tools. Nothing is checked by it when the app runs: that a
 * result fits its tool's outputSchema the option `validate` of `connect` sees to.
 *
 * @throws HoldfastError `bad_argument`
 */
export function withToolTypes<M extends ToolMap<M>>(client: McpClient): TypedClient<M> {
  if (typeof (client as Partial<McpClient> | undefined)?.callTool !== "function")
    throw badArgument("withToolTypes", "client", "has to be an McpClient: what connect resolves to");
  return client as unknown as TypedClient<M>;
}

/** The name of a tool that a call is of; undefined for a call of something else. */
export function toolNameOf(call: Call<CallToolResult>): string | undefined {
  return call.method === "tools/call" ? (call.params["name"] as string) : undefined;
}
