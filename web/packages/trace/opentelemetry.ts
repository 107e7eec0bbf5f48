import type { HoldfastError } from "holdfast";
import { badArgument } from "../shared/checks.js";
import type { SpanAttributes, StartSpan, TraceContext } from "./spans.js";

// The members of @opentelemetry/api that are used here. The app has the package: nothing here imports it.

/** A span of OpenTelemetry's. */
export interface OtelSpan {
  addEvent(name: string, attributes?: SpanAttributes): unknown;
  setAttribute(name: string, value: string): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** `@opentelemetry/api`, as an app imports it: `import * as api from "@opentelemetry/api"`. */
export interface OtelApi {
  trace: {
    getTracer(name: string, version?: string): {
      startSpan(name: string, options: { kind: number; attributes: SpanAttributes }, context?: any): OtelSpan,
    };
    setSpan(context: any, span: any): any;
  };
  context: { active(): any };
  propagation: { inject(context: any, carrier: object): void; extract(context: any, carrier: object): any };
}

/** SpanKind.INTERNAL and SpanKind.CLIENT of `@opentelemetry/api`. */
const INTERNAL = 0;
const CLIENT = 2;
/** SpanStatusCode.ERROR. */
const ERROR = 2;

/**
 * The hook for {@link traced} that makes spans of OpenTelemetry's, in the app's own tracer:
 * `openTelemetry(api, "my-app")`.
 *
 * @throws HoldfastError `bad_argument`
 */
export function openTelemetry(api: OtelApi, name = "holdfast"): StartSpan {
  if (
    typeof api?.trace?.getTracer !== "function" || typeof api.context?.active !== "function" ||
      typeof api.propagation?.inject !== "function"
  ) {
    throw badArgument(
      "openTelemetry", "api",
      'has to be what import * as api from "@opentelemetry/api" gives: { trace, context, propagation }',
    );
  }
  const { trace, context, propagation } = api;
  return ({ kind, name: what, attributes, parent }) => {
    const active = context.active() as unknown;
    const around = parent ? (propagation.extract(active, parent) as unknown) : active;
    const span = trace.getTracer(name).startSpan(
      what, { kind: kind === "call" ? CLIENT : INTERNAL, attributes }, around,
    );
    const carrier: Partial<TraceContext> = {};
    propagation.inject(trace.setSpan(around, span), carrier);
    return {
      context: carrier.traceparent === undefined ? undefined : (carrier as TraceContext),
      event: (said, more) => void span.addEvent(said, more),
      end: (error?: HoldfastError) => {
        if (error) {
          span.setAttribute("error.type", error.code);
          span.setStatus({ code: ERROR, message: error.message });
        }
        span.end();
      },
    };
  };
}
