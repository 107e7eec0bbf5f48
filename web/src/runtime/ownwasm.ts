// The wasm of a worker. It may lie anywhere, and any script of the origin can say where: a worker runs what is of its own build, by the
// digests that the build wrote into its script.

import { HoldfastError } from "../shared/errors.js";
import { shortened } from "../shared/shortened.js";
import { version } from "./beside.js";
import { beginsAsWasm, notFetched, otherBuild } from "./whatcame.js";

/** How a wasm says its version, in whatever build (wasm/main.go). */
const STAMP = /holdfast-wasm\/([\w.+-]{1,40});/;

/**
 * The answer from that address, empty where the app has given something else: a wasm with one of those digests, as the option `integrity`
 * of a fetch has them, or what is none at all. Rejects with `load_failed`.
 */
export async function ownWasm(url: string, digests: string): Promise<Response> {
  if (!/^https?:/.test(url)) {
    throw new HoldfastError({ code: "load_failed", op: "load", message: `a worker fetches its wasm over http, and takes none from ${shortened(url.slice(0, 99)) || "a page"}` });
  }
  return fetch(url, { integrity: digests }).catch(async () => {
    // It is of another build, or nothing is there: the browser does not say. It may have kept the file of an earlier deploy (fault 629).
    const response = await fetch(url, { cache: "reload" }).catch((cause: unknown) => notFetched(url, cause));
    const bytes = await response.clone().arrayBuffer();
    if (!response.ok || !beginsAsWasm(bytes) || digests.includes(await digestOf(bytes))) return response;
    const [, its = "unknown"] = STAMP.exec(new TextDecoder("latin1").decode(bytes)) ?? [];
    throw otherBuild(`the wasm is version ${its === version ? `${its}, of another build` : its}, the script is version ${version}: deploy both from one build`);
  });
}

async function digestOf(bytes: ArrayBuffer): Promise<string> {
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))))}`;
}
