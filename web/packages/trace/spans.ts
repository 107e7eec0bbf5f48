import type { HoldfastError } from "holdfast";

/** To which trace something belongs: the fields of W3C Trace Context, and of W3C Baggage. */
export interface TraceContext {
  /** Version, trace, parent and flags, as "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01". */
  traceparent: string;
  tracestate?: string;
  baggage?: string;
}

/**
 * The subject of a span. `call`: a call or another request, from its making to its outcome, over as many
 * connections as it takes. `connection`: the client, from when it was traced to its end. `resume`: a call's
 * stream, from its cut until it continues; or the part that this page has of a call that an earlier page
 * made.
 */
export type SpanKind = "call" | "connection" | "resume";

/** Attributes of a span. None of them is a token, a session's id or a payload. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A span that begins. */
export interface SpanStart {
  kind: SpanKind;
  /** The name of the span, such as "tools/call render". */
  name: string;
  /** Attributes by the names of OpenTelemetry's conventions, where there are such. */
  attributes: SpanAttributes;
  /** The parent span. Without one, the span is part of the app's active span. */
  parent: TraceContext | undefined;
}

/** A span that has begun, which the app's hook gives. */
export interface Span {
  /**
   * The context that a call's request carries to the server, so that the server's spans belong to this one;
   * without it, the request carries none.
   */
  readonly context?: TraceContext | undefined;
  /** Adds an event to the span. */
  event?(name: string, attributes: SpanAttributes): void;
  /** Ends the span, with the error where the work failed. */
  end(error?: HoldfastError): void;
}

/** The app's hook: begins a span, or gives undefined for one that is of no interest. */
export type StartSpan = (start: SpanStart) => Span | undefined;

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/**
 * The members of a request's `_meta` for a context (SEP-414); none for one that is not as W3C Trace Context
 * section 3.2 has it.
 */
export function metaOf(context: Partial<TraceContext> | undefined): Partial<TraceContext> | undefined {
  if (!context || typeof context.traceparent !== "string" || !TRACEPARENT.test(context.traceparent))
    return undefined;
  const { traceparent, tracestate, baggage } = context;
  return { traceparent, ...(isText(tracestate) && { tracestate }), ...(isText(baggage) && { baggage }) };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
