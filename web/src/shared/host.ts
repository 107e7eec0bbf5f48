/**
 * Where the runtime runs: in the page itself; in a worker of the page's own, which ends with
 * it; or in a worker that all pages of the origin share, which outlives a reload.
 */
export type Host = "page" | "worker" | "shared";
