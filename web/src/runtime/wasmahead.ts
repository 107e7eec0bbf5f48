import { wasmBeside } from "./beside.js";

/** What is one file waits for no chunk. */
declare const HOLDFAST_ONE_FILE: boolean;

/** What is on its way, by its address. */
let ahead: { href: string; response: Promise<Response> } | undefined;

/** Has the wasm fetched while the chunk that runs it is on its way: neither waits for the other. Nothing where the app has given the wasm itself. */
export function fetchAhead(source: unknown = wasmBeside): void {
  if (ahead || !(typeof source === "string" || source instanceof URL)) return;
  const response = fetch(source);
  response.catch(() => {}); // whoever takes it hears of it
  ahead = { href: String(source), response };
}

/** The answer for that address, where it was fetched ahead. It is given once. */
export function takeAhead(source: string | URL): Promise<Response> | undefined {
  if (HOLDFAST_ONE_FILE) return undefined;
  const { href, response } = ahead ?? {};
  ahead = undefined;
  return href === String(source) ? response : undefined;
}
