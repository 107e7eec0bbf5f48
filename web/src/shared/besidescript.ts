// What a worker imports. Its pages name files to it, since a bundler renames them and only the page's module knows the names; and any
// script of the origin can be such a page. What it names must be no code but the package's: that could take the worker's tokens.

import { BUILD } from "./build.js";

/** One segment of a path, and no query but the build's own and that of another try (latemodule.ts). */
const NAME = new RegExp(String.raw`^[\w.~-]+\.m?js(\?${BUILD}=?)?([?&]again=\d+)?$`);

/** The name of a file that lies beside a script; empty for one that lies elsewhere, or has no such name. */
export function nameBeside(url: string, script: string): string {
  const [folder] = /^https?:[^?#]*\//.exec(script) ?? []; // a blob: has nothing beside it
  const name = folder && url.startsWith(folder) ? url.slice(folder.length) : "";
  return NAME.test(name) ? name : "";
}

/** Rejects where a worker with that script must not import from there. An import would follow a redirect: a fetch does not, and the import finds what it has brought. */
export async function checkBeside(url: string, script: string): Promise<void> {
  if (!nameBeside(url, script)) throw new TypeError(`a worker imports only what lies beside its own script, and not ${url.slice(0, 99)}`);
  const response = await fetch(url, { redirect: "error" }).catch((cause: unknown) => {
    throw new TypeError(`nothing came, or a redirect, from ${url}`, { cause });
  });
  if (!response.ok) throw new TypeError(`the server answered ${response.status} for ${url}`);
  await response.arrayBuffer(); // in part it would not be kept for the import
}
