import type { HoldfastError } from "./errors.js";

/**
 * Where the runtime runs: in the page itself; in a worker of the page's own, which ends with
 * it; or in a worker that all pages of the origin share, which outlives a reload.
 */
export type Host = "page" | "worker" | "shared";

/**
 * Why a worker cannot be had.
 *
 * | reason | meaning |
 * | --- | --- |
 * | `unsupported` | the browser has none of that kind |
 * | `mixed_content` | the page is https and the server is not: the browser decides in the page what leaves |
 * | `opaque_origin` | the page is a sandboxed frame, or a file: it has no origin that a worker could share |
 * | `no_locks` | the page has no Web Locks: it is not served over https, or its storage is blocked |
 * | `page_code` | an option is a function that has to run in the page, or `auth` has one |
 * | `page_wasm` | the wasm was given as something that cannot go to a worker |
 * | `other_folder` | `validator` or `recorder` lies elsewhere than beside the worker's script |
 * | `bad_url` | the option `worker` is not a URL |
 * | `other_origin` | the worker's script is of another origin than the page, such as a CDN's |
 * | `refused` | the browser refuses the worker: storage that is blocked, as in some frames and private
 * windows; a policy |
 * | `not_started` | the script is not there, or throws, the page's policy (`worker-src`) forbids it, or the
 * browser denies storage to the page |
 * | `no_answer` | nothing answers: the script is something else, or not there |
 * | `other_build` | the script is of another build than the page's module |
 * | `no_keys` | the worker can store no CryptoKey: it would keep less than the page. Only `host: "auto"`
 * minds |
 * | `load_failed` | the worker cannot load the wasm: its own policy may forbid that |
 */
export type HostReason =
  | "unsupported"
  | "mixed_content"
  | "opaque_origin"
  | "no_locks"
  | "page_code"
  | "page_wasm"
  | "other_folder"
  | "bad_url"
  | "other_origin"
  | "refused"
  | "not_started"
  | "no_answer"
  | "other_build"
  | "no_keys"
  | "load_failed";

/**
 * A client could not have the shared worker, and is in another host. Or its worker has ended and
 * cannot be replaced in this page: then the client has failed, and `host` is where it was.
 */
export interface HostEvent {
  host: Host;
  /** Why, for programs. */
  why: HostReason;
  /**
   * The error that `host: "shared"` would have rejected with, or that the client has failed with; its `hint`
   * names the remedy. With `no_keys` that pin is served all the same, and keeps less.
   */
  error: HoldfastError;
}
