/**
 * `holdfast/trace`: spans of calls, connections and resumes, and W3C trace context for the server.
 *
 * @module
 */
import type { McpClient } from "holdfast";
import { badArgument, checkClient } from "../shared/checks.js";
import type { StartSpan } from "./spans.js";
import { tracedClient } from "./tracedclient.js";

export { openTelemetry, type OtelApi, type OtelSpan } from "./opentelemetry.js";
export type { Span, SpanAttributes, SpanKind, SpanStart, StartSpan, TraceContext } from "./spans.js";

/**
 * The same client, whose calls and connection have spans: `start` begins them, and what it gives goes to the
 * server in `_meta` (`traceparent`, `tracestate`, `baggage`: SEP-414). It stays with the call over cuts,
 * resumes and reloads.
 *
 * ```ts
 * const mcp = traced(await connect(url), openTelemetry({ trace, context, propagation }, "my-app"));
 * ```
 *
 * Give `mcp` to everything else. Nothing is read of a call by it, and an exception of the app's hook is
 * reported and harms nothing.
 *
 * @throws HoldfastError `bad_argument`
 */
export function traced(client: McpClient, start: StartSpan): McpClient {
  checkClient("traced", client);
  if (typeof start !== "function")
    throw badArgument(
      "traced", "start",
      "has to be a function that begins a span: what openTelemetry() gives, or the app's own",
    );
  return tracedClient(client, start);
}
