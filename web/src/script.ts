/**
 * The address of the script of the script-tag build, which has no import.meta:
 * esbuild puts this in the place of import.meta.url (--define and --inject). At the
 * top level, since document.currentScript is null later. A worker has no document and
 * is not told where an imported script came from: there it is the worker's own address.
 */
export const scriptURL: string =
  (globalThis.document?.currentScript as HTMLScriptElement | null | undefined)?.src ||
  globalThis.location?.href;
