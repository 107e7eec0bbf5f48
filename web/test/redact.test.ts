import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { EventLines, Pseudonyms, redactHeaders, redactMessage } from "../src/recorder/redact.js";
import { record } from "../src/recorder/networkrecording.js";
import { METHODS, PAYLOAD, WORDS } from "../src/recorder/words.js";

const SECRETS = ["s3cret", "Ada Lovelace", "4111", "tok-9", "ev-77", "sess-1", "ada@example.com"];

test("Fault 399: what is recorded has no payload, token, session, cursor or name of anybody, and is a message still", () => {
  const names = new Pseudonyms();
  const call = {
    jsonrpc: "2.0", id: 7, method: "tools/call",
    params: {
      _meta: { progressToken: 7, traceparent: "s3cret" }, name: "pay",
      arguments: { card: 4111, "ada@example.com": "Ada Lovelace", type: "s3cret!" },
    },
  };
  const result = {
    jsonrpc: "2.0", id: 7,
    result: {
      content: [{ type: "text", text: "Ada Lovelace" }], structuredContent: { n: 4111 }, taskId: "tok-9",
      nextCursor: "tok-9",
    },
  };
  const texts = [call, result].map(
    (message) => JSON.stringify(redactMessage(JSON.stringify(message), names)),
  );
  assert.equal(
    texts[0],
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"progressToken":7,"m1":"(6)"},"name":"(3)","arguments":{"m0":0,"m1":"(12)","m2":"(7)"}}}',
  );
  assert.equal(
    texts[1],
    '{"jsonrpc":"2.0","id":7,"result":{"content":[{"m0":"(4)","m1":"(12)"}],"structuredContent":{"m0":0},"taskId":"taskId-1","nextCursor":"nextCursor-2"}}',
  );
  const headers = JSON.stringify(
    redactHeaders(
      new Headers({
        authorization: "Bearer s3cret", "mcp-session-id": "sess-1", "content-type": "application/json",
        "x-user": "Ada Lovelace",
      }),
      names,
    ),
  );
  assert.equal(
    headers,
    '{"authorization":"(redacted)","content-type":"application/json","mcp-session-id":"session-3","x-user":"(redacted)"}',
  );
  const stream =
    `id: ev-77\nretry: 10\n: Ada Lovelace\nevent: message\ndata: ${JSON.stringify(result)}\n\ndata: not ` +
      `json s3cret\n\n`;
  const whole = new EventLines(names).push(new TextEncoder().encode(stream));
  assert.ok(
    whole.startsWith('id: event-4\nretry: 10\n:\nevent: message\ndata: {"jsonrpc":"2.0","id":7,'), whole,
  );
  for (const secret of SECRETS)
    for (const text of [...texts, headers, whole]) assert.ok(!text.includes(secret), `${secret} in ${text}`);
  for (let size = 1; size < 40; size += 3) {
    const lines = new EventLines(new Pseudonyms());
    let pieces = "";
    const bytes = new TextEncoder().encode(stream);
    for (let at = 0; at < bytes.length; at += size) pieces += lines.push(bytes.slice(at, at + size));
    assert.equal(pieces.replace(/-\d+/g, ""), whole.replace(/-\d+/g, ""), `in pieces of ${size}`);
  }
  assert.equal(redactMessage("not json s3cret", names), "(15 characters)");
});

/** The members of all schemas, each with its words (e2e/cmd/messages). */
const SCHEMAS = JSON.parse(
  readFileSync("web/test/testdata/members.json", "utf8"),
) as Record<string, string[]>;
const CANARY = "canary";
const redactedOf = (message: object): unknown => redactMessage(JSON.stringify(message), new Pseudonyms());

test("Fault 731: a canary in every string of every schema, wherever its member may come, is in no trace, and neither is one that names a member", () => {
  const members = Object.keys(SCHEMAS);
  assert.ok(members.length > 250, "there are more members than that");
  const everyone = Object.fromEntries(
    [...members, `${CANARY} member`].map((member) => [member, `${CANARY} 1`]),
  );
  const places = [
    { method: "tools/call", at: "params" }, { method: `notifications/${CANARY}`, at: "params" },
    { at: "result" }, { at: "error" },
  ];
  for (const parent of members) {
    for (const value of [everyone, [CANARY, everyone], { [CANARY]: everyone }]) {
      for (const { at, ...more } of places) {
        const said = JSON.stringify(
          redactedOf({ jsonrpc: "2.0", id: CANARY, ...more, [at]: { [parent]: value }, [CANARY]: 1 }),
        );
        assert.ok(
          !said.includes(CANARY),
          `${at}.${parent}: ${said.slice(Math.max(0, said.indexOf(CANARY) - 60)).slice(0, 90)}`,
        );
      }
    }
  }
});

