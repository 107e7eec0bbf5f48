/**
 * `holdfast/recorder`: reads what the option `record` of `connect` has recorded of the network, redacted,
 * which outlives the page.
 *
 * @module
 */
export { clearTrace, exportTrace, type TraceOf } from "./exporttrace.js";
