import { Ending } from "../base/border.js";
import { type BodyPieces, bodyPieces } from "./bodypieces.js";
import type { ClientPort } from "./port.js";
import type { Reports } from "./reports.js";
import type { Answer, Leave } from "./sender.js";
import { browserFetch, streamed } from "./streamed.js";
import { shownText } from "../base/plainpath.js";
import { Yielding } from "../base/yielding.js";

/** The response fields that the core reads, where CORS lets the page see them. */
const RESPONSE_HEADERS = [
  "content-type", "content-length", "mcp-session-id", "acp-connection-id", "retry-after", "www-authenticate",
];

/** The status that stands for any redirect (300, Multiple Choices, is no answer either). */
export const REDIRECTED = 300;

/**
 * A JSON body of so many bytes, by its Content-Length, is read as a whole: without a stream, whose two reads
 * and their tasks are a tenth of what a small call costs the main thread (measured in Chromium 156). So much
 * that was compressed becomes at most 16 MB.
 */
const SMALL = 16 << 10;

/**
 * How long chunks that are there already may follow one another, in ms: reading
 * them gives way to nothing, and a long burst would hold up input and timers.
 */
const TURN = 16;

/**
 * After so many full chunks that brought something the app reads that, before more is worked on. With a turn
 * after each chunk an event of 2 KB takes the main thread 9.1 us, and so 8.2 (Chromium 156).
 */
const UNREAD_CHUNKS = 4;

/**
 * After so many bytes that the app reads, time that goes by until the next are there may be the app's work on
 * them, in the same turn.
 */
const MUCH = 16 << 10;

/** Why a request of somebody who has logged out while it waited for a token does not leave. */
const LOGGED_OUT = new Error("its user has logged out");

/** The answer to the core for a request that did not leave: 401, so the core knows that it did not run. */
function held(error: unknown): Answer {
  if (error !== LOGGED_OUT) throw error;
  return { response: new Response(null), status: 401 };
}

/**
 * One HTTP exchange of the core's: fetch, and the read loop. The next chunk is
 * read only when the core asks for it, which is all the backpressure there is.
 */
export class Exchange {
  readonly #reports: Reports;
  readonly #client: number;
  readonly #id: number;
  readonly #abort = new AbortController();
  #body: BodyPieces | undefined;
  /** The answer whose body is read as a whole, until it is. */
  #small: Response | undefined;
  #wanted = false;
  #pumping = false;
  #over = false;
  #isRead = false;

  constructor(reports: Reports, client: number, id: number) {
    this.#reports = reports;
    this.#client = client;
    this.#id = id;
  }

