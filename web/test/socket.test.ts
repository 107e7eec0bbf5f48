import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientPort } from "../src/runtime/port.js";
import { Runtime } from "../src/runtime/runtime.js";
import { CLOSE_INVALID, type Exports, INPUT as OF, Kind, RECORD_WORDS } from "../src/base/border.js";

// The driver of WebSockets, between records that are written by hand and a
// WebSocket that the test is the other end of. e2e/socket_test.go has a real one.

const HEADER = 64;
const RECORDS = 1024;
const PAYLOADS = 2048;
const INPUT = 8192;

/** What the runtime knows of a WebSocket; the rest is the test's. */
class FakeWebSocket {
  static last: FakeWebSocket;
  readyState = 0;
  sent: string[] = [];
  closed = 0;
  onopen?: () => void;
  onmessage?: (event: { data: unknown }) => void;
  onerror?: () => void;
  onclose?: (event: { code: number; reason: string }) => void;

  constructor(
    readonly url: string,
    readonly protocols: string[],
  ) {
    if (url.startsWith("ftp:")) throw new DOMException("the scheme is not one of WebSockets", "SyntaxError");
    FakeWebSocket.last = this;
  }

  send(text: string): void {
    if (this.readyState === 0) throw new DOMException("still connecting", "InvalidStateError");
    this.sent.push(text);
  }

  close(): void {
    this.closed++;
    this.readyState = 2;
  }

  open(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  says(...messages: unknown[]): void {
    for (const data of messages) this.onmessage?.({ data });
  }

  ends(code: number, reason = ""): void {
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }
}
globalThis.WebSocket = FakeWebSocket as unknown as typeof WebSocket;

/** A runtime with one client. `heard` is what its core was told, in order. */
function rig(): {
  heard: string[];
  thrown: unknown[];
  open(url: string, protocols: string[], limit: number): FakeWebSocket;
  send(text: string): void;
  abort(): void;
} {
  const mem = new WebAssembly.Memory({ initial: 4 });
  const words = new Uint32Array(mem.buffer);
  const bytes = new Uint8Array(mem.buffer);
  words.set([0, RECORDS, INPUT, 65536, 0], HEADER / 4);
  const heard: string[] = [];
  const input = (n: number): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(INPUT, INPUT + n));
  const said = (text: string): number => {
    heard.push(text);
    words[HEADER / 4 + 3] = 65536;
    return 0;
  };
  const exports = {
    mem,
    header: () => HEADER,
    reserve: (n: number) => {
      words[HEADER / 4 + 3] = n;
      heard.push("reserve");
      return 0;
    },
    input: (client: number, op: number, x: number, code: number, _: number, n: number) =>
      op === OF.start ? 0 : said(`${client}/${x} ${{ [OF.socketOpened]: "open", [OF.socketMessage]: input(n), [OF.socketClosed]: `closed ${code} ${input(n)}` }[op]}`),
  };
  const runtime = new Runtime(exports as unknown as Exports, { connectAgent: () => 1 });
  runtime.connectAgent({}, {} as ClientPort);
  const thrown: unknown[] = [];
  globalThis.reportError = (error) => thrown.push(error);
  const record = (kind: number, number: number, payload: Uint8Array): void => {
    bytes.set(payload, PAYLOADS);
    const r = [kind, 1, 7, number, 0, PAYLOADS, payload.length, 0];
    assert.equal(r.length, RECORD_WORDS);
    words.set(r, RECORDS / 4);
    runtime.flush(1);
    bytes.fill(0, PAYLOADS, PAYLOADS + payload.length);
  };
  const encoder = new TextEncoder();
  return {
    heard,
    thrown,
    open(url, protocols, limit) {
      const parts = [url, ...protocols].flatMap((part) => [part.length, 0, 0, 0, ...encoder.encode(part)]);
      record(Kind.Socket, limit, new Uint8Array(parts));
      return FakeWebSocket.last;
    },
    send: (text) => record(Kind.Frame, 0, encoder.encode(text)),
    abort: () => record(Kind.Abort, 0, new Uint8Array(0)),
  };
}