test("Fault 731: what servers and agents say, in every kind of message that the schemas have, is in no trace", () => {
  const messages = Object.entries(
    JSON.parse(readFileSync("e2e/testdata/messages.json", "utf8")) as Record<string, object[]>,
  );
  for (const [kind, all] of messages) {
    for (const message of all) {
      for (
        const sent of [
          message, [message], { jsonrpc: "2.0", id: 1, result: message },
          { jsonrpc: "2.0", method: "notifications/message", params: message },
        ]
      ) {
        assert.ok(!JSON.stringify(redactedOf(sent)).includes("⟪"), kind);
      }
    }
  }
});

test("Fault 731: in payload there is nothing but shape: no word of the protocol, no name, no number", () => {
  const words = Object.fromEntries(
    Object.entries(SCHEMAS).map(([member, of]) => [member, [...of, "hunter2", 4111, true]]),
  );
  const shape = (text: string): string => text.replace(/"m\d+":|"\(\d+\)"|\b0\b|false|null|[[\]{},]/g, "");
  for (const member of PAYLOAD) {
    const { result } = redactedOf(
      { jsonrpc: "2.0", id: 1, result: { [member]: words } },
    ) as { result: Record<string, unknown> };
    assert.equal(shape(JSON.stringify(result[member])), "", member);
  }
  const meta = redactedOf(
    { method: "tools/call", params: { _meta: { who: words } } },
  ) as { params: { _meta: { m0: unknown } } };
  assert.equal(shape(JSON.stringify(meta.params._meta.m0)), "");
  const invented = redactedOf(
    { method: "ada/lovelace", params: words },
  ) as { method: string; params: unknown };
  assert.deepEqual([invented.method, shape(JSON.stringify(invented.params))], ["method-1", ""]);
});

test("Fault 731: words that the protocol has are kept where it has them, one that a server invents is not", () => {
  for (
    const method of SCHEMAS["method"]!.filter(
      (one) => !/^(session|auth|authenticate|fs|terminal|logout|providers|nes|document|mcp\/|\$)/.test(one),
    )
  )
    assert.ok(METHODS.has(method), method);
  for (const [member, words] of WORDS) {
    const [word] = words;
    const kept = redactedOf({ jsonrpc: "2.0", id: 1, result: { [member]: [word, "lovelace"] } });
    assert.deepEqual(kept, {
      jsonrpc: "2.0", id: 1, result: { [member]: [word, member === "method" ? "method-1" : "(8)"] },
    });
  }
  const headers = {
    "content-type": "text/ada; charset=lovelace", "mcp-method": "ada/lovelace", "retry-after": "Ada",
    allow: "POST, ADA", "mcp-protocol-version": "ada", "mcp-param-lovelace": "Ada",
  };
  assert.ok(!/ada|lovelace/i.test(JSON.stringify(redactHeaders(new Headers(headers), new Pseudonyms()))));
  const lines = new EventLines(new Pseudonyms()).push(
    new TextEncoder().encode("event: lovelace\nretry: ada\nid: ada\nada: ada\nevent: message\n"),
  );
  assert.equal(lines, "event: event-type-1\nretry: \nid: event-2\n:\nevent: message\n");
  const twice = new Pseudonyms();
  const answered = [
    '{"id":1,"result":{"inputRequests":{"name":{"method":"roots/list"}}}}',
    '{"id":2,"method":"tools/call","params":{"inputResponses":{"name":{"action":"accept","content":{"card":1}}}}}',
  ].map((text) => redactMessage(text, twice));
  assert.deepEqual(
    answered,
    [
      { id: 1, result: { inputRequests: { "input-1": { method: "roots/list" } } } },
      {
        id: 2, method: "tools/call",
        params: { inputResponses: { "input-1": { action: "accept", content: { m0: 0 } } } },
      },
    ],
  );
});

test("a client is given what the server answers, byte by byte, and a cut as a cut", async () => {
  const sent = new Uint8Array([1, 2, 3]);
  let cut: (() => void) | undefined;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (to) => (to.enqueue(sent), (cut = () => to.error(new TypeError("cut")))),
  });
  const { fetch } = record(
    "server",
    async () => new Response(body, {
      status: 201, headers: { "content-type": "text/event-stream", "x-more": "1" },
    }),
    10,
  );
  const response = await fetch("https://example.com/mcp", { method: "POST", body: "{}" });
  assert.deepEqual([response.status, response.headers.get("x-more"), response.bodyUsed], [201, "1", false]);
  const reader = response.body!.getReader();
  assert.deepEqual([...(await reader.read()).value!], [1, 2, 3]);
  cut!();
  await assert.rejects(reader.read(), (error) => error instanceof TypeError);
  const dead = record("server", () => Promise.reject(new TypeError("no network")), 10);
  await assert.rejects(
    dead.fetch("https://example.com/mcp", {}), (error) => (error as Error).message === "no network",
  );
  await dead.written(); // there is no database here: nothing is recorded, and nothing fails
});
