import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { MessageItem, TerminalItem, TranscriptItem } from "../src/agent/items.js";
import { Transcript, type TranscriptOp } from "../src/agent/transcript.js";
import type { Open } from "../src/base/mcp.js";

/** Conversations and what the core makes of them, which its own test writes (core/acp). */
interface Vector {
  name: string;
  ops: TranscriptOp[];
  transcript: { items: Open[]; session: Open; pending: Open[] };
}

// From the root of the repository, where make runs.
const vectors = JSON.parse(readFileSync("web/test/testdata/transcript.json", "utf8")) as Vector[];

/** What items have where the agent has said nothing. */
const DEFAULTS: Record<string, Open> = {
  user_message: { content: [] },
  agent_message: { content: [] },
  agent_thought: { content: [] },
  tool_call: { kind: "other", status: "pending", content: [], locations: [] },
  terminal: {},
  plan: { entries: [] },
  compaction: { content: [] },
  notice: { severity: "info", title: "" },
};

/** An item of the vectors' own view, which is the raw one, as an app gets it. */
function seen(raw: Open): Open {
  const { type, ...rest } = raw as { type: string } & Open;
  if (!DEFAULTS[type]) return { type: "unknown", name: type, update: rest };
  const item: Open = { ...DEFAULTS[type], ...raw };
  if (type === "terminal") {
    const bytes = bytesOf((item["output"] as { data: string } | undefined)?.data ?? "");
    return { ...item, output: [...bytes], text: new TextDecoder().decode(bytes, { stream: true }) };
  }
  if (type.includes("message") || type === "agent_thought" || type === "compaction")
    item["content"] = joined(item["content"] as Open[]);
  return item;
}

