// Checks of the files that a worker imports. Its pages name the files, since a bundler renames them and only
// the page's module knows the names. Any script of the origin can be such a page. So the worker imports the
// package's own code alone: other code could steal its tokens.

import { BUILD } from "./build.js";
import { shortened } from "./shortened.js";

/** One segment of a path. */
const NAME = /^[\w.~-]{1,200}\.m?js$/;

/** A query of the worker's own: that of the build, and that of another try (latemodule.ts). */
function isOwnQuery(query: string): boolean {
  const build = `?${BUILD}`;
  const rest = query.startsWith(build) ? query.slice(build.length).replace(/^=/, "") : query;
  return rest === "" || /^[?&]again=\d+$/.test(rest);
}

/** The name of a file that lies beside a script; empty for one that lies elsewhere, or has no such name. */
export function nameBeside(url: string, script: string): string {
  const [folder] = /^https?:[^?#]*\//.exec(script) ?? []; // a blob: has nothing beside it
  const name = folder && url.startsWith(folder) ? url.slice(folder.length) : "";
  return NAME.test(name) ? name : "";
}

/**
 * Rejects where a worker with that script must not import from there. An import would follow a redirect: a
 * fetch does not, and the import mostly finds what that has brought. The script itself, once more, would take
 * the place of the one that serves the pages.
 */
export async function checkBeside(url: string, script: string): Promise<void> {
  const [, address = "", query = ""] = /^([^?]*)(.*)$/s.exec(url) ?? [];
  const [, own] = /^([^?]*)/.exec(script) ?? [];
  if (!nameBeside(address, script) || !isOwnQuery(query) || address === own) {
    throw new TypeError(
      `a worker imports only what lies beside its own script, and not ${shortened(url.slice(0, 99))}`,
    );
  }
  const response = await fetch(url, { redirect: "error" }).catch((cause: unknown) => {
    throw new TypeError(`nothing came, or a redirect, from ${shortened(url)}`, { cause });
  });
  if (!response.ok) throw new TypeError(`the server answered ${response.status} for ${shortened(url)}`);
  await response.arrayBuffer(); // in part it would not be kept for the import
}
