// What publint and Are the types wrong? say of the package that npm would publish: nothing.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

/** What people import; the other entries are files that a page loads by their address. */
const IMPORTED = [
  ".", "./agent", "./agent/store", "./agent/react", "./global", "./transport", "./store", "./react", "./tools", "./ai",
  "./hub", "./trace", "./testing", "./diagnose", "./recorder",
];
// The package has modules alone, and says so: require() finds them in a Node that can do that, and nobody requires them else.
const MODULES_ALONE = "CJSResolvesToESM";

const [{ filename }] = JSON.parse(execFileSync("npm", ["pack", "./web/build/package", "--json", "--ignore-scripts", "--pack-destination", "web/build"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
const tarball = new Uint8Array(readFileSync(`web/build/${filename}`));
rmSync(`web/build/${filename}`);

const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
const { types, problems = [] } = await checkPackage(createPackageFromTarballData(tarball), { entrypoints: IMPORTED });
const faults = [
  ...messages.map((message) => `publint: ${formatMessage(message, pkg)}`),
  ...(types ? [] : ["types: there are none"]),
  ...problems.filter(({ kind }) => kind !== MODULES_ALONE).map((problem) => `types: ${JSON.stringify(problem)}`),
];
if (faults.length > 0) {
  console.error(`package: ${filename} has faults\n  ${faults.join("\n  ")}`);
  process.exit(1);
}
console.log("package: publint and Are the types wrong? have nothing to say");
