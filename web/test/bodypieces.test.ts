import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyPieces } from "../src/runtime/bodypieces.js";

const MOST = 1 << 16;

/** So many bytes that differ from their neighbours. */
function bytes(size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, i) => (i * 7 + (i >> 8)) & 0xff);
}

/** All of a body, and the sizes of its pieces. */
async function all(
  body: ReadableStream<Uint8Array>, isBrowsers: boolean,
): Promise<[sizes: number[], whole: Uint8Array]> {
  const pieces = bodyPieces(body, MOST, isBrowsers)!;
  const sizes: number[] = [];
  const whole: number[] = [];
  for (let piece = await pieces.next(); piece; piece = await pieces.next()) {
    sizes.push(piece.length);
    for (const one of piece) whole.push(one);
  }
  return [sizes, Uint8Array.from(whole)];
}

/** A stream with chunks of these sizes: one of bytes, as fetch has it, or any. */
function stream(sent: Uint8Array<ArrayBuffer>, sizes: number[], type?: "bytes"): ReadableStream<Uint8Array> {
  let at = 0;
  const left = [...sizes];
  const source = {
    pull(controller: {
      enqueue(chunk: Uint8Array<ArrayBuffer>): void;
      close(): void;
      byobRequest?: ReadableStreamBYOBRequest | null
    }) {
      const size = left.shift();
      if (size === undefined) {
        controller.close();
        controller.byobRequest?.respond(0);
        return;
      }
      controller.enqueue(sent.slice(at, (at += size)));
    },
  };
  return type
    ? new ReadableStream({ type, ...source } as UnderlyingByteSource)
    : new ReadableStream(source as UnderlyingDefaultSource<Uint8Array>);
}

for (const [name, type, isBrowsers] of [
  ["the browser's own body", "bytes", true],
  ["a body of bytes by an app's fetch", "bytes", false],
  ["a body that a library made", undefined, true],
  ["a body that an app's fetch made", undefined, false],
] as const) {
  test(`${name} comes whole and in order, in pieces of at most a chunk`, async () => {
    for (
      const sizes of [[], [1], [MOST], [MOST + 1], [10, 4096, 4095, 1], [3 * MOST + 5, 2, MOST, 200_000]]
    ) {
      const sent = bytes(sizes.reduce((sum, size) => sum + size, 0));
      const [got, whole] = await all(stream(sent, sizes, type), isBrowsers);
      assert.deepEqual(whole, sent, `${sizes}`);
      assert.ok(got.every((size) => size > 0 && size <= MOST), `${sizes}: ${got}`);
    }
  });
}

test("the browser's own body is read into one buffer, which serves the next body too", async () => {
  const buffers: ArrayBufferLike[] = [];
  for (let round = 0; round < 2; round++) {
    const pieces = bodyPieces(stream(bytes(32 * MOST), [32 * MOST], "bytes"), MOST, true)!;
    for (let piece = await pieces.next(); piece; piece = await pieces.next()) {
      if (piece.buffer.byteLength !== 4 * MOST || piece.buffer === buffers.at(-1)) continue;
      buffers.push(piece.buffer);
      assert.ok(
        buffers.slice(0, -1).every(({ byteLength }) => byteLength === 0),
        "what came before is gone: its buffer has this piece",
      );
    }
  }
  assert.ok(buffers.length >= 14, `${buffers.length} whole buffers`);
});

test("a stream that says little has a small buffer, also after it has said much", async () => {
  const sizes = [100, 4096, 6 * MOST, 5_000, 7, 9];
  const pieces = bodyPieces(
    stream(bytes(sizes.reduce((sum, size) => sum + size, 0)), sizes, "bytes"), MOST, true,
  )!;
  const buffers: number[] = [];
  for (let piece = await pieces.next(); piece; piece = await pieces.next())
    buffers.push(piece.buffer.byteLength);
  assert.deepEqual(buffers, [4096, 4096, MOST, ...new Array(5).fill(4 * MOST), 4 * MOST, 4 * MOST, 4096]);
});

test("a piece stays whole while another body is read", async () => {
  const one = bodyPieces(stream(bytes(4096 + MOST + 9), [4096, MOST, 9], "bytes"), MOST, true)!;
  for (let n = 0; n < 2; n++) await one.next();
  const last = (await one.next())!;
  const other = bodyPieces(stream(bytes(4 * MOST), [4 * MOST], "bytes"), MOST, true)!;
  for (let n = 0; n < 3; n++) await other.next();
  assert.deepEqual([...last], [...bytes(4096 + MOST + 9).slice(-9)]);
});

test("at its end a reader that is not the browser's may have a value", async () => {
  for (const value of [new Uint8Array(0), new Uint8Array([1, 2])]) {
    const sent = [{ done: false, value: new Uint8Array([1, 2]) }, { done: true, value }];
    const body = { getReader: () => ({ read: async () => sent.shift(), cancel: async () => {} }) };
    const pieces = bodyPieces(body as unknown as ReadableStream<Uint8Array>, MOST, false)!;
    assert.deepEqual([...(await pieces.next())!], [1, 2]);
    assert.equal(await pieces.next(), undefined);
  }
});

test("a body that is given up, and one that breaks", async () => {
  for (const type of ["bytes", undefined] as const) {
    let cancelled = 0;
    const source = { type, cancel: () => void cancelled++ };
    const waits = bodyPieces(new ReadableStream(source as UnderlyingByteSource), MOST, true)!;
    const next = waits.next();
    waits.cancel();
    assert.equal(await next, undefined);
    assert.equal(cancelled, 1);
    assert.equal(await waits.next(), undefined, "and nothing comes of it later");

    if (type === "bytes") {
      const much = bodyPieces(stream(bytes(40 * MOST), [40 * MOST], type), MOST, true)!;
      for (let n = 0; n < 3; n++) await much.next();
      much.cancel();
      assert.equal(await much.next(), undefined, "nor does what was read already");
    }

    let breaks!: (error: Error) => void;
    const broken = bodyPieces(
      new ReadableStream(
        {
          type,
          start: (controller: ReadableByteStreamController) => void (
            breaks = (error) => controller.error(error)
          ),
        } as UnderlyingByteSource,
      ),
      MOST, true,
    )!;
    const never = broken.next();
    breaks(new TypeError("network error"));
    await assert.rejects(never, (error) => (error as Error).message === "network error");
    if (type === "bytes") assert.equal(await broken.next(), undefined, "no more than that it broke");
    broken.cancel(); // rejects nothing
  }
});

test("what is no stream of the browser's is not asked for more than a reader", async () => {
  const own = {
    getReader: (...how: unknown[]) => (assert.deepEqual(how, []), {
      read: async () => ({ done: true, value: undefined }), cancel: async () => {},
    }),
  };
  const pieces = bodyPieces(own as unknown as ReadableStream<Uint8Array>, MOST, true)!;
  assert.equal(await pieces.next(), undefined);
  assert.equal(bodyPieces(null, MOST, true), undefined);
  assert.equal(bodyPieces({} as ReadableStream<Uint8Array>, MOST, true), undefined);
});
