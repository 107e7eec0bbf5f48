// The wasm of a worker. It may lie anywhere, and any script of the origin can say where: a worker runs what
// is of its own build, by the digests that the build wrote into its script.

import { HoldfastError } from "../base/errors.js";
import { shortened } from "../base/shortened.js";
import { version } from "./beside.js";
import { beginsAsWasm, notFetched, otherBuild } from "./whatcame.js";

/** The most bytes of a wasm, of whatever build: the worker gives up a body that goes on. */
const MOST = 32 << 20;

/** How long, in ms, it may take to come: all clients of the worker wait for it, whoever has named it. */
const PATIENCE = 120_000;

/** How a wasm says its version, in whatever build (wasm/main.go). */
const STAMP = /holdfast-wasm\/([\w.+-]{1,40});/;

/**
 * The wasm from that address, empty where the app has given something else: compiled, where it has one of
 * those digests, which are as the option `integrity` of a fetch has them; else the answer, which is none at
 * all. It is compiled as it comes, and nothing of it runs before its digest is known. Rejects with
 * `load_failed`.
 */
export async function ownWasm(
  url: string, digests: string, patience: number = PATIENCE,
): Promise<Response | WebAssembly.Module> {
  if (!/^https?:/.test(url)) {
    throw new HoldfastError({
      code: "load_failed", op: "load",
      message: "a worker fetches its wasm over http, and takes none from " +
        `${shortened(url.slice(0, 99)) || "a page"}`,
    });
  }
  const over = new AbortController();
  const timer = setTimeout(
    () => over.abort(new DOMException("it did not come in time", "TimeoutError")), patience,
  );
  try {
    return await fetched(url, digests, over);
  } finally {
    clearTimeout(timer);
  }
}

async function fetched(
  url: string, digests: string, over: AbortController,
): Promise<Response | WebAssembly.Module> {
  const { signal } = over;
  const came = await fetch(url, { signal }).catch(() => undefined);
  if (came?.ok) {
    const copy = came.clone();
    const compiled = WebAssembly.compileStreaming(came);
    compiled.catch(() => {}); // whoever takes it hears of it
    const bytes = await bytesOf(copy, over).catch(() => new ArrayBuffer(0));
    // Streaming needs the exact type, which some servers do not know.
    if (digests.includes(await digestOf(bytes))) return compiled.catch(() => WebAssembly.compile(bytes));
  }
  // It is of another build, or nothing is there. The browser may have kept the file of an earlier deploy
  // (fault 629).
  const response = await fetch(url, { cache: "reload", signal }).catch(
    (cause: unknown) => notFetched(url, cause)
  );
  const bytes = await bytesOf(response.clone(), over).catch((cause: unknown) => notFetched(url, cause));
  if (!response.ok || !beginsAsWasm(bytes) || digests.includes(await digestOf(bytes))) return response;
  const [, its = "unknown"] = STAMP.exec(new TextDecoder("latin1").decode(bytes)) ?? [];
  throw otherBuild(
    `the wasm is version ${its === version ? `${its}, of another build` : its}, the script is version ` +
      `${version}: deploy both from one build`,
  );
}

/** A body, as far as it ends: what is larger than any wasm is given up, and all that reads it. */
async function bytesOf(response: Response, over: AbortController): Promise<ArrayBuffer> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body?.getReader();
  for (let size = 0; ; ) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) return new Blob(pieces).arrayBuffer();
    pieces.push(value as Uint8Array<ArrayBuffer>);
    if ((size += value!.length) <= MOST) continue;
    over.abort(new DOMException("it is larger than any wasm", "QuotaExceededError"));
    throw over.signal.reason;
  }
}

async function digestOf(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}
