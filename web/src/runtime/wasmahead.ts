import type { WasmFile } from "./beside.js";

/** True in the build that is one file: that build waits for no chunk. */
declare const HOLDFAST_ONE_FILE: boolean;

/** Fetches the wasm while the chunk that runs it is on its way: neither waits for the other. */
export class WasmAhead {
  /** From where each file is loaded, by its name, or fetched ahead: its first address holds for the page. */
  readonly #wanted = new Map<string, string>();
  /** Responses on their way, by address, until a load takes them. */
  readonly #responses = new Map<string, Promise<Response>>();

  /** Has a file fetched. Nothing where the app has given the wasm itself. */
  fetch(file: WasmFile, source: unknown = file.beside): void {
    if (HOLDFAST_ONE_FILE || !(typeof source === "string" || source instanceof URL)) return;
    const href = String(source);
    // A loaded file is not fetched again, for the other kind of client either: no load would take the
    // response (loadruntime.ts).
    if (this.#wanted.has(file.name) || [...this.#wanted.values()].includes(href)) return;
    const response = fetch(source);
    response.catch(() => {}); // whoever takes it hears of it
    this.#wanted.set(file.name, href);
    this.#responses.set(href, response);
  }

  /** Drops the response of a file whose chunk has not come. The next try fetches again. */
  drop(file: WasmFile): void {
    if (HOLDFAST_ONE_FILE || !this.has(file)) return;
    const href = this.#wanted.get(file.name)!;
    this.#responses.get(href)?.then(({ body }) => body?.cancel()).catch(() => {});
    this.#responses.delete(href);
    this.#wanted.delete(file.name);
  }

  /** True if the file was fetched ahead, and no load has taken it. */
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

/** The fetches of this page. */
export const wasmAhead: WasmAhead = new WasmAhead();
