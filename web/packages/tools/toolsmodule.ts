/**
 * `holdfast/tools`: tools with types. By the app's own schemas ({@link typedTool}), which are looked at when
 * the app runs; or by a map of a server's tools ({@link withToolTypes}), which `npx holdfast-tool-types`
 * writes and the compiler alone reads.
 *
 * @module
 */
export { typedTool, type ToolSchemas, type TypedCall, type TypedTool } from "./typedtool.js";
export {
  withToolTypes, type ToolFailure, type ToolMap, type ToolResult, type ToolSuccess, type ToolTypes,
  type TypedClient,
} from "./toolmap.js";
export type { SchemaIssue, SchemaVerdict, StandardSchema } from "./standardschema.js";
