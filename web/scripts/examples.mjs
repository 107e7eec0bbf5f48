// Compiles the examples of the pages: each block in ts or tsx has to be what a user's editor accepts.
// What a block takes from its surroundings, such as a button, is in examples.d.ts. The blocks
// in js and html are run: those of the README and of docs/api.md by stories, which look at what they print.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** The pages for users, and how many examples they have at least: no example would be a blind check. */
const PAGES = ["README.md", ...pagesIn("docs"), ...pagesIn("docs/guide")];
const LEAST = 3;

/** A block that a user may copy. */
const EXAMPLE = /^```(tsx?)\n([^]*?)^```$/gm;

const OUT = "web/build/examples";

function pagesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.endsWith(".md")).map((name) => `${folder}/${name}`);
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
let count = 0;
for (const page of PAGES) {
  const text = readFileSync(page, "utf8");
  for (const { 1: ending, 2: code, index } of text.matchAll(EXAMPLE)) {
    // Each line stands where it stands in its page, so that an error names the place.
    const above = text.slice(0, index).split("\n").length;
    writeFileSync(`${OUT}/${page.replaceAll("/", ".")}.${++count}.${ending}`, `${"\n".repeat(above)}${code}export {};\n`);
  }
}
if (count < LEAST) throw new Error(`the pages have ${count} examples: is the pattern right?`);
writeFileSync(
  `${OUT}/tsconfig.json`,
  JSON.stringify({
    extends: "../../test/tsconfig.json",
    compilerOptions: { rootDir: "../../..", skipLibCheck: true },
    include: ["*.ts", "*.tsx", "../../scripts/examples.d.ts"],
  }),
);
const { status, stdout, stderr } = spawnSync("node_modules/.bin/tsc", ["-p", OUT], { encoding: "utf8" });
process.stdout.write(stdout);
process.stderr.write(stderr);
if (status !== 0) process.exit(1);
console.log(`examples: ${count} blocks of ${PAGES.length} pages compile`);
