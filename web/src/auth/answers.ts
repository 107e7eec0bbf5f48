// One request of a leg, and its answer: bounded in time and size, never with a cookie, never read as anything
// but JSON.

import { AuthFailure, invalid, type Leg, originOf } from "./failure.js";
import type { Hands } from "./hands.js";

/** How long an answer may take, to its last byte, in ms. */
export const ANSWER_TIME: number = 15_000;

/** Bytes of an answer. The metadata of large providers has 20 KiB. */
export const MAX_ANSWER: number = 256 * 1024;

/** An answer of a server, with its body read as JSON. */
export interface AuthAnswer {
  readonly status: number;
  /** The object of the body; undefined where it is none. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
  /** The media type of the body, without parameters; empty where it says none. */
  readonly type: string;
  readonly headers: Headers;
}

/** How a request is sent. */
export interface AuthRequest {
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  /**
   * The header fields, beyond those that fetch may always send, that the answer's CORS rules have to allow.
   */
  allow?: readonly string[];
}

/**
 * Sends a request and reads its answer. Throws `timeout`, `limit_exceeded`,
 * `cors_blocked` or `network_error`, all of which name the leg.
 *
 * A GET follows redirects on its own origin. A POST follows none: a 307 would carry a
 * code or a refresh token on to whoever it names.
 */
export async function ask(
  hands: Hands, leg: Leg, url: string, { method = "GET", headers = {}, body, allow = [] }: AuthRequest = {},
): Promise<AuthAnswer> {
  const abort = new AbortController();
  const from = originOf(url);
  const target = method === "GET" && hands.proxied ? hands.proxied(url) : url;
  const late = new Promise<never>((_, reject) => {
    abort.signal.addEventListener("abort", () => {
      reject(
        new AuthFailure(leg, {
          code: "timeout", message: `${from} did not answer within ${ANSWER_TIME / 1000} s`, retryable: true,
        }),
      );
    });
  });
  late.catch(() => {});
  const stop = hands.after(ANSWER_TIME, () => abort.abort());
  try {
    const init: RequestInit = {
      method,
      headers: { accept: "application/json", ...headers },
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      redirect: method === "GET" ? "follow" : "error",
      signal: abort.signal,
      ...(body === undefined ? {} : { body }),
    };
    const response = await Promise.race([late, hands.fetch(target, init)]).catch(async (error: unknown) => {
      throw error instanceof AuthFailure ? error : await unanswered(hands, leg, target, allow);
    });
    if (target === url && response.redirected && originOf(response.url) !== from) {
      throw invalid(leg, `${from} redirects to another origin`);
    }
    const text = await Promise.race([late, readText(leg, response)]).catch((error: unknown) => {
      throw error instanceof AuthFailure
        ? error
        : new AuthFailure(leg, {
          code: "network_error", message: `the answer of ${from} was cut`, retryable: true,
        });
    });
    const type = (response.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
    return { status: response.status, json: objectOf(text), type, headers: response.headers };
  } finally {
    stop();
    // Ends what still runs of a request that was refused half way.
    abort.abort();
  }
}

async function readText(leg: Leg, response: Response): Promise<string> {
  if (!response.body) return "";
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > MAX_ANSWER) {
      void reader.cancel().catch(() => {});
      throw new AuthFailure(leg, {
        code: "limit_exceeded", message: `the answer has over ${MAX_ANSWER} bytes`,
      });
    }
    text += decoder.decode(value, { stream: true });
  }
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null && !Array.isArray(json)
      ? (json as Record<string, unknown>)
      : undefined;
  } catch {
    // The error quotes what it could not read: a token, perhaps.
    return undefined;
  }
}

/**
 * Why fetch failed. Browsers do not say; a request whose answer nobody reads shows
 * whether somebody answers at all.
 */
async function unanswered(
  hands: Hands, leg: Leg, url: string, allow: readonly string[],
): Promise<AuthFailure> {
  const origin = originOf(url);
  let stop = (): void => {};
  const probe = new AbortController();
  const there = await Promise.race([
    hands.fetch(url, {
      mode: "no-cors", credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer",
      signal: probe.signal,
    }).then(
      () => true,
      () => false,
    ),
    new Promise<boolean>((resolve) => (stop = hands.after(ANSWER_TIME, () => resolve(false)))),
  ]);
  stop();
  probe.abort(); // else it would hold one of the browser's six connections for as long as that server likes
  if (!there)
    return new AuthFailure(leg, {
      code: "network_error", message: `nothing answers at ${origin}`, retryable: true,
    });
  const page = globalThis.origin ?? "*";
  return new AuthFailure(leg, {
    code: "cors_blocked",
    message: `${origin} is there, but its CORS rules keep this page out, or it redirects`,
    hint: [
      `${origin} has to answer with  Access-Control-Allow-Origin: ${page}`,
      ...(allow.length > 0 ? [`Access-Control-Allow-Headers: ${allow.join(", ")}`] : [])
    ].join("  and  "),
  });
}
