/**
 * Holdfast as values that change, for what draws them: one contract ({@link Store}) that React's useSyncExternalStore, Vue's
 * shallowRef and Svelte's `$store` all take. `holdfast/react` has hooks made of it.
 *
 * ```ts
 * import { observeCall } from "holdfast/store";
 *
 * const stop = observeCall(call).subscribe(({ state, progress, result }) => draw(state, progress, result));
 * ```
 *
 * To observe begins nothing, cancels nothing and ends nothing. Named exports only: every name added here is public API.
 *
 * @module
 */

export { observeCall } from "./callstore.js";
export { findCall, observeCalls } from "./callsstore.js";
export { observeClient, sharedAgent, sharedConnection } from "./sharedconnections.js";
export { empty } from "./empty.js";
export { elicit, elicitations, ServerElicitation } from "./elicitations.js";
export { observeAgentSession } from "./sessionstore.js";
export { observeTools } from "./toolsstore.js";
export type { CallActions, CallSnapshot, CallState, ObserveOptions } from "./callsnapshot.js";
export type { ObservedCall } from "./callstore.js";
export type { CallsSnapshot } from "./callsstore.js";
export type { ConnectionSnapshot, SharedConnection, SharedOptions } from "./sharedconnections.js";
export type { Store } from "./observed.js";
export type { AgentSessionSnapshot } from "./sessionstore.js";
export type { ToolsSnapshot } from "./toolsstore.js";
