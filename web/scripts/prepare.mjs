// `npm install` of a git address runs this in its clone, which has nothing built. npm gives no sign of
// that, other than that nobody who works on Holdfast needs it: they have run `npm ci`, or built before.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const built = ["web/dist/holdfast.wasm", "web/dist/holdfast-agents.wasm", "web/dist/holdfast-validate.mjs", "web/dist/types/index.d.ts"];
if (process.env.npm_command !== "ci" && !built.every((path) => existsSync(path))) {
  for (const [program, flag] of [["go", "version"], ["make", "--version"]]) {
    if (spawnSync(program, [flag]).status !== 0) {
      console.error(`holdfast: what comes from git is built here, which needs Go 1.26 and make, and there is no ${program}. A release is built already: npm install holdfast`);
      process.exit(1);
    }
  }
  // npm has just installed what the build needs: make must not have it do so again.
  const { status } = spawnSync("make", ["--old-file=node_modules/.package-lock.json", "package"], { stdio: "inherit" });
  process.exit(status ?? 1);
}
