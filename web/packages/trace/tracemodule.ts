/**
 * `holdfast/trace`: spans of calls, connections and resumes, and W3C trace context for the server.
 *
 * @module
 */
export { traced } from "./traced.js";
export { openTelemetry, type OtelApi, type OtelSpan } from "./opentelemetry.js";
export type { Span, SpanAttributes, SpanKind, SpanStart, StartSpan, TraceContext } from "./spans.js";
