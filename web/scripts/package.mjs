// Checks what npm would publish: every file that package.json names is in the
// tarball, and nothing is in it that a user has no use for.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { reachable } from "./chunks.mjs";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const [tarball] = JSON.parse(
  execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }),
);
const packed = new Set(tarball.files.map((file) => file.path));

// named returns the paths in a value of package.json, however deep they are.
function named(value) {
  return typeof value === "string" ? [value] : Object.values(value).flatMap(named);
}

const promised = [
  ...named([manifest.main, manifest.types, manifest.typesVersions, manifest.exports, manifest.unpkg, manifest.jsdelivr, manifest.bin]).map((path) => path.replace(/^\.\//, "")),
  ...reachable("web/dist/holdfast.mjs"),
  ...reachable("web/dist/holdfast-transport.mjs"),
  "LICENSE",
  "NOTICE",
  "README.md",
  "docs/bundlers.md", // hints name it
];
const wanted = [
  /^(LICENSE|NOTICE|README\.md|docs\/bundlers\.md|package\.json)$/,
  /^web\/dist\/holdfast-(global|validate|worker|oauth|transport|store|react|tools|ai|hub|trace|testing|diagnose|recorder|record)\.mjs(\.map)?$/,
  /^web\/dist\/holdfast-(chunk|connect|connectagent|connectagentthere|connectthere|diagnosis|authorization|opensignin|remotesignin|tracedclient)-[A-Z0-9]{8}\.mjs(\.map)?$/,
  /^web\/dist\/holdfast(\.wasm|-agents\.wasm|\.mjs|\.mjs\.map|\.js|\.js\.map)$/,
  /^web\/bin\/(holdfast-client-metadata|clientmetadata|holdfast-tool-types|tooltypes|listtools|schematypes)\.mjs$/,
  /^web\/dist\/types\/.+\.d\.ts$/,
];

// An app has each class once, whatever it imports it by: these have nothing of the module in them, and nothing of React. What
// records imports nothing: workers load it by its address.
const imports = {
  "web/dist/holdfast-store.mjs": ["holdfast"],
  "web/dist/holdfast-ai.mjs": ["ai", "holdfast", "holdfast/store"],
  "web/dist/holdfast-trace.mjs": ["holdfast"],
  "web/dist/holdfast-testing.mjs": ["holdfast"],
  "web/dist/holdfast-diagnose.mjs": ["holdfast"],
  "web/dist/holdfast-recorder.mjs": ["holdfast"],
  "web/dist/holdfast-record.mjs": [],
  "web/dist/holdfast-hub.mjs": ["holdfast"],
  "web/dist/holdfast-tools.mjs": ["holdfast"],
  "web/dist/holdfast-react.mjs": ["holdfast", "holdfast/store", "react"],
};
const importedBy = (path) => [...new Set([...readFileSync(path, "utf8").matchAll(/\bfrom"([^"]+)"/g)].map(([, name]) => name))].sort();

const stale = [...packed].filter((path) => /-[A-Z0-9]{8}\.mjs$/.test(path) && !promised.includes(path));

const faults = [
  ...Object.entries(imports).flatMap(([path, names]) => (importedBy(path).join() === names.join() ? [] : [`${path} imports ${importedBy(path)}, and not ${names}`])),
  ...stale.map((path) => `of an earlier build: ${path}`),
  ...promised.filter((path) => !packed.has(path)).map((path) => `missing: ${path}`),
  ...[...packed].filter((path) => !wanted.some((rule) => rule.test(path))).map((path) => `stray: ${path}`),
  ...Object.keys(manifest.dependencies ?? {}).map((name) => `runtime dependency: ${name}`),
];
if (faults.length > 0) {
  console.error(`package: ${tarball.filename} is not what it should be\n  ${faults.join("\n  ")}`);
  process.exit(1);
}
console.log(`package: ${tarball.filename}, ${packed.size} files, ${tarball.size} bytes`);
