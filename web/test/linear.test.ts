import assert from "node:assert/strict";
import { test } from "node:test";
import { LinearRegExp } from "../src/output-schema/linear.js";

const same = (pattern: string, text: string): void => {
  const native = new globalThis.RegExp(pattern, "u").test(text);
  assert.equal(new LinearRegExp(pattern, "u").test(text), native, `/${pattern}/u on ${JSON.stringify(text)}`);
};

test("patterns as schemas have them mean what the browser's RegExp makes of them", () => {
  const patterns = [
    "", "a", "^$", "^a$", "^a|b$", "^(a|b)$", "a?b", "^\\d{3}-\\d{4}$", "^[A-Z]{2,3}$",
      "^[^\\s@]+@[^\\s@]+\\.[a-z]{2,}$", "^a{0}$", "^(a{2}){2,}$",
    "^\\p{L}+$", "^[\\p{Lu}\\d_-]*$", "\\bword\\b", "\\Bord", "^.$", "^..$", "^\\u{1F991}$",
      "^\\ud83e\\udd91$", "^[\\u{1F980}-\\u{1F9FF}]$", "^\\x41\\cJ?\\t*\\/",
    "^(?<year>\\d{4})(?:-(?<month>0[1-9]|1[0-2]))?$", "^[\\]\\\\^-]+$", "^(?:(?:a*)*b?)*$", "^[]$", "^[^]$",
      "(?:|a)+b", "^a+?b*?c??$", "x{2,}?y", "^\\$\\{\\}$",
  ];
  const texts = [
    "", "a", "b", "ab", "aa", "aaaa", "aaab", "c", "123-4567", "AB", "ABCD", "a@b.co", "a@b", "word",
      "a word!", "sword", "🦑", "🦑🦑", "\ud83e", "\n", "é",
    "Ünïcode", "A\n\t\t/", "2026-11", "2026-13", "]\\^-", "xxy", "xy", "${}", "aab\u2028",
  ];
  for (const pattern of patterns) for (const text of texts) same(pattern, text);
});

test("so do patterns made at random", () => {
  let seed = 20261121;
  const random = (n: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % n;
  };
  const pick = (of: string[]): string => of[random(of.length)]!;
  const pattern = (depth: number): string => {
    const atom = (): string =>
      depth > 0 && random(3) === 0
        ? `(${pick(["", "?:"])}${pattern(depth - 1)})`
        : pick(["a", "b", ".", "[ab]", "[^a]", "\\w", "\\W", "é"]);
    let text = "";
    for (let n = random(4); n >= 0; n--) {
      if (random(8) === 0) text += pick(["^", "$", "\\b", "\\B"]);
      else text += atom() + (random(2) === 0 ? pick(["*", "+", "?", "{2}", "{0,2}", "{1,}", "*?"]) : "");
      if (random(6) === 0) text += "|";
    }
    return text;
  };
  for (let i = 0; i < 3_000; i++) {
    const source = pattern(2);
    for (let j = 0; j < 5; j++)
      same(source, Array.from({ length: random(7) }, () => pick(["a", "b", "é", " ", "\n"])).join(""));
  }
});
