/**
 * An address that may be relative, as a page's own requests take it: to the page's base, which a `<base>` sets, and which a
 * frame without an address (`srcdoc`) has of the page around it. In a worker it is the worker's own.
 */
export function inPage(url: string | URL): string {
  return new URL(url, globalThis.document?.baseURI ?? globalThis.location?.href).href;
}
