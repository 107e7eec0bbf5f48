import { checkSignal } from "../base/arguments.js";
import { HoldfastError } from "../base/errors.js";
import { type LateModule, loadLate } from "../base/latemodule.js";
import type { WasmFile } from "../runtime/beside.js";
import type { WasmSource } from "../runtime/loadruntime.js";
import { wasmAhead } from "../runtime/wasmahead.js";
import { unlessAborted } from "./abort.js";

/** The script-tag build has all in one file, and loads no chunk. */
declare const HOLDFAST_ONE_FILE: boolean;

/**
 * What a page needs where the runtime is in the page itself: a chunk of its own, which
 * pages whose runtime is in a worker never load. It is plain data, so that bundlers see
 * which of them an app has no use for.
 */
export interface PageChunk<T> extends LateModule<T> {
  /** The operation that errors name. */
  readonly op: string;
  /** The wasm that its clients need. */
  readonly wasm?: WasmFile;
  /** True if the clients run in a worker, which has the wasm by itself. */
  readonly inWorker?: true;
  /** Imports it. */
  load(): Promise<T>;
  /** The loading under way, which all that wait for the chunk share. */
  coming?: Promise<T> | undefined;
}

/** The options that decide which files are loaded with a chunk. */
interface Loading {
  signal?: AbortSignal;
  wasm?: WasmSource;
  /** The sign-in, which may have a chunk of its own in the page. */
  auth?: { readonly chunk?: PageChunk<unknown> };
}

/**
 * The chunk, loaded once, side by side with the wasm and with what the sign-in needs. Rejects with
 * `load_failed`, or with `cancelled` as soon as the app gives up.
 */
export async function loadedChunk<T>(chunk: PageChunk<T>, { signal, wasm, auth }: Loading): Promise<T> {
  if (HOLDFAST_ONE_FILE) return chunk.here!;
  const missing = [chunk, auth?.chunk].filter((one) => one && !one.here);
  if (missing.length > 0) {
    checkSignal(chunk.op, signal);
    const file = chunk.inWorker || chunk.here ? undefined : chunk.wasm;
    if (file) wasmAhead.fetch(file, wasm);
    const coming = Promise.all(missing.map((one) => (one!.coming ??= comes<unknown>(one!))));
    if (file) coming.catch(() => wasmAhead.drop(file));
    await unlessAborted(chunk.op, signal, coming);
  }
  return chunk.here!;
}

async function comes<T>(chunk: PageChunk<T>): Promise<T> {
  try {
    return await loadLate(chunk, () => chunk.load());
  } catch (cause) {
    // The HTML standard forbids import() there.
    const isServiceWorker = "ServiceWorkerGlobalScope" in globalThis;
    const hint = isServiceWorker
      ? "A service worker loads no parts: importScripts() holdfast.js, or bundle it into one file."
      : "Load the page again: its server may have another build by now.";
    throw new HoldfastError({
      code: "load_failed",
      op: chunk.op,
      retryable: !isServiceWorker,
      message: "a part of the module could not be loaded",
      hint,
      cause,
    });
  } finally {
    chunk.coming = undefined;
  }
}
