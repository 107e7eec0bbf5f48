// The way to the chunk that signs in.

/** The script-tag build has all in one file, and loads no chunk. */
declare const HOLDFAST_ONE_FILE: boolean;

/**
 * Loads it. The script-tag build is one file, whatever a page needs of it; this is too much for
 * all of its pages, so it is a file beside the script.
 */
export function loadSignIn(): Promise<typeof import("./opensignin.js")> {
  if (HOLDFAST_ONE_FILE) {
    const beside = new URL("./holdfast-oauth.mjs", import.meta.url).href;
    return import(/* webpackIgnore: true */ /* @vite-ignore */ beside) as Promise<typeof import("./opensignin.js")>;
  } else {
    return import("./opensignin.js");
  }
}
