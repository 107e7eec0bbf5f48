import type { FetchLike } from "../runtime/sender.js";
import { badArgument } from "../store/checks.js";
import { deleteFrames, type Frame, FrameRing, readFrames } from "./framering.js";
import { EventLines, Pseudonyms, redactHeaders, redactMessage } from "./redact.js";

/** Options of {@link recorder}. */
export interface RecorderOptions {
  /** What sends the requests. Default: the browser's fetch. */
  fetch?: FetchLike;
  /** How many frames are kept; the oldest go first. Default 2,000. */
  most?: number;
}

/** Records what crosses the network. */
export interface Recorder {
  /** The option `fetch` of {@link connect}. */
  readonly fetch: FetchLike;
  /** Resolves when all that has crossed so far is stored. */
  written(): Promise<void>;
}

const MOST = 2000;

/**
 * Records what a client sends and gets, in a ring in IndexedDB that survives a reload and a crash. Frames are redacted before they are
 * stored: of messages the envelope is kept, of all else the shape.
 *
 * ```ts
 * const { fetch } = recorder();
 * const mcp = await connect(url, { fetch, principal: user.id });
 * ```
 *
 * @throws HoldfastError `bad_argument`
 */
export function recorder(options: RecorderOptions = {}): Recorder {
  const { fetch: inner = (url, init) => globalThis.fetch(url, init), most = MOST, ...others } = options;
  for (const name of Object.keys(others)) throw badArgument("recorder", name, "is no option: there are fetch, most");
  if (typeof inner !== "function") throw badArgument("recorder", "fetch", "has to be a function");
  if (!Number.isSafeInteger(most) || most < 1) throw badArgument("recorder", "most", "has to be a positive integer");
  const ring = new FrameRing(most);
  const recording = new Recording(inner, (frame) => ring.add(frame));
  return { fetch: (url, init) => recording.fetch(url, init), written: () => ring.written() };
}

/**
 * What was recorded, of this page and of earlier ones, as lines of JSON: for a file that goes to whoever looks for the fault, who plays
 * it again with `go run ./core/coretest/replay FILE`. Rejects with a DOMException where there is no database.
 */
export async function exportTrace(): Promise<string> {
  return (await readFrames()).map((frame) => `${JSON.stringify(frame)}\n`).join("");
}

/** Deletes what was recorded: for a logout, beside `wipe()`. */
export function clearTrace(): Promise<void> {
  return deleteFrames();
}

/** One page's recording. */
class Recording {
  readonly #inner: FetchLike;
  readonly #write: (frame: Frame) => void;
  readonly #page = Math.random().toString(36).slice(2, 8);
  readonly #names = new Pseudonyms();
  #last = 0;

  constructor(inner: FetchLike, write: (frame: Frame) => void) {
    this.#inner = inner;
    this.#write = write;
  }

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const x = ++this.#last;
    const say = (what: Frame["what"], more: object = {}): void => this.#write({ at: Date.now(), page: this.#page, x, what, ...more });
    const { method = "GET", body } = init;
    say("request", { method, headers: redactHeaders(new Headers(init.headers), this.#names), body: redactMessage(textOf(body), this.#names) });
    let response: Response;
    try {
      response = await this.#inner(url, init);
    } catch (error) {
      say(init.signal?.aborted ? "cancelled" : "failed");
      throw error;
    }
    say("head", { status: response.status, headers: redactHeaders(response.headers, this.#names) });
    if (!response.body) {
      say("end");
      return response;
    }
    return this.#tapped(response, response.body, say);
  }

  /** The response as it came, whose body is noted as it is read. */
  #tapped(response: Response, body: ReadableStream<Uint8Array<ArrayBuffer>>, say: (what: Frame["what"], more?: object) => void): Response {
    const isStream = (response.headers.get("content-type") ?? "").includes("text/event-stream");
    const lines = new EventLines(this.#names);
    const utf8 = new TextDecoder();
    const reader = body.getReader();
    let whole = "";
    const tapped = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: async (to) => {
          try {
            const { value, done } = await reader.read();
            if (done) {
              if (!isStream) say("body", { body: redactMessage(whole + utf8.decode(), this.#names) });
              say("end");
              return to.close();
            }
            if (isStream) {
              const text = lines.push(value);
              if (text !== "") say("lines", { text });
            } else if (whole.length < MOST_BODY) whole += utf8.decode(value, { stream: true });
            to.enqueue(value);
          } catch (error) {
            say("failed");
            to.error(error);
          }
        },
        cancel: (reason) => {
          say("cancelled");
          return reader.cancel(reason);
        },
      },
      { highWaterMark: 0 }, // nothing is read ahead of whoever reads
    );
    const { status, statusText, headers, url, redirected, type } = response;
    // A response that is made has none of these.
    return Object.defineProperties(new Response(tapped, { status, statusText, headers }), { url: { value: url }, redirected: { value: redirected }, type: { value: type } });
  }
}

/** Characters of a body that are looked at. */
const MOST_BODY = 1 << 20;

function textOf(body: BodyInit | null | undefined): string {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return new TextDecoder().decode(body);
  return "";
}