  /**
   * Starts the exchange. `parts` is the frame of a Fetch record; where `once`, the browser does not send it
   * again by itself.
   */
  async start(
    parts: string[],
    body: Uint8Array<ArrayBuffer> | null,
    {
      credentials, sender, fetch: own, isLoggedOut = () => false,
    }: Pick<ClientPort, "credentials" | "sender" | "fetch" | "isLoggedOut">,
    once = false,
  ): Promise<void> {
    const [method = "GET", url = ""] = parts;
    this.#isRead = method === "GET";
    const init = (fields: Parameters<Leave>[0]): RequestInit => {
      const headers = new Headers();
      for (let i = 2; i + 1 < parts.length; i += 2) headers.append(parts[i]!, parts[i + 1]!);
      if (sender) headers.delete("authorization"); // the core's stands for the sender's
      for (const [name, value] of fields) headers.set(name, value);
      return {
        method,
        headers,
        body,
        ...(once && { duplex: "half" }),
        credentials,
        signal: this.#abort.signal,
        // A redirect is not followed: its target might be anybody's, and would
        // get the session and the app's header fields.
        redirect: "manual",
        // A stream is never one that a cache may give. The answer to a POST is none
        // anyway (RFC 9111 4), and with "no-store" Chrome does not use what it
        // remembers of CORS either: a preflight for every call, twice the time.
        cache: method === "GET" ? "no-store" : "default",
        // The DELETE of an explicit close goes out even if the page then leaves.
        keepalive: method === "DELETE",
      };
    };
    const isLate = isLoggedOut() ? () => false : isLoggedOut; // what begins behind a logout ends something
    const leave: Leave = async (fields) => {
      if (isLate()) throw LOGGED_OUT;
      const all = init(fields);
      if (!own) return fetch(new Request(url, streamed(all)));
      await undefined; // app code never runs within the core's effects
      return readable(await own(url, all));
    };
    const invalid = (): unknown => {
      try {
        new Request(url, init([]));
      } catch (error) {
        return error;
      }
      return undefined;
    };
    // The browser's own fetch is checked once it has failed: a Request beside each fetch took as long as all
    // that is written of a small call.
    const refused = sender || own ? invalid() : undefined;
    if (refused !== undefined) {
      // Later, so that the core is not called from within its own effects.
      await undefined;
      this.#end(Ending.Invalid, refused);
      return;
    }
    let answer: Answer;
    try {
      if (sender) answer = await sender.send(method, url, leave).catch(held);
      else {
        const response = await (own ? leave([]) : browserFetch(url, init([])));
        answer = { response, status: response.status };
      }
      if (!this.#over) this.#begin(answer.response, own === undefined);
    } catch (error) {
      const how = error instanceof Unreadable
        ? Ending.Unreadable
        : !sender && !own && !this.#over && invalid() !== undefined ? Ending.Invalid : Ending.Network;
      this.#end(how, error);
      return;
    }
    const { response } = answer;
    // a fetch of the app's may not heed the signal
    if (this.#over) return void response.body?.cancel?.().catch(() => {});
    const fields: string[] = [];
    for (const name of RESPONSE_HEADERS) {
      const value = response.headers.get(name);
      if (value !== null) fields.push(name, name === "retry-after" ? inSeconds(value) : value);
    }
    // The browser hides which redirect it was, and where to.
    const status = response.type === "opaqueredirect" ? REDIRECTED : answer.status;
    this.#reports.head(this.#client, this.#id, status, fields);
    void this.#pump();
  }

  /**
   * Gets ready to read the body; throws where it cannot be read, as of an app's fetch or one that a library
   * has put in the place of the browser's.
   */
  #begin(response: Response, isBrowsers: boolean): void {
    const { body, headers } = readable(response);
    if (body?.locked) return;
    // An app's fetch may not heed the signal: only a reader can be cancelled then.
    if (isBrowsers && response instanceof Response && isSmall(headers)) this.#small = response;
    // "default" is one that JavaScript has made: a stream of bytes of a library's may end in a way that
    // leaves such a read waiting.
    else this.#body = bodyPieces(body, this.#reports.chunkBytes, isBrowsers && response.type !== "default");
  }

  /** The core can take another chunk. */
  read(): void {
    this.#wanted = true;
    void this.#pump();
  }

  /** The core has abandoned the exchange: nothing more of it is reported. */
  abort(): void {
    this.#over = true;
    this.#abort.abort();
    this.#body?.cancel();
  }

  /**
   * The page is left for good: a stream that it reads ends with it. What it sends is the browser's affair.
   */
  leave(): void {
    if (this.#isRead) this.abort();
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    const turns = new Yielding();
    let since = performance.now();
    let unread = 0;
    try {
      while (this.#wanted && !this.#over) {
        if (performance.now() - since > TURN) {
          await turns.others();
          unread = 0;
          since = performance.now();
          continue;
        }
        const began = performance.now();
        const piece = await this.#next();
        if (!piece) return;
        // The page has had its turn while the stream was waited for.
        if (unread < MUCH && performance.now() - began > 1) {
          since = performance.now();
          unread = 0;
        }
        if (piece.length === 0) continue;
        this.#wanted = false;
        const brought = this.#reports.chunk(this.#client, this.#id, piece);
        if (brought) unread += piece.length;
        if (unread >= UNREAD_CHUNKS * this.#reports.chunkBytes) since = -Infinity;
      }
    } finally {
      turns.end();
      this.#pumping = false;
    }
  }

  /** Reads the next bytes; undefined once the exchange is over, however. */
  async #next(): Promise<Uint8Array | undefined> {
    try {
      const small = this.#small;
      if (small) {
        this.#small = undefined;
        const whole = new Uint8Array(await small.arrayBuffer());
        return this.#over ? undefined : whole;
      }
      const piece = await this.#body?.next();
      if (piece) return this.#over ? undefined : piece;
      this.#end(Ending.Clean, undefined);
    } catch (error) {
      this.#end(Ending.Network, error);
    }
    return undefined;
  }

  #end(how: number, error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    // The message is the browser's own ("Failed to fetch", "network error").
    const detail = error instanceof Error ? shownText(error.message) : "";
    this.#reports.end(this.#client, this.#id, how, detail);
  }
}

/** The error of an app's fetch that gave no readable answer. */
class Unreadable extends TypeError {}

/** Throws where the answer cannot be read, as of a fetch that has read it itself: a log, a test's double. */
function readable(given: unknown): Response {
  const { status, headers, body, bodyUsed } = (given ?? {}) as Partial<Response>;
  if (typeof status !== "number" || typeof headers?.get !== "function")
    throw new Unreadable("the app's fetch gave no Response");
  // A body is needed for these answers alone: the status says all that is needed of the others.
  const isNeeded = status >= 200 && status < 300 && status !== 202 && status !== 204;
  if (isNeeded && bodyUsed) throw new Unreadable("the app's fetch gave a Response whose body it has read");
  if (isNeeded && body?.locked)
    throw new Unreadable("the app's fetch gave a Response whose body it is reading");
  if (isNeeded && body !== null && typeof body?.getReader !== "function")
    throw new Unreadable("the app's fetch gave a Response whose body is no ReadableStream");
  return given as Response;
}

/** True if the body is JSON, and small by its headers. */
function isSmall(headers: Headers): boolean {
  const length = headers.get("content-length");
  return length !== null && Number(length) <= SMALL &&
    /^application\/json\b/i.test(headers.get("content-type") ?? "");
}

/** A Retry-After in seconds: the core has no clock to hold a date against. */
function inSeconds(value: string): string {
  const at = /[a-z]/i.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? value : String(Math.max(0, Math.ceil((at - Date.now()) / 1_000)));
}
