import assert from "node:assert/strict";
import { test } from "node:test";
import { loadedChunk, type PageChunk } from "../src/connect/loadchunk.js";
import { loadValidator } from "../src/output-schema/outputs.js";
import { version } from "../src/runtime/beside.js";
import { HoldfastError } from "../src/base/errors.js";
import { type LateModule, loadLate } from "../src/base/latemodule.js";

interface Loaded {
  url: string;
}

/** Where a module is, and where there is none. What is appended to their addresses is a comment. */
const THERE = "data:text/javascript,export const url = import.meta.url; //";
const NOT_THERE = "data:text/javascript,throw new TypeError('none'); //";

/** A chunk of a browser that says this, each time that it is to import it. */
class Refused implements PageChunk<Loaded> {
  readonly op = "connect";
  readonly inWorker = true;
  words = `Failed to fetch dynamically imported module: ${NOT_THERE}`;
  load = (): Promise<Loaded> => Promise.reject(new TypeError(this.words));
}

async function failure<T>(loading: Promise<T>): Promise<HoldfastError> {
  return loading.then(
    () => Promise.reject(new TypeError("it has come")),
    (error: HoldfastError) => error,
  );
}

test("Fault 253: a chunk that a server has refused comes with the next try, though the browser does not ask for it again", async () => {
  const chunk = new Refused();
  const error = await failure(loadedChunk(chunk, {}));
  assert.deepEqual(
    [error.code, error.op, error.retryable, error.hint],
    ["load_failed", "connect", true, "Load the page again: its server may have another build by now."],
  );
  assert.equal((await failure(loadedChunk(chunk, {}))).code, "load_failed", "it is not there yet");
  chunk.words = `Failed to fetch dynamically imported module: ${THERE}`;
  const [one, two] = await Promise.all([loadedChunk(chunk, {}), loadedChunk(chunk, {})]);
  assert.equal(one.url, `${THERE}?again=2`);
  assert.equal(two, one, "it is there once");
  assert.equal(await loadedChunk(chunk, {}), one);
});

test("Fault 253: a chunk is asked for under its own name first, and under another one only where the browser says which", async () => {
  const chunk = new Refused();
  chunk.words = `Failed to fetch dynamically imported module: ${THERE}`;
  assert.equal((await failure(loadedChunk(chunk, {}))).code, "load_failed", "not on the first failure");
  chunk.words = "Importing a module script failed.";
  const { cause } = await failure(loadedChunk(chunk, {}));
  assert.equal((cause as Error).message, "Importing a module script failed.");
  chunk.words = "Failed to fetch dynamically imported module: no address";
  assert.equal((await failure(loadedChunk(chunk, {}))).code, "load_failed");
  const own = { url: "its own" };
  chunk.load = async () => own;
  assert.equal(await loadedChunk(chunk, {}), own);
});

test("Fault 253: the validator of results comes with the next try as well, and once", async () => {
  const there =
    `data:text/javascript,export const version = ${encodeURIComponent(JSON.stringify(version))}; export ` +
      "const validate = () => {}; //";
  const words = JSON.stringify(`Failed to fetch dynamically imported module: ${there}`);
  const refused = new URL(`data:text/javascript,throw new TypeError(${encodeURIComponent(words)}); //`);
  await assert.rejects(loadValidator(refused), (error) => error instanceof TypeError);
  const validator = await loadValidator(refused);
  assert.equal(validator.version, version);
  assert.equal(await loadValidator(refused), validator);
});

test("Fault 253: what has come by another name is not asked for again", async () => {
  const chunk: LateModule<Loaded> = {};
  let asked = 0;
  const load = (): Promise<Loaded> => {
    asked++;
    return Promise.reject(new TypeError(`Failed to fetch dynamically imported module: ${THERE}`));
  };
  await assert.rejects(loadLate(chunk, load), (error) => error instanceof TypeError);
  const [one, two] = await Promise.all([loadLate(chunk, load), loadLate(chunk, load)]);
  assert.deepEqual([one.url, two === one, asked], [`${THERE}?again=1`, true, 3]);
  assert.equal(await loadLate(chunk, load), one);
  assert.equal(asked, 3);
});

/** A chunk that comes when it is let, or fails. */
function chunk<T>(here: T): { chunk: PageChunk<T>; loads: () => number; comes(): void; fails(): void } {
  let loads = 0;
  let settle: { resolve(value: T): void; reject(error: unknown): void };
  return {
    chunk: {
      op: "connect",
      inWorker: true, // no wasm is fetched here
      load: () => {
        loads++;
        return new Promise((resolve, reject) => (settle = { resolve, reject }));
      },
    },
    loads: () => loads,
    comes: () => settle.resolve(here),
    fails: () => settle.reject(new TypeError("Failed to fetch dynamically imported module")),
  };
}

test("what a sign-in needs is loaded beside the host, and a client without auth loads none of it", async () => {
  const [host, part] = [chunk("host"), chunk("part")];
  const plain = loadedChunk(host.chunk, {});
  assert.deepEqual([host.loads(), part.loads()], [1, 0]);
  const signing = loadedChunk(host.chunk, { auth: { chunk: part.chunk } });
  assert.deepEqual([host.loads(), part.loads()], [1, 1]);
  host.comes();
  assert.equal(await plain, "host");
  assert.equal(part.chunk.here, undefined);
  part.comes();
  assert.equal(await signing, "host");
  assert.equal(await loadedChunk(host.chunk, { auth: { chunk: part.chunk } }), "host");
  assert.deepEqual([host.loads(), part.loads(), part.chunk.here], [1, 1, "part"]);
});

test("a part that does not come is load_failed, and is loaded again by the next client", async () => {
  const [host, part] = [chunk("host"), chunk("part")];
  const first = loadedChunk(host.chunk, { auth: { chunk: part.chunk } });
  host.comes();
  part.fails();
  await assert.rejects(
    first, (error) => error instanceof HoldfastError && error.code === "load_failed" && error.retryable,
  );
  const second = loadedChunk(host.chunk, { auth: { chunk: part.chunk } });
  assert.deepEqual([host.loads(), part.loads()], [1, 2]);
  part.comes();
  assert.equal(await second, "host");
});
