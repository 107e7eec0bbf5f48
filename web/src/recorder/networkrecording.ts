import type { Recorded } from "../connect/recording.js";
import type { FetchLike } from "../runtime/sender.js";
import { type Frame, FrameRing } from "./framering.js";
import { EventLines, Pseudonyms, redactHeaders, redactMessage } from "./redact.js";

/** Frames that are kept where the app does not say how many. */
const MOST = 2000;

/**
 * Begins to record what a client sends and gets for a server and user, by the key under which all of theirs
 * is stored. Frames are redacted before they are stored: of messages the envelope is kept, of all else the
 * shape; with `seals` they rest sealed. `inner` sends the requests.
 */
export function record(server: string, inner: FetchLike, most: number = MOST, seals = false): Recorded {
  return new Recording(inner, new FrameRing(server, most, seals));
}

/** A client's requests, as they are recorded. */
class Recording implements Recorded {
  readonly #inner: FetchLike;
  readonly #ring: FrameRing;
  readonly #page = Math.random().toString(36).slice(2, 8);
  readonly #names = new Pseudonyms();
  #last = 0;

  constructor(inner: FetchLike, ring: FrameRing) {
    this.#inner = inner;
    this.#ring = ring;
  }

  get begun(): Promise<void> {
    return this.#ring.begun;
  }

  written(): Promise<void> {
    return this.#ring.written();
  }

  readonly fetch: FetchLike = async (url, init) => {
    const x = ++this.#last;
    const say = (what: Frame["what"], more: object = {}): void => this.#ring.add({
      at: Date.now(), page: this.#page, x, what, ...more
    });
    const { method = "GET", body } = init;
    say("request", {
      method, headers: redactHeaders(new Headers(init.headers), this.#names),
      body: redactMessage(textOf(body), this.#names),
    });
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
  };

  /** The response as it came, whose body is noted as it is read. */
  #tapped(
    response: Response, body: ReadableStream<Uint8Array<ArrayBuffer>>,
    say: (what: Frame["what"], more?: object) => void,
  ): Response {
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
    return Object.defineProperties(new Response(tapped, { status, statusText, headers }), {
      url: { value: url }, redirected: { value: redirected }, type: { value: type },
    });
  }
}

/** Characters of a body that are looked at. */
const MOST_BODY = 1 << 20;

function textOf(body: BodyInit | null | undefined): string {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return new TextDecoder().decode(body);
  return "";
}