function joined(blocks: Open[]): Open[] {
  const plain = (block: Open | undefined): boolean => block?.["type"] === "text" &&
    Object.keys(block).length === 2;
  const result: Open[] = [];
  for (const block of blocks) {
    const last = result.at(-1);
    if (plain(last) && plain(block))
      result[result.length - 1] = { type: "text", text: `${String(last!["text"])}${String(block["text"])}` };
    else result.push(block);
  }
  return result;
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

/** An item as plain JSON. */
function plain(item: TranscriptItem): unknown {
  if (item.type === "terminal") return { ...item, output: [...item.output] };
  if (item.type !== "unknown") return item;
  // The view takes the update for a patch, and its nulls for nothing.
  const kept = Object.entries(item.update).filter(([name, value]) => name !== "type" && value !== null);
  return { ...item, update: Object.fromEntries(kept) };
}

function play(...ops: TranscriptOp[]): Transcript {
  const transcript = new Transcript();
  for (const op of ops) transcript.apply(op);
  return transcript;
}

test("there are vectors", () => assert.ok(vectors.length > 10));

for (const { name, ops, transcript: view } of vectors) {
  test(`the operations of the core give its transcript: ${name}`, () => {
    const transcript = new Transcript();
    for (const [i, op] of ops.entries()) {
      // A copy each: what the transcript keeps of one is its own.
      transcript.apply(structuredClone(op));
      if (i % 2) void transcript.items; // looking changes nothing
    }
    assert.deepEqual(transcript.items.map(plain), view.items.map(seen));
    assert.deepEqual([...transcript.pending], view.pending);
    for (const [key, value] of Object.entries(view.session)) assert.deepEqual(transcript.value(key), value);
  });
}

const text = (words: string, more: Open = {}): Open => ({ type: "text", text: words, ...more });
const put = (at: number, type: string, patch: Open, id = "x"): TranscriptOp =>
  ({ op: "put", at, type, id, patch });
const append = (at: number, content: Open): TranscriptOp => ({ op: "append", at, content });

test("what was given out is never changed, and what has not changed is the same", () => {
  const transcript =
    play(put(0, "agent_message", { content: [text("a")] }), put(1, "tool_call", { title: "T" }));
  const before = transcript.items;
  const copy = JSON.stringify(before);
  transcript.apply(append(0, text("b")));
  transcript.apply(append(0, { type: "image", data: "", mimeType: "image/png" }));
  transcript.apply(append(0, text("c")));
  const after = transcript.items;
  assert.equal(JSON.stringify(before), copy);
  assert.ok(before !== after && before[0] !== after[0]);
  assert.ok(before[1] === after[1] && transcript.items === after);
  assert.deepEqual(
    (after[0] as MessageItem).content,
    [text("ab"), { type: "image", data: "", mimeType: "image/png" }, text("c")],
  );
});

test("text with annotations of its own is a block of its own", () => {
  const noted = text("b", { annotations: { priority: 1 } });
  const transcript = play(
    put(0, "agent_message", { content: [text("a")] }),
    append(0, noted),
    append(0, text("c")),
    append(0, text("d", { _meta: null, annotations: null })),
    append(0, text("e", { _meta: { x: 1 } })),
  );
  const { content } = transcript.items[0] as MessageItem;
  assert.deepEqual(content.map((block) => block["text"]), ["a", "b", "cd", "e"]);
  assert.equal(content[1], noted);
});

test("pieces of a tool call are results of their own", () => {
  const piece = { type: "content", content: text("a") };
  const transcript = play(put(0, "tool_call", {}), append(0, piece), append(0, piece));
  assert.deepEqual((transcript.items[0] as MessageItem).content, [piece, piece]);
});

test("nothing that was left out belongs to two items", () => {
  const transcript =
    play(put(0, "agent_message", {}, "a"), put(1, "agent_message", {}, "b"), append(0, text("x")));
  transcript.apply(put(0, "agent_message", { content: null }, "a"));
  const cleared = transcript.items[0] as MessageItem;
  transcript.apply(append(0, text("y")));
  assert.deepEqual([cleared.content, (transcript.items[1] as MessageItem).content], [[], []]);
  assert.deepEqual((transcript.items[0] as MessageItem).content, [text("y")]);
  assert.deepEqual((play(put(0, "agent_message", {})).items[0] as MessageItem).content, []);
});

test("a patch clears, replaces, keeps, and goes into _meta by key", () => {
  const transcript = play(
    put(0, "tool_call", { title: "a", status: "completed", kind: "read", _meta: { one: 1, two: 2 } }),
    put(0, "tool_call", { status: null, title: null, _meta: { one: null, three: 3 } }),
  );
  assert.deepEqual(transcript.items[0], {
    type: "tool_call",
    id: "x",
    kind: "read",
    status: "pending",
    content: [],
    locations: [],
    _meta: { two: 2, three: 3 },
  });
  transcript.apply(put(0, "tool_call", { _meta: null }));
  assert.equal(Object.hasOwn(transcript.items[0]!, "_meta"), false);
});

test("TestFault16_ProtoMembersOfPatchesStayData", () => {
  const patch = JSON.parse(`{"__proto__":{"polluted":1},"_meta":{"__proto__":{"polluted":2}}}`) as Open;
  const transcript = play(put(0, "agent_message", patch), { op: "session", patch });
  transcript.apply(append(0, text("x"))); // copies the item
  const item = transcript.items[0] as unknown as Open;
  assert.equal(item["polluted"], undefined);
  assert.equal((item["_meta"] as Open)["polluted"], undefined);
  assert.ok(Object.hasOwn(item, "__proto__"));
  assert.equal(transcript.value("polluted"), undefined);
  assert.equal(transcript.value("toString"), undefined);
});

test("a terminal's output is bytes and text, across characters that are cut", () => {
  const euro = btoa("\xe2\x82\xac");
  const halves = [btoa("a\xe2\x82"), btoa("\xac\ufeff".slice(0, 1) + "b")];
  const transcript = play(put(0, "terminal", { command: "ls" }), { op: "output", at: 0, data: halves[0]! });
  const first = transcript.items[0] as TerminalItem;
  assert.deepEqual([first.text, [...first.output]], ["a", [0x61, 0xe2, 0x82]]);
  transcript.apply({ op: "output", at: 0, data: halves[1]! });
  const second = transcript.items[0] as TerminalItem;
  assert.deepEqual([second.text, second.output.length], ["a€b", 5]);
  assert.deepEqual([first.text, [...first.output]], ["a", [0x61, 0xe2, 0x82]]);
  transcript.apply(put(0, "terminal", { output: { data: euro }, exitStatus: { exitCode: 0 } }));
  const third = transcript.items[0] as TerminalItem;
  assert.deepEqual(
    [third.text, third.output.length, third.command, third.exitStatus], ["€", 3, "ls", { exitCode: 0 }],
  );
  assert.equal(second.text, "a€b");
  transcript.apply(put(0, "terminal", { output: null }));
  assert.equal((transcript.items[0] as TerminalItem).output.length, 0);
});

// Copying all of it for each piece would move 8 GiB here, and 2 TiB of 64 MiB.
test("long output is not copied with each piece", () => {
  const transcript = play(put(0, "terminal", {}));
  const data = btoa("x".repeat(1024));
  const buffers = new Set<ArrayBufferLike>();
  for (let i = 0; i < 4096; i++) {
    transcript.apply({ op: "output", at: 0, data });
    const { output } = transcript.items[0] as TerminalItem;
    assert.equal(output.length, (i + 1) * 1024);
    buffers.add(output.buffer);
  }
  assert.ok(buffers.size <= 13, `${buffers.size} buffers for 4 MiB`);
  assert.equal((transcript.items[0] as TerminalItem).text.length, 4 * 1024 * 1024);
});

test("prompts wait, are placed, come back, and are forgotten with everything", () => {
  const content = [{ type: "text", text: "hi" }];
  const transcript = play({ op: "pending", prompt: 2, content }, { op: "pending", prompt: 1, content });
  assert.deepEqual(transcript.pending.map(({ prompt }) => prompt), [1, 2]);
  transcript.apply({ op: "placed", prompt: 1 });
  assert.deepEqual(transcript.apply({ op: "unsent", prompt: 7 }), { what: "pending" });
  assert.deepEqual(transcript.pending.map(({ prompt }) => prompt), [2]);
  assert.deepEqual(
    transcript.apply({ op: "unsent", prompt: 2 }), { what: "pending", unsent: { prompt: 2, content } },
  );
  transcript.apply({ op: "pending", prompt: 1, content });
  transcript.apply({ op: "session", patch: { title: "t" } });
  assert.equal(transcript.value("title"), "t");
  transcript.apply({ op: "session", patch: { title: null } });
  assert.equal(transcript.value("title"), undefined);
  transcript.apply({ op: "reset" });
  assert.deepEqual([transcript.items.length, transcript.pending.length], [0, 0]);
});

test("an update that nobody knows is kept whole", () => {
  const update = { sessionUpdate: "_acme/confetti", type: "paper", colours: ["red"] };
  const transcript = play({ op: "put", at: 0, type: "_acme/confetti", patch: update });
  assert.deepEqual(transcript.items[0], { type: "unknown", name: "_acme/confetti", update });
});