test("what is said on a socket comes in order, one export each", () => {
  const { heard, open, send } = rig();
  const socket = open("wss://agent/acp", [], 0);
  assert.deepEqual([socket.url, socket.protocols], ["wss://agent/acp", []]);
  socket.open();
  send('{"id":1,"text":"zwölf 🦑"}');
  socket.says('{"id":1}', '{"text":"drei"}', '"é三🦑"');
  socket.ends(1001, "going away");
  assert.deepEqual(socket.sent, ['{"id":1,"text":"zwölf 🦑"}']);
  assert.deepEqual(heard, ["1/7 open", '1/7 {"id":1}', '1/7 {"text":"drei"}', '1/7 "é三🦑"', "1/7 closed 1001 going away"]);
});

test("subprotocols are offered one by one", () => {
  const { open } = rig();
  assert.deepEqual(open("wss://agent/acp", ["bearer", "abc"], 0).protocols, ["bearer", "abc"]);
});

test("an error is told by the close that follows it, once", () => {
  const { heard, open } = rig();
  const socket = open("wss://agent/acp", [], 0);
  socket.onerror?.();
  socket.ends(1006);
  socket.ends(1006);
  assert.deepEqual(heard, ["1/7 closed 1006 "]);
});

test("a socket that is closed says nothing more", () => {
  const { heard, open } = rig();
  const socket = open("wss://agent/acp", [], 0);
  socket.open();
  socket.ends(1000);
  socket.says("late");
  socket.open();
  assert.deepEqual(heard, ["1/7 open", "1/7 closed 1000 "]);
});

test("a socket that the core has closed says nothing more, its end included", () => {
  const { heard, open, abort, send } = rig();
  const socket = open("wss://agent/acp", [], 0);
  abort();
  assert.equal(socket.closed, 1);
  socket.open();
  socket.says("late");
  socket.ends(1005);
  send("nobody's");
  assert.deepEqual([heard, socket.sent], [[], []]);
});

test("what is sent too early is an error, and is not sent later", () => {
  const { open, send, thrown } = rig();
  const socket = open("wss://agent/acp", [], 0);
  send("early");
  assert.equal((thrown[0] as DOMException).name, "InvalidStateError");
  socket.open();
  send("in time");
  assert.deepEqual([socket.sent, thrown.length], [["in time"], 1]);
});

test("binary messages are left out", () => {
  const { heard, open } = rig();
  const socket = open("wss://agent/acp", [], 1);
  socket.open();
  socket.says(new Blob(["long enough"]), new ArrayBuffer(8), "a");
  assert.deepEqual(heard, ["1/7 open", "1/7 a"]);
});

test("what the browser refuses to open is told later, as no close of the wire's", async () => {
  const { heard, open } = rig();
  open("ftp://agent/acp", [], 0);
  assert.deepEqual(heard, []);
  await undefined;
  assert.deepEqual(heard, [`1/7 closed ${CLOSE_INVALID} the scheme is not one of WebSockets`]);
});

test("what is refused after the core has closed it is not told at all", async () => {
  const { heard, open, abort } = rig();
  open("ftp://agent/acp", [], 0);
  abort();
  await undefined;
  assert.deepEqual(heard, []);
});

test("a message over the limit is handed on cut, and is over it still", () => {
  const { heard, open } = rig();
  const socket = open("wss://agent/acp", [], 10);
  socket.open();
  socket.says("0123456789", "0123456789abcdef", "éééééééééé", "ééééééééééé!", "next");
  assert.deepEqual(heard.slice(1), ["1/7 0123456789", "1/7 0123456789a", "1/7 éééééééééé", "1/7 ééééééééééé", "1/7 next"]);
  assert.equal(socket.closed, 0);
});

test("a message larger than the input buffer asks for room of its size, and only then", () => {
  const { heard, open } = rig();
  const socket = open("wss://agent/acp", [], 0);
  socket.open();
  const small = "é".repeat(30_000);
  const large = "é".repeat(40_000);
  socket.says(small, large, "after");
  assert.deepEqual(heard, ["1/7 open", `1/7 ${small}`, "reserve", `1/7 ${large}`, "1/7 after"]);
});
