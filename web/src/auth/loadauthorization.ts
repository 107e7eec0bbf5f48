import type { PageChunk } from "../connect/loadchunk.js";

declare const HOLDFAST_ONE_FILE: boolean;

/**
 * The chunk that clients with `auth` need in the page. It is loaded before the first of them is made, or for
 * a logout.
 */
export const clientPart: PageChunk<
  Pick<typeof import("./authorization.js"), "Authorization" | "handOver" | "signOutEverywhere">
> = {
  op: "oauth",
  load: () => (
    HOLDFAST_ONE_FILE ? Promise.reject(new TypeError("it is not in the file")) : import("./authorization.js")
  ),
};
