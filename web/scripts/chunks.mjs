// Which files a built module loads.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const AT_ONCE = /\b(?:from|import)"\.\/([^"]+\.mjs)"/g;
const LATER = /\bimport\("\.\/([^"]+\.mjs)"\)/g;

/** The module and all that it imports at once, and that those import. */
export function loaded(module, found = new Set()) {
  if (found.has(module)) return found;
  found.add(module);
  for (const name of named(module, AT_ONCE)) loaded(name, found);
  return found;
}

/** The same, and what each of them loads when it is needed. */
export function reachable(module, found = new Set()) {
  for (const path of loaded(module)) {
    if (found.has(path)) continue;
    found.add(path);
    for (const name of named(path, LATER)) reachable(name, found);
  }
  return found;
}

/** The chunk of that name which a module loads when it is needed. */
export function chunk(module, name) {
  const found = [...reachable(module)].filter((path) => new RegExp(`-${name}-[A-Z0-9]{8}(-[A-Z0-9]{8})?\\.mjs$`).test(path));
  if (found.length !== 1) throw new Error(`${module} has ${found.length} chunks of that name: ${name}`);
  return found[0];
}

function named(module, pattern) {
  return [...readFileSync(module, "utf8").matchAll(pattern)].map(([, name]) => join(dirname(module), name));
}
