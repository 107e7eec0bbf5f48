import { Ending } from "../base/border.js";
import type { Reports } from "./reports.js";
import { trusted } from "./scripturl.js";

/**
 * In place of a method: whether anything at all answers at the address (MethodReach in
 * core/engine/effect.go).
 */
export const REACH = "REACH";

/** Options of a request that takes nothing of the user along: no cookie, for example. */
const ANONYMOUS: RequestInit = { credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" };

/** An opaque answer is still an answer: somebody listens there. */
const OPAQUE: RequestInit = { ...ANONYMOUS, mode: "no-cors" };

/**
 * The other way to an answer. A server with Cross-Origin-Resource-Policy, which helmet and
 * Hono's secureHeaders set, gives none without CORS; nor does any to a page with
 * Cross-Origin-Embedder-Policy. A GET is no request that needs a preflight.
 */
const READABLE: RequestInit = { ...ANONYMOUS, redirect: "manual" };

/** A worker's script: it asks in both ways at once, and what is left of it ends with it. */
const SCRIPT =
  "onmessage=({data:[u,a]})=>Promise.any(a.map(i=>fetch(u,i))).then(()=>!0,()=>!1)" +
  ".then(f=>{postMessage(f);close()})";

/**
 * Finds out whether anything answers, by GETs that change nothing. Chromium writes each
 * request that fails in a page to its console ("Failed to load resource"), and none that
 * fails in a worker: where a page can have one, that asks. It is over as soon as it is
 * known: no stream is held.
 */
export class Reach {
  readonly #reports: Reports;
  readonly #client: number;
  readonly #id: number;
  readonly #over = new AbortController();

  constructor(reports: Reports, client: number, id: number) {
    this.#reports = reports;
    this.#client = client;
    this.#id = id;
  }

  /**
   * Asks. `isKnowable` is false where the client's requests are not the browser's, whose answer would say
   * nothing of theirs.
   */
  async start(url: string, isKnowable: boolean): Promise<void> {
    await undefined; // the core is not called from within its own effects
    const { signal } = this.#over;
    const found = isKnowable ? ((await askedByWorker(url, signal)) ?? (await asked(url, signal))) : undefined;
    if (signal.aborted) return;
    this.#over.abort();
    if (found) this.#reports.head(this.#client, this.#id, 200, []);
    else this.#reports.end(this.#client, this.#id, found === undefined ? Ending.Invalid : Ending.Network, "");
  }

  /** There is nothing to read. */
  read(): void {}

  /** Aborts the question: no caller wants the answer any more. */
  abort(): void {
    this.#over.abort();
  }

  /** The page is left for good. */
  leave(): void {
    this.abort();
  }
}

/**
 * The finding of a worker; undefined without a worker: there is no page, or its policy (worker-src) has no
 * room for one.
 */
function askedByWorker(url: string, signal: AbortSignal): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    if (typeof document === "undefined" || typeof Worker === "undefined") return resolve(undefined);
    const script = URL.createObjectURL(new Blob([SCRIPT], { type: "text/javascript" }));
    let worker: Worker | undefined;
    const end = (found?: boolean): void => {
      worker?.terminate();
      URL.revokeObjectURL(script);
      resolve(found);
    };
    try {
      worker = new Worker(trusted(script), { name: "holdfast reach" });
    } catch {
      return end();
    }
    worker.onmessage = ({ data }) => end(data as boolean);
    worker.onerror = (event) => {
      event.preventDefault();
      end();
    };
    signal.addEventListener("abort", () => end(false));
    worker.postMessage([url, [OPAQUE, READABLE]]);
  });
}

/**
 * The same without a worker. In a page one failure is all that is written of it, but where that says nothing.
 */
async function asked(url: string, signal: AbortSignal): Promise<boolean> {
  const answers = (init: RequestInit): Promise<boolean> =>
    fetch(url, { ...init, signal }).then(
      () => true,
      () => false,
    );
  if (await answers(OPAQUE)) return true;
  const isConclusive = typeof document !== "undefined" && globalThis.crossOriginIsolated !== true;
  return !isConclusive && answers(READABLE);
}
