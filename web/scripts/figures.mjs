// Writes the sizes that the pages quote, as `make size` prints them, between marks such as
//   <!--size:wasm-->0.58 MB<!--/-->
// With --check it writes nothing, and fails where a page quotes another size than that of what is built. `make size` does
// that as well. With --quick too it leaves out what takes half a minute, which is a wasm that `make size` has not seen.
import { readFileSync, writeFileSync } from "node:fs";
import { files } from "./size.mjs";
import { brotli, contents, isQuick, keep, sum } from "./weigh.mjs";

/** Which pages quote which: a page that has lost a mark would go stale unnoticed. */
const QUOTED = {
  "README.md": ["app", "app-side", "wasm"],
  "docs/api.md": ["app", "wasm", "agents"],
  "docs/hosts.md": ["module", "side", "page-host"],
  "docs/project.md": ["wasm", "agents"],
};

const checks = process.argv.includes("--check");
const isHurried = process.argv.includes("--quick");

/** The bytes of a line of make size; undefined where nobody waits for them. */
function weight(name) {
  const file = files.find((file) => file.name === name);
  if (!file) throw new Error(`make size has no line ${name}`);
  const all = contents(file);
  return isHurried && !all.every(isQuick) ? undefined : sum(all, brotli);
}

/** The bytes of each of them, compressed. */
const SIZES = {
  wasm: () => weight("holdfast.wasm"),
  agents: () => weight("holdfast-agents.wasm"),
  app: () => weight("connect(), before the host"),
  "app-side": () => weight("connect(), chunk of the page's side"),
  module: () => weight("the module, before the host"),
  side: () => weight("the module, shared host") - weight("the module, before the host"),
  "page-host": () => weight("the module, page host") - weight("the module, before the host"),
};

/** As people say it: so coarse that a comma in the sources does not change every page. */
const said = (bytes, unknown) => (bytes === undefined ? unknown : bytes < 100_000 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(2)} MB`);

const MARK = /<!--size:([a-z-]+)-->(.*?)<!--\/-->/g;
const wrong = [];
for (const [page, names] of Object.entries(QUOTED)) {
  const text = readFileSync(page, "utf8");
  const found = new Set();
  const written = text.replaceAll(MARK, (mark, name, old) => {
    found.add(name);
    const now = SIZES[name] ? said(SIZES[name](), old) : old;
    if (checks && now !== old) wrong.push(`${page} says that ${name} is ${old || "nothing"}: it is ${now}`);
    return `<!--size:${name}-->${now}<!--/-->`;
  });
  for (const name of names) if (!found.has(name)) wrong.push(`${page} has no mark <!--size:${name}-->`);
  for (const name of found) if (!names.includes(name)) wrong.push(`figures.mjs does not know that ${page} quotes ${name}`);
  if (!checks && written !== text) writeFileSync(page, written);
}
if (!isHurried) keep(files.flatMap(contents));
if (wrong.length > 0) {
  console.error(`${wrong.join("\n")}\nrun make figures`);
  process.exit(1);
}
