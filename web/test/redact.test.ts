import assert from "node:assert/strict";
import { test } from "node:test";
import { EventLines, Pseudonyms, redactHeaders, redactMessage } from "../src/recorder/redact.js";
import { record } from "../src/recorder/networkrecording.js";

const SECRETS = ["s3cret", "Ada Lovelace", "4111", "tok-9", "ev-77", "sess-1", "ada@example.com"];

test("Fault 399: what is recorded has no payload, token, session, cursor or name of anybody, and is a message still", () => {
  const names = new Pseudonyms();
  const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { _meta: { progressToken: 7, traceparent: "s3cret" }, name: "pay", arguments: { card: 4111, "ada@example.com": "Ada Lovelace", type: "s3cret!" } } };
  const result = { jsonrpc: "2.0", id: 7, result: { content: [{ type: "text", text: "Ada Lovelace" }], structuredContent: { n: 4111 }, taskId: "tok-9", nextCursor: "tok-9" } };
  const texts = [call, result].map((message) => JSON.stringify(redactMessage(JSON.stringify(message), names)));
  assert.equal(texts[0], '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"progressToken":7,"traceparent":"(6)"},"name":"(3)","arguments":{"m0":0,"m1":"(12)","type":"(7)"}}}');
  assert.equal(texts[1], '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","m1":"(12)"}],"structuredContent":{"m0":0},"taskId":"taskId-1","nextCursor":"nextCursor-2"}}');
  const headers = JSON.stringify(redactHeaders(new Headers({ authorization: "Bearer s3cret", "mcp-session-id": "sess-1", "content-type": "application/json", "x-user": "Ada Lovelace" }), names));
  assert.equal(headers, '{"authorization":"(redacted)","content-type":"application/json","mcp-session-id":"session-3","x-user":"(redacted)"}');
  const stream = `id: ev-77\nretry: 10\n: Ada Lovelace\nevent: message\ndata: ${JSON.stringify(result)}\n\ndata: not json s3cret\n\n`;
  const whole = new EventLines(names).push(new TextEncoder().encode(stream));
  assert.ok(whole.startsWith('id: event-4\nretry: 10\n:\nevent: message\ndata: {"jsonrpc":"2.0","id":7,'), whole);
  for (const secret of SECRETS) for (const text of [...texts, headers, whole]) assert.ok(!text.includes(secret), `${secret} in ${text}`);
  for (let size = 1; size < 40; size += 3) {
    const lines = new EventLines(new Pseudonyms());
    let pieces = "";
    const bytes = new TextEncoder().encode(stream);
    for (let at = 0; at < bytes.length; at += size) pieces += lines.push(bytes.slice(at, at + size));
    assert.equal(pieces.replace(/-\d+/g, ""), whole.replace(/-\d+/g, ""), `in pieces of ${size}`);
  }
  assert.equal(redactMessage("not json s3cret", names), "(15 characters)");
});

test("a client is given what the server answers, byte by byte, and a cut as a cut", async () => {
  const sent = new Uint8Array([1, 2, 3]);
  let cut: (() => void) | undefined;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({ start: (to) => (to.enqueue(sent), (cut = () => to.error(new TypeError("cut")))) });
  const { fetch } = record("server", async () => new Response(body, { status: 201, headers: { "content-type": "text/event-stream", "x-more": "1" } }), 10);
  const response = await fetch("https://example.com/mcp", { method: "POST", body: "{}" });
  assert.deepEqual([response.status, response.headers.get("x-more"), response.bodyUsed], [201, "1", false]);
  const reader = response.body!.getReader();
  assert.deepEqual([...(await reader.read()).value!], [1, 2, 3]);
  cut!();
  await assert.rejects(reader.read(), (error) => error instanceof TypeError);
  const dead = record("server", () => Promise.reject(new TypeError("no network")), 10);
  await assert.rejects(dead.fetch("https://example.com/mcp", {}), (error) => (error as Error).message === "no network");
  await dead.written(); // there is no database here: nothing is recorded, and nothing fails
});
