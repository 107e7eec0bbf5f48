import assert from "node:assert/strict";
import { test } from "node:test";
import { Table } from "../src/runtime/table.js";
import { Kind, RECORD_WORDS } from "../src/base/border.js";
import { utf8ByteString } from "../src/base/bytestring.js";

// The span table from JavaScript's side; jsbridge/table_test.go pins the same
// layout from Go's. The memory here is filled by hand, word by word.

const HEADER = 64;
const RECORDS = 1024;
const INPUT = 8192;

function memory(): { memory: WebAssembly.Memory; words: Uint32Array; bytes: Uint8Array; table: Table } {
  const memory = new WebAssembly.Memory({ initial: 2 });
  const words = new Uint32Array(memory.buffer);
  const bytes = new Uint8Array(memory.buffer);
  words.set([0, RECORDS, INPUT, 65536, 0], HEADER / 4);
  return { memory, words, bytes, table: new Table(memory, HEADER, () => 0) };
}

function put(words: Uint32Array, index: number, record: number[]): void {
  assert.equal(record.length, RECORD_WORDS);
  words.set(record, RECORDS / 4 + index * RECORD_WORDS);
}

test("a record's words mean what jsbridge/doc.go says", () => {
  const { words, bytes, table } = memory();
  bytes.set(new TextEncoder().encode("payload"), 4096);
  put(words, 0, [Kind.Deliver, 1, 2, 3, 4, 4096, 7, 5]);
  put(words, 1, [Kind.Wake, 6, 0, 7, 0, 0, 0, 0]);
  const [deliver, wake] = table.read(2, 0);
  assert.deepEqual(
    deliver,
    {
      kind: 4, client: 1, id: 2, number: 3, sub: 4, extra: 5, text: "payload", parts: [], body: null, ops: [],
    },
  );
  assert.equal(wake?.kind, Kind.Wake);
  assert.equal(wake?.number, 7);
  words[HEADER / 4 + 4] = 99;
  assert.equal(table.answer, 99);
});

test("a Fetch record's frame and body are copied out", () => {
  const { bytes, words, table } = memory();
  const frame = ["POST", "https://x/", "A", "\xe2\x80\xa6"];
  let at = 4096;
  for (const part of frame) {
    new DataView(bytes.buffer).setUint32(at, part.length, true);
    for (let i = 0; i < part.length; i++) bytes[at + 4 + i] = part.charCodeAt(i);
    at += 4 + part.length;
  }
  bytes.set([1, 2, 3], 6000);
  put(words, 0, [Kind.Fetch, 1, 2, 6000, 0, 4096, at - 4096, 3]);
  const [fetch] = table.read(1, 0);
  bytes.fill(0, 4096, 7000);
  assert.deepEqual(fetch?.parts, frame);
  assert.deepEqual([...(fetch?.body ?? [])], [1, 2, 3]);
});

test("the records of a WebSocket: what to open, and a message", () => {
  const { bytes, words, table } = memory();
  const frame = ["wss://x/", "bearer", "abc"];
  let at = 4096;
  for (const part of frame) {
    new DataView(bytes.buffer).setUint32(at, part.length, true);
    bytes.set(new TextEncoder().encode(part), at + 4);
    at += 4 + part.length;
  }
  bytes.set(new TextEncoder().encode('{"id":1}'), 6000);
  put(words, 0, [14, 1, 2, 70_000, 0, 4096, at - 4096, 0]);
  put(words, 1, [15, 1, 2, 0, 0, 6000, 8, 0]);
  const [socket, message] = table.read(2, 0);
  assert.deepEqual(
    socket,
    {
      kind: Kind.Socket,
      client: 1,
      id: 2,
      number: 70_000,
      sub: 0,
      extra: 0,
      text: "",
      parts: frame,
      body: null,
      ops: [],
    },
  );
  assert.deepEqual(
    message,
    {
      kind: Kind.Frame,
      client: 1,
      id: 2,
      number: 0,
      sub: 0,
      extra: 0,
      text: '{"id":1}',
      parts: [],
      body: null,
      ops: [],
    },
  );
});

