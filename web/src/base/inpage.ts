/** The digests of the wasm of the build; defined in the worker alone. */
declare const HOLDFAST_WASM: string | undefined;

/**
 * An address that may be relative, as a page's own requests take it: to the page's base, which a `<base>`
 * sets, and which a frame without an address (`srcdoc`) has of the page around it. In a worker it is relative
 * to the worker's script: the module that runs, and not the file of one line that imports it.
 */
export function inPage(url: string | URL): string {
  return new URL(
    url,
    typeof HOLDFAST_WASM === "string"
      ? import.meta.url
      : (globalThis.document?.baseURI ?? globalThis.location?.href),
  ).href;
}
