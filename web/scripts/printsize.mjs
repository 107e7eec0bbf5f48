// Prints what the built files weigh, as they are and as a server would send
// them, and what in them weighs most. Fails where a file is over its budget.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { files } from "./size.mjs";
import { packages } from "./wasmpackages.mjs";
import { brotli, contents, keep, sum } from "./weigh.mjs";

const table = (rows) => {
  for (const [name, ...rest] of rows) console.log(name.padEnd(37) + rest.map((text) => text.padStart(13)).join(""));
};
const group = (number) => number.toLocaleString("en");

const over = [];
const rows = files.map((file) => {
  const { name, budget, goal } = file;
  const all = contents(file);
  const raw = sum(all, (bytes) => bytes.length);
  const gzip = sum(all, (bytes) => gzipSync(bytes, { level: 9 }).length);
  const sent = sum(all, brotli);
  if (raw > (file.raw ?? Infinity)) over.push(`${name}: ${group(raw)} bytes as it is, the budget is ${group(file.raw)}`);
  if (sent > budget) over.push(`${name}: ${group(sent)} bytes, the budget is ${group(budget)}`);
  const gap = sent > goal ? `+${group(sent - goal)}` : "reached";
  return [name, ...[raw, gzip, sent, budget, goal].map(group), gap];
});
table([["file", "raw", "gzip -9", "brotli -11", "budget", "goal", "to the goal"], ...rows]);

keep(files.flatMap(contents));

const { code, data } = packages(readFileSync("web/build/size/named.wasm"));
const total = code.reduce((sum, [, size]) => sum + size, 0);
console.log(`\nlargest packages of holdfast-agents.wasm (${group(total)} bytes of code, raw, and ${group(data)} of data)`);
table(code.slice(0, 10).map(([name, size]) => [name, group(size)]));

const { inputs } = Object.values(JSON.parse(readFileSync("web/build/size/holdfast.json", "utf8")).outputs).find(
  (output) => output.entryPoint,
);
console.log("\nlargest sources of holdfast.js (bytes, minified)");
table(
  Object.entries(inputs)
    .sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput)
    .slice(0, 10)
    .map(([name, { bytesInOutput }]) => [name, group(bytesInOutput)]),
);

if (over.length > 0) {
  console.error(`\nover budget\n  ${over.join("\n  ")}`);
  process.exit(1);
}
