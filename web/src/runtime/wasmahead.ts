import type { WasmFile } from "./beside.js";

/** What is one file waits for no chunk. */
declare const HOLDFAST_ONE_FILE: boolean;

/** What of the wasm is fetched while the chunk that runs it is on its way: neither waits for the other. */
export class WasmAhead {
  /** From where each file is loaded, by its name, or fetched ahead: its first address holds for the page. */
  readonly #wanted = new Map<string, string>();
  /** What is on its way, by its address, until whoever loads it takes it. */
  readonly #responses = new Map<string, Promise<Response>>();

  /** Has a file fetched. Nothing where the app has given the wasm itself. */
  fetch(file: WasmFile, source: unknown = file.beside): void {
    if (HOLDFAST_ONE_FILE || !(typeof source === "string" || source instanceof URL)) return;
    const href = String(source);
    // What is loaded already, for the other kind of client as well, would be fetched for nobody
    // (loadruntime.ts).
    if (this.#wanted.has(file.name) || [...this.#wanted.values()].includes(href)) return;
    const response = fetch(source);
    response.catch(() => {}); // whoever takes it hears of it
    this.#wanted.set(file.name, href);
    this.#responses.set(href, response);
  }

  /** Nobody will take it: the chunk has not come. The next try fetches again. */
  drop(file: WasmFile): void {
    if (HOLDFAST_ONE_FILE || !this.has(file)) return;
    const href = this.#wanted.get(file.name)!;
    this.#responses.get(href)?.then(({ body }) => body?.cancel()).catch(() => {});
    this.#responses.delete(href);
    this.#wanted.delete(file.name);
  }

  /** Whether it was fetched ahead, and nobody has taken it. */
  has(file: WasmFile): boolean {
    return !HOLDFAST_ONE_FILE && this.#responses.has(this.#wanted.get(file.name) ?? "");
  }

  /** The answer for that address, where it was fetched ahead. It is given once. */
  take(file: WasmFile, source: string | URL): Promise<Response> | undefined {
    if (HOLDFAST_ONE_FILE) return undefined;
    const href = String(source);
    if (this.#wanted.get(file.name) !== href) this.drop(file);
    const response = this.#responses.get(href);
    this.#responses.delete(href);
    this.#wanted.set(file.name, href);
    return response;
  }
}

/** Of this page. */
export const wasmAhead: WasmAhead = new WasmAhead();
