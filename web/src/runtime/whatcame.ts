// Errors of a wasm that does not load. They are loaded with the page's own host, and not before it.

import { HoldfastError } from "../base/errors.js";
import { shortened } from "../base/shortened.js";
import { whereServed } from "./whereserved.js";

/** The worker and the script-tag build are one file: neither is loaded but by a browser. */
declare const HOLDFAST_ONE_FILE: boolean;

/** The hint for a missing wasm at an address, by bundler. */
export function whereWasm(file: string): string {
  return `${whereServed(file, "wasm")} Vite 5 to 7: optimizeDeps: { exclude: ["holdfast"] }. Rollup: ` +
    `@web/rollup-plugin-import-meta-assets. esbuild: the entry point holdfast/${file} with ` +
    "--loader:.wasm=copy.";
}

/** The hint for a wasm that came in part, or not at all. */
const NOT_WHOLE = "Did all of it come, and with Content-Encoding where it is compressed?";

/**
 * A wasm whose one function makes a vector, as ours has some: of text sixteen bytes are looked at at once.
 */
const VECTOR = [
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7b, 3, 2, 1, 0, 10, 8, 1, 6, 0, 0x41, 0, 0xfd, 15,
  11,
];

/** The hint for bytes that could not be compiled. */
export function whyNotCompiled(): string {
  return WebAssembly.validate(new Uint8Array(VECTOR))
    ? NOT_WHOLE
    : "This browser, or its processor, has no WebAssembly SIMD. Chrome 91, Firefox 89 and Safari 16.4 have " +
      "it, and what is newer.";
}

/** The hint for a wasm and a script of two builds. */
const OTHER_BUILD =
  "Wasm and script are of two builds: deploy both together, and see that no cache keeps one of them.";

/** The error of a wasm that is not of the script's build. */
export function otherBuild(message: string, cause?: unknown): HoldfastError {
  return new HoldfastError({ code: "load_failed", op: "load", message, hint: OTHER_BUILD, cause });
}

/** True if an error is one of {@link otherBuild}. */
export function isOtherBuild(error: unknown): boolean {
  return (error as Partial<HoldfastError>).hint === OTHER_BUILD;
}

/** Throws what is said where nothing could be fetched. */
export function notFetched(url: string, cause: unknown): never {
  const why = cause instanceof Error ? cause.message : String(cause);
  throw new HoldfastError({
    code: "load_failed", op: "load", retryable: true,
    message: `the wasm could not be loaded: ${shortened(why)}`, hint: whyNothingCame(url), cause,
  });
}

/** The hint for a fetch that failed. */
export function whyNothingCame(url: string): string {
  if (HOLDFAST_ONE_FILE && /^file:/.test(url)) return "A page of file: can fetch nothing. Open it over http.";
  const { type, versions } = (globalThis as {
    process?: { type?: unknown; versions?: { node?: unknown; nw?: unknown } }
  }).process ??
    {};
  // jsdom and happy-dom are in Node, and so are Electron's pages, whose process has a type, and NW.js's.
  // Next's edge runtime has blob:server.
  if (!HOLDFAST_ONE_FILE && ((versions?.node && !versions.nw && !type) || /^blob:server/.test(url))) {
    return "This is no browser. Test in Vitest's browser mode (docs/guide/testing.md).";
  }
  return `Nothing came from ${shortened(url)}: no network, no connect-src for it (CSP), or no CORS.`;
}

/** True if the bytes begin with the magic number of wasm. */
export function beginsAsWasm(bytes: ArrayBuffer): boolean {
  return bytes.byteLength > 4 && new DataView(bytes).getUint32(0) === 0x0061736d;
}
