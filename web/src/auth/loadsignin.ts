// The way to the chunk that signs in.

import { HoldfastError } from "../base/errors.js";
import { importAt } from "../base/importat.js";
import { inPage } from "../base/inpage.js";
import { shortened } from "../base/shortened.js";
import { type LateModule, loadLate } from "../base/latemodule.js";

/** The script-tag build has all in one file, and loads no chunk. */
declare const HOLDFAST_ONE_FILE: boolean;

type SignInChunk = typeof import("./opensignin.js");

const chunk: LateModule<SignInChunk> = {};

/** The file beside the script-tag build. */
const FILE = "holdfast-oauth.mjs";

/**
 * Loads the chunk. The script-tag build is one file, and so is the worker. The sign-in is too much for all of
 * their pages, so it is a file beside the script. `file` is its name, as the page says: bundlers rename it.
 * Rejects with `load_failed`; the next call loads it again.
 */
export async function loadSignIn(file?: string): Promise<SignInChunk> {
  try {
    return await loadLate(chunk, () => {
      if (HOLDFAST_ONE_FILE) {
        return importAt<SignInChunk>(
          inPage(file ?? new URL("./holdfast-oauth.mjs", import.meta.url)),
        ).then(checked);
      } else {
        return import("./opensignin.js");
      }
    });
  } catch (error) {
    throw signInNotLoaded(error, HOLDFAST_ONE_FILE);
  }
}

/** The chunk, checked. A worker shares it with all of its pages, and a page may have named another file. */
function checked(loaded: SignInChunk): SignInChunk {
  if (typeof loaded.openSignInOfPages !== "function") throw new TypeError("that file is another one");
  return loaded;
}

/** The error of a chunk that does not load; `beside`: the chunk is a file beside the script. */
export function signInNotLoaded(cause: unknown, beside: boolean): HoldfastError {
  // Most browsers end with the address; Safari says none.
  const [file = beside ? FILE : "a file of the package"] = /\S+:\/\/\S+$|data:\S+$/.exec(String(cause)) ?? [];
  const missing = beside
    ? `Serve the package's ${FILE} beside the script.`
    : 'Load the page again: its server may have another build by now. Vite 5 to 7: optimizeDeps: { ' +
      'exclude: ["holdfast"] }. esbuild: --splitting, and serve all files that it writes.';
  return new HoldfastError({
    code: "load_failed",
    op: "auth/load",
    retryable: true,
    message: `what signs in could not be loaded: ${shortened(file)}`,
    hint: `${missing} Else there is no network, or script-src in the Content-Security-Policy forbids it. ` +
      "See docs/bundlers.md.",
    cause,
  });
}
