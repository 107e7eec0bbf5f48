// What bytes weigh as a server sends them. Half a minute goes into the wasm: what was weighed once is known by its hash.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const KNOWN = "web/build/size/weighed.json";
const known = new Map(Object.entries(read()));

function read() {
  try {
    return JSON.parse(readFileSync(KNOWN, "utf8"));
  } catch {
    return {};
  }
}

const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** The sum of a size of each. */
export const sum = (all, size) => all.reduce((total, each) => total + size(each), 0);

/** The bytes of each file of a line of size.mjs. */
export const contents = ({ name, paths = [`web/dist/${name}`] }) => [...paths].map((path) => readFileSync(path));

/** Whether it takes no time to say how much something compresses. */
export const isQuick = (bytes) => bytes.length < 1_000_000 || known.has(hash(bytes));

/** How many bytes are left of something with brotli -11. */
export function brotli(bytes) {
  const key = hash(bytes);
  if (!known.has(key)) {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    known.set(key, brotliCompressSync(bytes, { params }).length);
  }
  return known.get(key);
}

/** Keeps what was weighed of these, and forgets all else. */
export function keep(all) {
  mkdirSync("web/build/size", { recursive: true });
  writeFileSync(KNOWN, JSON.stringify(Object.fromEntries(all.map((bytes) => [hash(bytes), brotli(bytes)]))));
}
