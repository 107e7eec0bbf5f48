// An app's bundle with connect() alone in it, as a bundler makes it: what an app has of the module before it connects.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";

const FOLDER = "web/build/size";

/** Bundles it from what is in web/dist, and returns its path. */
export function appBundle() {
  const entry = `${FOLDER}/app.mjs`;
  mkdirSync(FOLDER, { recursive: true });
  rmSync(`${FOLDER}/app`, { recursive: true, force: true });
  writeFileSync(entry, 'export { connect } from "../../dist/holdfast.mjs";\n');
  const options = ["--bundle", "--target=es2022", "--format=esm", "--minify", "--splitting", "--out-extension:.js=.mjs", "--log-level=warning"];
  execFileSync("go", ["tool", "esbuild", entry, ...options, "--log-override:ignored-bare-import=silent", `--outdir=${FOLDER}/app`], { stdio: "inherit" });
  return `${FOLDER}/app/app.mjs`;
}
