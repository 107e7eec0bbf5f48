// Puts what a page loads at once into one file, of each of the module's chunks. esbuild makes a chunk of whatever two
// entries have in common: the page's own host was ten files, and a page was connected in 79 ms; it is in 70 with one
// (the official client: 45), since a browser hands each of them from process to process. A bundler that splits as
// esbuild does would take them apart again where one imported another: so each has a copy of what it needs, and only the
// module's own part stays where it is. None of that keeps anything for the page as a whole (e2e/chunks_test.go).
//
// node joinchunks.mjs FOLDER ESBUILD...: what is in the folder is built anew in its place.
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { loaded } from "./chunks.mjs";

const [folder, esbuild, ...options] = process.argv.slice(2);
const files = readdirSync(folder).filter((name) => name.endsWith(".mjs")).map((name) => join(folder, name));
const pieces = files.filter((path) => /-chunk-[A-Z0-9]{8}\.mjs$/.test(path));
const ofModule = loaded(join(folder, "holdfast.mjs"));
const inside = (path) => [...loaded(path)].filter((one) => !ofModule.has(one));

for (const path of files) {
  if (pieces.includes(path) || inside(path).length < 2) continue;
  const others = files.filter((one) => !inside(path).includes(one)).map((one) => `--external:./${basename(one)}`);
  execFileSync(esbuild, [...options, path, "--format=esm", "--minify", "--sourcemap", "--allow-overwrite", ...others, `--outfile=${path}`], { stdio: "inherit" });
}
for (const path of pieces) if (!ofModule.has(path)) for (const file of [path, `${path}.map`]) rmSync(file);
