// Makes the folder that npm publishes, and checks it: every file that package.json names is in
// it, and nothing that a user has no use for.
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { reachable } from "./chunks.mjs";

/** The folder: `npm publish web/build/package`. Its package.json has no scripts, so that nothing is built where it is installed. */
const STAGE = "web/build/package";
const MOST_FILES = 66;
const MOST_BYTES = 2_300_000;

const manifest = JSON.parse(readFileSync("package.json", "utf8"));

/** What npm would pack of a folder. */
function pack(folder) {
  const options = { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
  const [tarball] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], options));
  return { ...tarball, paths: tarball.files.map(({ path }) => path) };
}

// named returns the paths in a value of package.json, however deep they are.
function named(value) {
  return typeof value === "string" ? [value] : Object.values(value).flatMap(named);
}

const promised = [
  ...named([manifest.main, manifest.types, manifest.typesVersions, manifest.exports, manifest.unpkg, manifest.jsdelivr, manifest.bin]).map((path) => path.replace(/^\.\//, "")),
  ...reachable("web/dist/holdfast.mjs"),
  ...reachable("web/dist/holdfast-agent.mjs"),
  ...reachable("web/dist/holdfast-transport.mjs"),
  "LICENSE",
  "NOTICE",
  "README.md",
  "docs/bundlers.md", // hints name it
];
const wanted = [
  /^(LICENSE|NOTICE|README\.md|docs\/bundlers\.md|package\.json)$/,
  /^web\/dist\/holdfast-(global|validate|worker|oauth|store|react|agent-store|agent-react|tools|ai|hub|trace|testing|diagnose|recorder|record)\.mjs$/,
  /^web\/dist\/holdfast-(agent|transport)\.mjs(\.map)?$/,
  /^web\/dist\/holdfast-(chunk|connect|connectagent|connectagentthere|connectthere|diagnosis|authorization|opensignin|remotesignin|tracedclient)-[A-Z0-9]{8}\.mjs(\.map)?$/,
  /^web\/dist\/holdfast(\.wasm|-agents\.wasm|\.mjs|\.js)$/,
  /^web\/bin\/holdfast-(client-metadata|tool-types)\.mjs$/,
  /^web\/dist\/types\/[a-z-]+\.d\.ts$/,
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
  "web/dist/holdfast-agent-store.mjs": ["holdfast", "holdfast/agent"],
  "web/dist/holdfast-agent-react.mjs": ["holdfast/agent/store", "holdfast/store", "react"],
  "web/dist/holdfast-global.mjs": ["./holdfast-agent.mjs", "./holdfast.mjs"],
};
const importedBy = (path) => [...new Set([...readFileSync(path, "utf8").matchAll(/\bfrom"([^"]+)"/g)].map(([, name]) => name))].sort();

// What a module loads late: of each kind of client the page's side and the page host, and the extras; "chunk" is the
// module's own part. The module loads nothing of agents.
const EXTRAS = ["authorization", "diagnosis", "opensignin", "remotesignin"];
const parts = {
  "web/dist/holdfast.mjs": ["chunk", "connect", "connectthere", ...EXTRAS],
  "web/dist/holdfast-agent.mjs": ["chunk", "connect", "connectthere", "connectagent", "connectagentthere", ...EXTRAS],
};
const partsOf = (module) =>
  [...reachable(module)].flatMap((path) => /holdfast-([a-z]+)-[A-Z0-9]{8}\.mjs$/.exec(path)?.[1] ?? []).sort();

/** A chunk of an earlier build, or the source map of one. */
const isStale = (path) => /-[A-Z0-9]{8}\.mjs(\.map)?$/.test(path) && !promised.includes(path.replace(/\.map$/, ""));

// The sign-in ships without its source map, for the package's size, as holdfast-oauth.mjs does, which is the same code.
const UNMAPPED = /holdfast-opensignin-[A-Z0-9]{8}\.mjs/;

rmSync(STAGE, { recursive: true, force: true });
for (const path of pack(".").paths) {
  if (!wanted.some((rule) => rule.test(path)) || isStale(path)) continue;
  if (UNMAPPED.test(path) && path.endsWith(".map")) continue;
  cpSync(path, `${STAGE}/${path}`);
  if (UNMAPPED.test(path)) writeFileSync(`${STAGE}/${path}`, readFileSync(path, "utf8").replace(/\/\/# sourceMappingURL=.*/, ""));
}
// Each program is one file, with its parts in it.
for (const path of named(manifest.bin)) {
  const options = ["--bundle", "--platform=node", "--format=esm", "--log-level=warning", "--allow-overwrite"];
  execFileSync("go", ["tool", "esbuild", path, ...options, `--outfile=${STAGE}/${path}`], { stdio: "inherit" });
}
const { scripts, devDependencies, overrides, ...published } = manifest;
writeFileSync(`${STAGE}/package.json`, `${JSON.stringify(published, null, 2)}\n`);
const tarball = pack(STAGE);
const types = tarball.paths.filter((path) => path.endsWith(".d.ts"));
/** Lines of a declaration that show what is nobody's business, or a file that is not there. */
const NOT_PUBLIC = /^\s+(?:private|protected) .*|^.*@internal.*|^.*["']\.\.?\/.*/gm;

const faults = [
  ...Object.entries(imports).flatMap(([path, names]) => (importedBy(path).join() === names.join() ? [] : [`${path} imports ${importedBy(path)}, and not ${names}`])),
  ...Object.entries(parts)
    .filter(([path, names]) => partsOf(path).join() !== names.sort().join())
    .map(([path, names]) => `${path} loads ${partsOf(path)}, and not ${names}`),
  ...promised.filter((path) => !tarball.paths.includes(path)).map((path) => `missing: ${path}`),
  ...types.flatMap((path) => (readFileSync(path, "utf8").match(NOT_PUBLIC) ?? []).map((line) => `${path} shows ${line.trim()}`)),
  ...types.filter((path) => !named(manifest.exports).includes(`./${path}`)).map((path) => `of no entry: ${path}`),
  ...(tarball.paths.length > MOST_FILES ? [`${tarball.paths.length} files, of ${MOST_FILES}`] : []),
  ...(tarball.size > MOST_BYTES ? [`${tarball.size} bytes, of ${MOST_BYTES}`] : []),
  ...Object.keys(manifest.dependencies ?? {}).map((name) => `runtime dependency: ${name}`),
];
if (faults.length > 0) {
  console.error(`package: ${tarball.filename} is not what it should be\n  ${faults.join("\n  ")}`);
  process.exit(1);
}
console.log(`package: ${tarball.filename}, ${tarball.paths.length} files, ${tarball.size} bytes packed, ${tarball.unpackedSize} unpacked`);
