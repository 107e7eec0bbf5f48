// By which protocol an origin answers: HTTP/1.1, of which a browser opens six connections, or
// HTTP/2 and its successors, which carry many requests on one. Resource Timing tells a page, or a
// worker, of its own origin, and of another one that sends Timing-Allow-Origin. Of others nobody
// tells anything: what is behind https is taken for HTTP/2, as nearly all of it is.

/**
 * The facts that the page knows of an origin behind https. `old` is true for HTTP/1.1, and undefined while
 * the page knows nothing.
 */
interface Known {
  /** undefined: nothing yet. */
  old: boolean | undefined;
  readonly watchers: Set<() => void>;
}

const origins = new Map<string, Known>();
let observer: PerformanceObserver | undefined;

/** True if the server at this URL is known to speak HTTP/1.1: the browser opens few connections to it. */
export function isOld(url: string): boolean {
  const { origin, protocol } = new URL(url);
  if (protocol === "http:") return true; // browsers speak HTTP/2 over TLS only
  const known = knownOf(origin);
  // A page's own address is no resource.
  if (known.watchers.size === 0) learn([...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]);
  return known.old === true;
}

/** An earlier page has learned that the server spoke HTTP/1.1: that counts until this one learns something. */
export function presumeOld(url: string): void {
  const known = knownOf(new URL(url).origin);
  if (known.old === undefined) change(known, true);
}

/** Tells when {@link isOld} has another answer. Returns the function that ends it. */
export function watchProtocol(url: string, changed: () => void): () => void {
  if (new URL(url).protocol === "http:") return () => {};
  const { watchers } = knownOf(new URL(url).origin);
  watchers.add(changed);
  if (!observer && globalThis.PerformanceObserver) {
    observer = new PerformanceObserver((list) => learn(list.getEntries()));
    observer.observe({ type: "resource" });
  }
  return () => {
    watchers.delete(changed);
    if ([...origins.values()].some(({ watchers }) => watchers.size > 0)) return;
    observer?.disconnect();
    observer = undefined;
  };
}

function knownOf(origin: string): Known {
  let known = origins.get(origin);
  if (!known) origins.set(origin, (known = { old: undefined, watchers: new Set() }));
  return known;
}

/** The last answer counts. One out of a cache is not of today; of an origin that tells nothing the protocol is empty. */
function learn(entries: readonly PerformanceEntry[]): void {
  const last = new Map<Known, boolean>();
  for (const { name, nextHopProtocol: protocol, transferSize } of entries as PerformanceResourceTiming[]) {
    if (!protocol || transferSize === 0) continue;
    for (const [origin, known] of origins) {
      if (name.startsWith(`${origin}/`)) last.set(known, protocol.startsWith("http/"));
    }
  }
  for (const [known, old] of last) change(known, old);
}

function change(known: Known, old: boolean): void {
  const was = known.old === true;
  known.old = old;
  if (was !== old) for (const changed of [...known.watchers]) changed();
}
