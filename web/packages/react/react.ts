/**
 * Holdfast's hooks for React 18 and 19, over `holdfast/store`.
 *
 * ```tsx
 * <HoldfastProvider url="/mcp">
 *   <Report />
 * </HoldfastProvider>;
 *
 * function Report() {
 *   const { state, progress, result } = useCall("report-2026"); // also after a reload
 * }
 * ```
 *
 * Named exports only: every name added here is public API.
 *
 * @module
 */

export { HoldfastProvider } from "./provider.js";
export { useCall, useCalls, useElicitation, useMcp, useSuspenseMcp, useTools } from "./hooks.js";
export { elicit } from "holdfast/store";
export type { HoldfastProviderProps } from "./provider.js";
export type { UseCallOptions } from "./hooks.js";
export type {
  CallActions,
  CallsSnapshot,
  CallSnapshot,
  CallState,
  ConnectionSnapshot,
  ServerElicitation,
  SharedOptions,
  ToolsSnapshot,
} from "holdfast/store";
