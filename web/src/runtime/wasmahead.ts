import { wasmBeside } from "./beside.js";

/** What is one file waits for no chunk. */
declare const HOLDFAST_ONE_FILE: boolean;

/** What is on its way, by its address. */
let ahead: { href: string; response: Promise<Response> } | undefined;
/** The runtime has begun to load: it fetches what it needs by itself. */
let begun = false;

/** Has the wasm fetched while the chunk that runs it is on its way: neither waits for the other. Nothing where the app has given the wasm itself. */
export function fetchAhead(source: unknown = wasmBeside): void {
  if (ahead || begun || !(typeof source === "string" || source instanceof URL)) return;
  const response = fetch(source);
  response.catch(() => {}); // whoever takes it hears of it
  ahead = { href: String(source), response };
}

/** Nobody will take it: the chunk has not come. The next try fetches again. */
export function dropAhead(): void {
  ahead?.response.then(({ body }) => body?.cancel()).catch(() => {});
  ahead = undefined;
}

/** The answer for that address, where it was fetched ahead. It is given once. */
export function takeAhead(source: string | URL): Promise<Response> | undefined {
  if (HOLDFAST_ONE_FILE) return undefined;
  const { href, response } = ahead ?? {};
  ahead = undefined;
  begun = true;
  return href === String(source) ? response : undefined;
}
