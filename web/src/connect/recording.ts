// Recordings of a client's network traffic (the option `record`). The recorder is a file of its own. The host
// that runs the runtime loads that file, where a view asks for a recording.

import { recorderBeside } from "../runtime/beside.js";
import { FileBeside } from "../runtime/filebeside.js";
import type { FetchLike } from "../runtime/sender.js";
import { browserFetch } from "../runtime/streamed.js";
import { whereServed } from "../runtime/whereserved.js";
import { HoldfastError } from "../base/errors.js";
import type { RecordOptions, UserOptions } from "./useroptions.js";
import { inPage } from "../base/inpage.js";

/** The exports of holdfast-record.mjs (recorder/hostrecorder.ts). */
export interface RecorderFile {
  readonly version: string;
  /** Begins to record for that server and user, by its key; `inner` sends the requests. */
  record(server: string, inner: FetchLike, most: number | undefined, seals: boolean): Recorded;
}

/** A recording that is under way. */
export interface Recorded {
  readonly fetch: FetchLike;
  /** Resolves once it can be forgotten from here on. */
  readonly begun: Promise<void>;
  /** Resolves when all that has crossed so far is stored. */
  written(): Promise<void>;
}

/** The store that a client works with, as far as a recording uses it. */
export interface RecordedStore {
  /** The key of the server and user. */
  readonly server: string;
  readonly durability: string;
  readonly forgotten: boolean;
  /** True if the store seals everything. */
  readonly sealsAll: boolean;
}

const file = new FileBeside<RecorderFile>(recorderBeside, "record", () =>
  import("./holdfast-record.mjs").catch((error: unknown) => {
    throw error; // without a catch esbuild wants the file to be there
  }),
);

/** The recording of one client, for all who use it: on from when the first of them asks for it. */
export class ClientRecording {
  /** The app's own fetch; undefined for the browser's. */
  readonly #inner: FetchLike | undefined;
  #most: number | undefined;
  #loading: Promise<void> | undefined;
  #file: RecorderFile | undefined;
  #failure: HoldfastError | undefined;
  /**
   * The recording of each store that the client has worked with: nothing of one user gets into the recording
   * of another.
   */
  readonly #rings = new WeakMap<RecordedStore, Recorded>();

  constructor(inner: FetchLike | undefined) {
    this.#inner = inner;
  }

  /** Takes the options of a view: the first view that asks for a recording starts it. */
  ask({ record = false, recorder }: Pick<UserOptions, "record" | "recorder">): void {
    if (record === false || this.#loading) return;
    this.#most = (record as RecordOptions).most;
    this.#loading = this.#load(recorder);
  }

  async #load(recorder: string | URL | undefined): Promise<void> {
    try {
      this.#file = await file.load(recorder === undefined ? undefined : new URL(inPage(recorder)));
    } catch (cause) {
      // A client without a recording is better than none: whoever wants to read it hears of that.
      const hint = whereServed("holdfast-record.mjs", "recorder");
      this.#failure = new HoldfastError({
        code: "load_failed", op: "record", retryable: true,
        message: "holdfast-record.mjs could not be loaded: nothing is recorded", hint, cause,
      });
    }
  }

  /** Resolves when what that client does from here on is recorded, where it is to be. Never rejects. */
  async begins(store: RecordedStore | undefined): Promise<void> {
    await this.#loading;
    await this.#of(store)?.begun;
  }

  /**
   * The fetch that sends and records the requests of that store's user; undefined where nothing is recorded.
   */
  fetchFor(store: RecordedStore | undefined): FetchLike | undefined {
    return this.#of(store)?.fetch;
  }

  // Where nothing is kept of a user, or nothing any more, nothing is recorded either.
  #of(store: RecordedStore | undefined): Recorded | undefined {
    if (!this.#file || !store || store.forgotten || store.durability !== "indexeddb") return undefined;
    let recorded = this.#rings.get(store);
    if (!recorded)
      this.#rings.set(
        store,
        (recorded = this.#file.record(store.server, this.#inner ?? browserFetch, this.#most, store.sealsAll)),
      );
    return recorded;
  }

  /**
   * The key under which the recording is stored, all traffic so far included; null where nothing is kept.
   * Rejects with `load_failed`.
   */
  async stored(store: RecordedStore | undefined): Promise<string | null> {
    await this.#loading;
    if (this.#failure) throw this.#failure;
    if (!store) return null;
    await this.#rings.get(store)?.written();
    return store.server;
  }
}