for (const [name, texts] of [
  ["ASCII, cut out of one string", ["one", "two", "three"]],
  ["not ASCII, decoded one by one", ["eins", "zwölf", "三", "🦑"]],
] as const) {
  test(`payloads in the chunk: ${name}`, () => {
    const { words, bytes, table } = memory();
    const encoder = new TextEncoder();
    let offset = 5;
    texts.forEach((text, i) => {
      const payload = encoder.encode(text);
      bytes.set(payload, INPUT + offset);
      put(words, i, [Kind.Deliver, 1, 1, i, 1, INPUT + offset, payload.length, 0]);
      offset += payload.length + 3;
    });
    assert.deepEqual(
      table.read(texts.length, offset).map((r) => r.text),
      [...texts],
    );
  });
}

// What is tried once in a while only, whether a chunk is ASCII as a whole, changes no text.
test("texts are right in whatever order chunks come that are ASCII and that are not", () => {
  const { bytes, words, table } = memory();
  const encoder = new TextEncoder();
  for (let n = 0; n < 200; n++) {
    const isWide = n < 40 ? n % 3 === 0 : n < 120 || Math.random() < 0.5;
    const texts = isWide ? [`${n} 渲染`, "🎬✨", "plain"] : [`${n}`, "b", "plain"];
    const at: [number, number][] = [];
    let end = 0;
    for (const text of texts) {
      const utf8 = encoder.encode(`data: ${text}`);
      bytes.set(utf8, INPUT + end);
      at.push([INPUT + end + 6, utf8.length - 6]);
      end += utf8.length;
    }
    at.forEach(([address, length], i) => put(words, i, [Kind.Deliver, 1, 2, i, 0, address, length, 0]));
    assert.deepEqual(table.read(texts.length, end).map(({ text }) => text), texts, `chunk ${n}`);
  }
});

test("views are made again when memory grew", () => {
  const { memory: wasm, table } = memory();
  wasm.grow(1);
  const bytes = new Uint8Array(wasm.buffer);
  bytes.set(new TextEncoder().encode("after"), 4096);
  new Uint32Array(wasm.buffer).set([Kind.State, 1, 0, 0, 0, 4096, 5, 0], RECORDS / 4);
  assert.equal(table.read(1, 0)[0]?.text, "after");
});

test("inputs are written as frames, texts and bytes", () => {
  const { bytes, table } = memory();
  const n = table.writeFrame(["é", "", "ab"]);
  assert.equal(n, 4 + 2 + 4 + 4 + 2);
  assert.deepEqual(
    [...bytes.subarray(INPUT, INPUT + n)], [2, 0, 0, 0, 0xc3, 0xa9, 0, 0, 0, 0, 2, 0, 0, 0, 97, 98],
  );
  assert.equal(table.writeText("🦑"), 4);
  assert.equal(table.writeBytes(new Uint8Array([9, 8])), 2);
  assert.deepEqual([...bytes.subarray(INPUT, INPUT + 2)], [9, 8]);
});

test("an input larger than the buffer asks for room first", () => {
  const { words, memory: wasm } = memory();
  const asked: number[] = [];
  const table = new Table(wasm, HEADER, (n) => {
    asked.push(n);
    words[HEADER / 4 + 3] = n;
    return 0;
  });
  table.writeBytes(new Uint8Array(70_000));
  assert.deepEqual(asked, [70_000]);
});

test("a header value is sent as its UTF-8 bytes", () => {
  assert.equal(utf8ByteString("a…"), "a\xe2\x80\xa6");
});

test("the answer word is read where memory has grown in an export that has no records", () => {
  const { memory: wasm, table } = memory();
  table.read(0, 0); // the views are of the memory as it was
  wasm.grow(1);
  new Uint32Array(wasm.buffer)[HEADER / 4 + 4] = 77;
  assert.equal(table.answer, 77);
});
