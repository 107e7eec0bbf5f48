import assert from "node:assert/strict";
import { test } from "node:test";
import type { TranscriptItem } from "holdfast/agent";
import { account, sum, words, type Account } from "../demo/agentsaid.js";

// Vectors of the authors of FNV (draft-eastlake-fnv, section C).
test("a text's sum is FNV-1a", () => {
  for (const [text, want] of [["", "811c9dc5"], ["a", "e40c292c"], ["foobar", "bf9cf968"]] as const)
    assert.equal(sum(text), want);
  assert.equal(sum("\u00e4") === sum("\u00c3\u00a4"), false);
});

test("words are what stands between white space", () => {
  assert.equal(words("  one two\n\nthree "), 3);
  assert.equal(words(""), 0);
});

const user = { type: "user_message", id: "u", content: [] } as unknown as TranscriptItem;

function message(
  text: string, said?: { words: number; sum: string }, type = "agent_message",
): TranscriptItem {
  return {
    type, id: text, content: [{ type: "text", text }],
    ...(said ? { _meta: { "holdfast-demo/said": said } } : {})
  } as unknown as TranscriptItem;
}

const one = { words: 2, sum: sum("one two") };

const CASES: Record<string, { items: TranscriptItem[]; want: Account }> = {
  "nothing": { items: [], want: { here: 0, whole: 0, open: 0, wrong: 0 } },
  "under way": { items: [user, message("one ")], want: { here: 1, whole: 0, open: 1, wrong: 0 } },
  "whole": { items: [user, message("one two", one)], want: { here: 2, whole: 1, open: 0, wrong: 0 } },
  "thoughts too": {
    items: [user, message("one two", one, "agent_thought"), message("one two", one)],
    want: { here: 4, whole: 2, open: 0, wrong: 0 },
  },
  "a word is missing": { items: [user, message("one", one)], want: { here: 1, whole: 0, open: 0, wrong: 1 } },
  "a word came twice": {
    items: [user, message("one one two", one)], want: { here: 3, whole: 0, open: 0, wrong: 1 },
  },
  "another word": { items: [user, message("one too", one)], want: { here: 2, whole: 0, open: 0, wrong: 1 } },
  "the latest answer only": {
    items: [user, message("one", one), user, message("one two", one)],
    want: { here: 2, whole: 1, open: 0, wrong: 0 },
  },
};

for (const [name, { items, want }] of Object.entries(CASES)) {
  test(`what is here of an answer: ${name}`, () => assert.deepEqual(account(items), want));
}
