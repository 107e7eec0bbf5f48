// Prints what the built files weigh, as they are and as a server would send them.
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const columns = ["file", "raw", "gzip -9", "brotli -11"];
const rows = ["holdfast.wasm", "holdfast.mjs", "holdfast.js", "holdfast-validate.mjs"].map((name) => {
  const bytes = readFileSync(`web/dist/${name}`);
  const brotli = brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  const sizes = [bytes.length, gzipSync(bytes, { level: 9 }).length, brotli.length];
  return [name, ...sizes.map((size) => size.toLocaleString("en"))];
});

for (const [name, ...numbers] of [columns, ...rows]) {
  console.log(name.padEnd(24) + numbers.map((number) => number.padStart(12)).join(""));
}
