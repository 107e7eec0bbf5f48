import { checkBeside } from "./besidescript.js";

/**
 * Text that the build of the module puts before the address. The build replaces the text by a comment of the
 * same length later: minifying takes comments out of an expression (Makefile, UNBUNDLED).
 */
declare const HOLDFAST_UNBUNDLED: string | undefined;

/** The digests of the wasm of the build; defined in the worker alone. */
declare const HOLDFAST_WASM: string | undefined;

/**
 * Imports what has an address only when the app runs; a worker what lies beside its script, and nothing else.
 * The comments have bundlers leave the import as it is: webpack would make one of it that finds nothing.
 */
export async function importAt<T>(url: string): Promise<T> {
  if (typeof HOLDFAST_WASM === "string") await checkBeside(url, import.meta.url);
  return typeof HOLDFAST_UNBUNDLED === "string"
    ? import(HOLDFAST_UNBUNDLED + url)
    : import(/* webpackIgnore: true */ /* @vite-ignore */ url);
}
