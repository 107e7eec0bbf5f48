import type { Exports } from "../shared/border.js";
import { HoldfastError } from "../shared/errors.js";
import { version, wasmBeside } from "./beside.js";
import { newGo } from "./goscope.js";
import { Runtime } from "./runtime.js";
import type { Host } from "./setup.js";
import { takeAhead } from "./wasmahead.js";
import { beginsAsWasm, whereServed, whyNothingCame } from "./whereserved.js";

/** Where the wasm comes from: its URL, or something already fetched or compiled. */
export type WasmSource = string | URL | Response | WebAssembly.Module | BufferSource;

let loading: Promise<Runtime> | undefined;

/**
 * Loads the runtime once per page. A failed load is forgotten, so that the next
 * call tries again; so is a runtime that has exited.
 */
export function load(source: WasmSource = wasmBeside): Promise<Runtime> {
  loading ??= start(source).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function start(source: WasmSource): Promise<Runtime> {
  const host: Host = {};
  const go = newGo(host);
  let runtime: Runtime | undefined;
  let isReady = false;
  let failure: unknown;
  go.importObject["holdfast"] = {
    ready: () => {
      isReady = true;
    },
    now: () => performance.now(),
    flush: (count: number) => runtime?.flush(count),
  };
  const exited = (why: string): void => {
    // Listeners and timers of the dead program may still fire.
    go._resume = () => {};
    runtime?.exited(why);
  };
  go.exit = (code: number) => exited(`exit code ${code}`);
  const instance = await instantiate(source, go.importObject);
  // main runs to its end of set-up before run() returns its promise.
  go.run(instance).then(
    () => exited("main returned"),
    (error: unknown) => {
      failure = error;
      runtime?.exited("main failed", error);
    },
  );
  if (!isReady || !host.connect || !host.connectAgent) {
    await undefined; // run() rejects a microtask later, if that is what went wrong
    throw new HoldfastError({ code: "load_failed", op: "load", message: "the wasm is not a Holdfast runtime", hint: whereServed("holdfast.wasm", "wasm"), cause: failure });
  }
  if (host.version !== version) {
    throw new HoldfastError({
      code: "load_failed",
      op: "load",
      message: `the wasm is version ${host.version}, the script is version ${version}: deploy both from one build`,
    });
  }
  runtime = new Runtime(instance.exports as unknown as Exports, host, () => {
    loading = undefined;
  });
  return runtime;
}

async function instantiate(
  source: WasmSource,
  imports: WebAssembly.Imports,
): Promise<WebAssembly.Instance> {
  try {
    if (source instanceof WebAssembly.Module) return await WebAssembly.instantiate(source, imports);
    if (!(typeof source === "string" || source instanceof URL || source instanceof Response)) {
      return (await WebAssembly.instantiate(source, imports)).instance;
    }
    const response = source instanceof Response ? source : await (takeAhead(source) ?? fetch(source)).catch((error: unknown) => notFetched(String(source), error));
    if (!response.ok) {
      throw new HoldfastError({
        code: "load_failed",
        op: "load",
        status: response.status,
        retryable: response.status >= 500,
        message: `the server answered ${response.status} for the wasm at ${response.url}`,
        hint: whereServed("holdfast.wasm", "wasm"),
      });
    }
    // Streaming needs the exact type; servers that do not know .wasm send
    // application/octet-stream, and the bytes are as good.
    const type = response.headers.get("content-type") ?? "";
    if (/^application\/wasm\s*(;|$)/i.test(type)) {
      return (await WebAssembly.instantiateStreaming(response, imports)).instance;
    }
    const bytes = await response.arrayBuffer();
    if (!beginsAsWasm(bytes)) {
      throw new HoldfastError({
        code: "load_failed",
        op: "load",
        retryable: true,
        // Many servers give their page for an address that they do not know.
        message: `what came from ${response.url} is no wasm${type && `, but ${type}`}`,
        hint: whereServed("holdfast.wasm", "wasm"),
      });
    }
    return (await WebAssembly.instantiate(bytes, imports)).instance;
  } catch (error) {
    throw loadError(error);
  }
}

function notFetched(url: string, cause: unknown): never {
  const why = cause instanceof Error ? cause.message : String(cause);
  throw new HoldfastError({ code: "load_failed", op: "load", retryable: true, message: `the wasm could not be loaded: ${why}`, hint: whyNothingCame(url), cause });
}

function loadError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const text = error instanceof Error ? error.message : String(error);
  // Chrome names unsafe-eval, which nobody should allow; the narrower word is enough.
  if (/unsafe-eval|Content Security Policy/i.test(text)) {
    return new HoldfastError({
      code: "load_failed",
      op: "load",
      message: "the page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to script-src",
      cause: error,
    });
  }
  return new HoldfastError({
    code: "load_failed",
    op: "load",
    retryable: true,
    message: `the wasm could not be loaded: ${text}`,
    cause: error,
  });
}
