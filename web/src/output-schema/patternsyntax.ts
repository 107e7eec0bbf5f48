import { Uncheckable } from "./budget.js";

/** A regular expression as a tree. */
export type Node =
  | { kind: "one"; source: string } // one character: a literal, an escape, a class, a dot
  | { kind: "at"; where: "start" | "end" | "boundary" | "inside" }
  | { kind: "all"; of: Node[] }
  | { kind: "any"; of: Node[] }
  | { kind: "repeat"; of: Node; least: number; most: number };

/** Levels of groups at most. */
const MOST_LEVELS = 50;

/**
 * Reads a pattern in the syntax of ECMAScript with the flag u, which has to be
 * valid. What a matcher that never goes back cannot do is refused:
 * backreferences, lookahead, lookbehind, modifiers.
 */
export function parsePattern(source: string): Node {
  let i = 0;
  let level = 0;

  const choice = (): Node => {
    if (++level > MOST_LEVELS) throw new Uncheckable("a pattern of the output schema is nested too deep");
    const of = [sequence()];
    while (source[i] === "|") {
      i++;
      of.push(sequence());
    }
    level--;
    return of.length === 1 ? of[0]! : { kind: "any", of };
  };

  const sequence = (): Node => {
    const of: Node[] = [];
    while (i < source.length && source[i] !== "|" && source[i] !== ")") of.push(repeated(atom()));
    return { kind: "all", of };
  };

  const repeated = (of: Node): Node => {
    const [text, sign, least, comma, most] =
      /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/.exec(source.slice(i, i + 64)) ?? [];
    if (text === undefined) return of;
    i += text.length;
    if (sign !== undefined)
      return { kind: "repeat", of, least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Infinity };
    return {
      kind: "repeat",
      of,
      least: Number(least),
      most: comma === undefined ? Number(least) : most === "" ? Infinity : Number(most),
    };
  };

  const atom = (): Node => {
    switch (source[i]) {
      case "^":
        i++;
        return { kind: "at", where: "start" };
      case "$":
        i++;
        return { kind: "at", where: "end" };
      case "(":
        return group();
      case "[":
        return one(endOfClass(source, i));
      case "\\":
        return escape();
      default:
        return one(i + String.fromCodePoint(source.codePointAt(i)!).length);
    }
  };

  const group = (): Node => {
    const [text] = /^\((?:\?:|\?<[^=!>][^>]*>|(?!\?))/.exec(source.slice(i)) ?? [];
    if (text === undefined)
      throw new Uncheckable("a pattern of the output schema has a lookahead, a lookbehind or modifiers");
    i += text.length;
    const of = choice();
    i++; // the closing bracket
    return of;
  };

  const escape = (): Node => {
    const next = source[i + 1] ?? "";
    if (next === "b" || next === "B") {
      i += 2;
      return { kind: "at", where: next === "b" ? "boundary" : "inside" };
    }
    if (/[1-9k]/.test(next)) throw new Uncheckable("a pattern of the output schema refers to a group");
    return one(endOfEscape(source, i));
  };

  const one = (end: number): Node => {
    const node: Node = { kind: "one", source: source.slice(i, end) };
    i = end;
    return node;
  };

  return choice();
}

/** Escapes of more than two characters; a pair of surrogates is one character. */
const LONG_ESCAPE =
  /^\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\})/;

function endOfEscape(source: string, start: number): number {
  const long = LONG_ESCAPE.exec(source.slice(start, start + 128));
  return start + (long ? long[0].length : 2);
}

function endOfClass(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === "]") return i + 1;
  }
  return source.length;
}
