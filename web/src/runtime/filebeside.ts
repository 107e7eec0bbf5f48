import { nameBeside } from "../base/besidescript.js";
import { importAt } from "../base/importat.js";
import { type LateModule, loadLate } from "../base/latemodule.js";
import { version } from "./beside.js";

/** ms until a file that does not come is given up: a result, or a client, waits for it. */
const PATIENCE = 10_000;

/** True in the build that is one file: that build knows the other files by their addresses. */
declare const HOLDFAST_ONE_FILE: boolean;

/** Digests of the wasm of this build; defined in the worker alone. */
declare const HOLDFAST_WASM: string | undefined;

/** A file of the package beside the module, which has a build of its own and is loaded when it is needed. */
export class FileBeside<T extends { readonly version: string }> {
  readonly #beside: URL;
  readonly #entry: keyof T;
  readonly #ofThePackage: () => Promise<T>;
  /** The module at each address, and who waits for it. */
  readonly #modules = new Map<string, LateModule<T>>();
  readonly #loading = new Map<string, Promise<T>>();

  /**
   * `beside` is where it is, if the app does not say; `entry` a function that it has, and no other file;
   * `ofThePackage` imports it by the literal by which bundlers see that it is a part of the app.
   */
  constructor(beside: URL, entry: keyof T, ofThePackage: () => Promise<T>) {
    this.#beside = beside;
    this.#entry = entry;
    this.#ofThePackage = ofThePackage;
  }

  /**
   * Loads it once per page, from the app's address where it names one. A failed load is forgotten, so that
   * the next one tries again.
   */
  load(named?: URL): Promise<T> {
    const { href } = named ?? this.#beside;
    // Under each query a browser has the module once more, and each name is kept here: pages could fill a
    // worker with them.
    if (typeof HOLDFAST_WASM === "string" && named && !nameBeside(href, import.meta.url))
      return Promise.reject(new TypeError("that is no name of a file beside the worker's script"));
    let coming = this.#loading.get(href);
    if (!coming) {
      const late: LateModule<T> = this.#modules.get(href) ?? {};
      this.#modules.set(href, late);
      coming = inTime(
        loadLate(late, () => (named || HOLDFAST_ONE_FILE ? importAt(href) : this.#ofThePackage())),
        this.#entry,
      ).catch((error: unknown) => {
        this.#loading.delete(href);
        throw error;
      });
      this.#loading.set(href, coming);
    }
    return coming;
  }
}

async function inTime<T extends { readonly version: string }>(
  coming: Promise<T>, entry: keyof T,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it did not come in time")), PATIENCE);
  });
  try {
    const file = await Promise.race([coming, late]);
    if (file.version !== version)
      throw new Error(`it is version ${file.version}, the script is version ${version}`);
    if (typeof file[entry] !== "function") throw new Error("it is another file of the package");
    return file;
  } finally {
    clearTimeout(timer);
  }
}
