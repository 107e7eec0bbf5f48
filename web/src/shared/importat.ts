/**
 * What the build of the module puts before the address, and then has a comment of the same length for: minifying
 * takes comments out of an expression (Makefile, UNBUNDLED).
 */
declare const HOLDFAST_UNBUNDLED: string | undefined;

/** Imports what has an address only when the app runs. The comments have bundlers leave the import as it is: webpack would make one of it that finds nothing. */
export function importAt<T>(url: string): Promise<T> {
  return typeof HOLDFAST_UNBUNDLED === "string" ? import(HOLDFAST_UNBUNDLED + url) : import(/* webpackIgnore: true */ /* @vite-ignore */ url);
}
