import { agentsWasm, mcpWasm, type WasmFile } from "./beside.js";

/** What is one file waits for no chunk. */
declare const HOLDFAST_ONE_FILE: boolean;

/** From where each file is loaded, or fetched ahead: its first address holds for the page. */
const wanted = new Map<WasmFile, string>();
/** What is on its way, by its address, until whoever loads it takes it. */
const responses = new Map<string, Promise<Response>>();

/** Has a wasm fetched while the chunk that runs it is on its way: neither waits for the other. Nothing where the app has given the wasm itself. */
export function fetchAhead(file: WasmFile, source: unknown = file.beside): void {
  if (!(typeof source === "string" || source instanceof URL)) return;
  const href = String(source);
  // What is loaded already, for the other kind of client as well, would be fetched for nobody (loadruntime.ts).
  if (wanted.has(file) || (file === mcpWasm && wanted.has(agentsWasm)) || [...wanted.values()].includes(href)) return;
  const response = fetch(source);
  response.catch(() => {}); // whoever takes it hears of it
  wanted.set(file, href);
  responses.set(href, response);
}

/** Nobody will take it: the chunk has not come. The next try fetches again. */
export function dropAhead(file: WasmFile): void {
  const href = wanted.get(file);
  const response = href === undefined ? undefined : responses.get(href);
  if (!response) return;
  wanted.delete(file);
  responses.delete(href!);
  response.then(({ body }) => body?.cancel()).catch(() => {});
}

/** Whether it was fetched ahead, and nobody has taken it. */
export function isAhead(file: WasmFile): boolean {
  return !HOLDFAST_ONE_FILE && responses.has(wanted.get(file) ?? "");
}

/** The answer for that address, where it was fetched ahead. It is given once. */
export function takeAhead(file: WasmFile, source: string | URL): Promise<Response> | undefined {
  if (HOLDFAST_ONE_FILE) return undefined;
  const href = String(source);
  const response = responses.get(href);
  responses.delete(href);
  if (wanted.get(file) !== href) dropAhead(file);
  wanted.set(file, href);
  return response;
}
