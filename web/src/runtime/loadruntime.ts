import type { Exports } from "../base/border.js";
import { HoldfastError } from "../base/errors.js";
import { shortened } from "../base/shortened.js";
import { runtimes, version, type WasmFile } from "./beside.js";
import { watchPolicy } from "../base/forbidden.js";
import { newGo } from "./goscope.js";
import { ownWasm } from "./ownwasm.js";
import { Runtime } from "./runtime.js";
import type { GoHost } from "./setup.js";
import { wasmAhead } from "./wasmahead.js";
import { beginsAsWasm, isOtherBuild, notFetched, otherBuild, whereWasm, whyNotCompiled } from "./whatcame.js";

/** Digests of the wasm of this build; defined in the worker alone. */
declare const HOLDFAST_WASM: string | undefined;

/** Where the wasm comes from: its URL, or something already fetched or compiled. */
export type WasmSource = string | URL | Response | WebAssembly.Module | BufferSource;

/** A runtime that is there, or on its way. */
interface Loaded {
  readonly file: WasmFile;
  readonly source: WasmSource;
  readonly coming: Promise<Runtime>;
  /** Once it has come. */
  runtime?: Runtime;
}

/**
 * Loads the runtime of that file once per page, from the first client's address. The page forgets a failed
 * load, so that the next call tries again, and a runtime that has exited. The file for agents speaks MCP as
 * well: an app that names one file for both kinds of clients has one runtime.
 */
export function load(file: WasmFile, source: WasmSource = file.beside): Promise<Runtime> {
  watchPolicy(); // by each kind of client, whichever has loaded the runtime: each asks its own (fault 713)
  const there = living().find((one) => one.file.name === file.name);
  if (there) return there.coming;
  const made: Loaded = { file, source, coming: begun(file, source) };
  runtimes.set(file.name, made);
  made.coming.then(
    (runtime) => (made.runtime = runtime),
    () => {
      if (runtimes.get(file.name) === made) runtimes.delete(file.name);
    },
  );
  return made.coming;
}

/** The runtimes that have begun and not exited, of whichever copy of this module. */
function living(): Loaded[] {
  return ([...runtimes.values()] as Loaded[]).filter(({ runtime }) => !runtime?.death);
}

function begun(file: WasmFile, source: WasmSource): Promise<Runtime> {
  const same = living().find((one) => isSame(one.source, source));
  if (!same) return start(file, source);
  return same.coming.then((runtime) => checked(file, runtime, runtime.speaksToAgents));
}

/** True if two sources are one: an app may name one wasm for both kinds of clients. */
function isSame(one: WasmSource, other: WasmSource): boolean {
  return one === other || (isAddress(one) && String(one) === String(other));
}

function isAddress(source: WasmSource): source is string | URL {
  return typeof source === "string" || source instanceof URL;
}

/**
 * The runtime, or its module, made from that file. Throws where the file is for agents, and the runtime does
 * not speak to them.
 */
function checked<T>({ name, agents }: WasmFile, made: T, speaks: boolean): T {
  if (speaks || !agents) return made;
  throw new HoldfastError({
    code: "load_failed",
    op: "load",
    message: `the wasm is for MCP alone: connectAgent needs ${name}`,
    hint: whereWasm(name),
  });
}

/**
 * Starts what is at that address. A browser may have kept the file of an earlier deploy, which no reload of
 * the page changes: what is of another build is fetched once more, past all that was kept (fault 629).
 */
async function start(file: WasmFile, source: WasmSource): Promise<Runtime> {
  if (typeof HOLDFAST_WASM === "string") {
    const own = ownWasm(isAddress(source) ? String(source) : "", HOLDFAST_WASM);
    return startFrom(file, await own.catch((error: unknown) => Promise.reject(loadError(error))));
  }
  try {
    return await startFrom(file, source);
  } catch (error) {
    if (!isOtherBuild(error) || !isAddress(source)) throw error;
    const response = await fetch(source, { cache: "reload" }).catch(() => Promise.reject(error));
    return startFrom(file, response);
  }
}

async function startFrom(file: WasmFile, source: WasmSource): Promise<Runtime> {
  const host: GoHost = {};
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
  const instance = await instantiate(file, source, go.importObject);
  // main runs to its end of set-up before run() returns its promise.
  go.run(instance).then(
    () => exited("main returned"),
    (error: unknown) => {
      failure = error;
      runtime?.exited("main failed", error);
    },
  );
  if (!isReady || !host.connect) {
    await undefined; // run() rejects a microtask later, if that is what went wrong
    throw new HoldfastError({
      code: "load_failed", op: "load", message: "the wasm is not a Holdfast runtime",
      hint: whereWasm(file.name), cause: failure,
    });
  }
  if (host.version !== version) {
    throw otherBuild(
      `the wasm is version ${host.version}, the script is version ${version}: deploy both from one build`,
    );
  }
  checked(file, host, host.connectAgent !== undefined);
  runtime = new Runtime(instance.exports as unknown as Exports, host);
  return runtime;
}

async function instantiate(
  file: WasmFile,
  source: WasmSource,
  imports: WebAssembly.Imports,
): Promise<WebAssembly.Instance> {
  try {
    if (source instanceof WebAssembly.Module) return await WebAssembly.instantiate(source, imports);
    if (!(isAddress(source) || source instanceof Response)) {
      return (await WebAssembly.instantiate(source, imports)).instance;
    }
    const response = source instanceof Response
      ? source
      : await (wasmAhead.take(file, source) ?? fetch(source)).catch(
        (error: unknown) => notFetched(String(source), error)
      );
    if (!response.ok) {
      throw new HoldfastError({
        code: "load_failed",
        op: "load",
        status: response.status,
        retryable: response.status >= 500,
        message: `the server answered ${response.status} for the wasm at ${shortened(response.url)}`,
        hint: whereWasm(file.name),
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
        message: `what came from ${shortened(response.url)} is no wasm${type && `, but ${type}`}`,
        hint: whereWasm(file.name),
      });
    }
    return (await WebAssembly.instantiate(bytes, imports)).instance;
  } catch (error) {
    throw loadError(error);
  }
}

function loadError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  // The questions below would throw once more without WebAssembly.
  if (!("WebAssembly" in globalThis)) {
    return new HoldfastError({
      code: "load_failed",
      op: "load",
      message: "this browser runs no WebAssembly",
      hint: "Has its user turned it off, as Lockdown Mode of iOS and macOS does? They can turn it on again " +
        "for this site.",
      cause: error,
    });
  }
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
  // It asks for what this script has not.
  if (error instanceof WebAssembly.LinkError)
    return otherBuild(`the wasm could not be loaded: ${shortened(text)}`, error);
  return new HoldfastError({
    code: "load_failed",
    op: "load",
    retryable: true,
    message: `the wasm could not be loaded: ${shortened(text)}`,
    hint: whyNotCompiled(),
    cause: error,
  });
}
