/**
 * Holdfast as values that change, for what draws them: one contract ({@link Store}) that React's
 * useSyncExternalStore, Vue's shallowRef and Svelte's `$store` all take. `holdfast/react` has hooks made of
 * it.
 *
 * ```ts
 * import { observeCall } from "holdfast/store";
 *
 * const stop = observeCall(call).subscribe(({ state, progress, result }) => draw(state, progress, result));
 * ```
 *
 * To observe begins nothing, cancels nothing and ends nothing. Named exports only: every name added here is
 * public API.
 *
 * @module
 */

import { LOOKING, type CallSnapshot } from "./callsnapshot.js";
import type { CallsSnapshot } from "./callsstore.js";
import { CONNECTING, type ConnectionSnapshot } from "./sharedconnections.js";
import { NO_ELICITATIONS, type ServerElicitation } from "./elicitations.js";
import { NO_TOOLS, type ToolsSnapshot } from "./toolsstore.js";

export { observeCall } from "./callstore.js";
export { findCall, observeCalls } from "./callsstore.js";
export { observeClient, sharedConnection } from "./sharedconnections.js";
export { elicit, elicitations, ServerElicitation } from "./elicitations.js";
export { observeTools } from "./toolsstore.js";
export type { CallActions, CallSnapshot, CallState, ObserveOptions } from "./callsnapshot.js";
export type { ObservedCall } from "./callstore.js";
export type { CallsSnapshot } from "./callsstore.js";
export type { ConnectionSnapshot, SharedConnection, SharedOptions } from "./sharedconnections.js";
export type { Store } from "./observed.js";
export type { ToolsSnapshot } from "./toolsstore.js";

/**
 * The snapshots before there is a client, and of a server that renders the page: the same objects each time.
 */
export const empty: {
  readonly connection: ConnectionSnapshot<never>;
  readonly call: CallSnapshot;
  readonly calls: CallsSnapshot;
  readonly tools: ToolsSnapshot;
  readonly elicitations: readonly ServerElicitation[];
} = {
  connection: CONNECTING,
  call: LOOKING,
  calls: Object.freeze({ state: "looking", calls: [] }),
  tools: NO_TOOLS,
  elicitations: NO_ELICITATIONS,
};
