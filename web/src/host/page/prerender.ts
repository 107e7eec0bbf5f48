// A page that the browser renders ahead (prerenders), since the person may go to it. Chrome starts no worker
// and gives no Web Lock for one, until the person has: that may take minutes.

/** Does `next` at once or, in a page that is rendered ahead, once it is activated. */
export function onceActivated(next: () => void): void {
  const page = globalThis.document as (Document & { readonly prerendering?: boolean }) | undefined;
  if (page?.prerendering) page.addEventListener("prerenderingchange", next, { once: true });
  else next();
}
