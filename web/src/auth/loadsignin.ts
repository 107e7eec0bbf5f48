// The way to the chunk that signs in.

import { importAt } from "../shared/importat.js";
import { type LateModule, loadLate } from "../shared/latemodule.js";

/** The script-tag build has all in one file, and loads no chunk. */
declare const HOLDFAST_ONE_FILE: boolean;

type SignInChunk = typeof import("./opensignin.js");

const chunk: LateModule<SignInChunk> = {};

/**
 * Loads it. The script-tag build is one file, whatever a page needs of it; this is too much for
 * all of its pages, so it is a file beside the script.
 */
export function loadSignIn(): Promise<SignInChunk> {
  return loadLate(chunk, () => {
    if (HOLDFAST_ONE_FILE) {
      const beside = new URL("./holdfast-oauth.mjs", import.meta.url).href;
      return importAt(beside);
    } else {
      return import("./opensignin.js");
    }
  });
}
