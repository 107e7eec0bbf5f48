import { spend, Uncheckable } from "./budget.js";
import { parsePattern, type Node } from "./patternsyntax.js";

/** States of a pattern at most; `(a{1000}){1000}` would have a million. */
const MOST_STATES = 5_000;
/** Characters of a pattern at most. */
const MOST_CHARACTERS = 2_000;
/** Patterns and characters that are remembered at most. */
const MOST_KEPT = 500;

type State =
  | { kind: "one"; matches: (character: string) => boolean; next: number }
  | { kind: "at"; where: "start" | "end" | "boundary" | "inside"; next: number }
  | { kind: "fork"; next: number[] }
  | { kind: "match" };

/** The browser's own; the name RegExp means this class in the chunk (inject.ts). */
const Native = globalThis.RegExp;

const kept = new Map<string, State[]>();

/**
 * Stands in for RegExp: tests a string against a pattern of a server's in time
 * proportional to the length of both, where the browser's own can take for ever
 * (`^(a+)+$`). It follows all ways through the pattern at once (Thompson) in
 * place of one after the other.
 */
export class LinearRegExp {
  readonly #states: State[];

  constructor(source: string, _flags: "u") {
    let states = kept.get(source);
    if (!states) {
      if (source.length > MOST_CHARACTERS)
        throw new Uncheckable("a pattern of the output schema is too long");
      new Native(source, "u"); // throws where it is not valid
      states = compile(parsePattern(source));
      if (kept.size >= MOST_KEPT) kept.clear();
      kept.set(source, states);
    }
    this.#states = states;
  }

  /** True if the pattern matches anywhere in the text. */
  test(text: string): boolean {
    const states = this.#states;
    const seen = new Uint32Array(states.length); // at which position each was entered last, from 1
    const start = states.length - 1;
    let current: number[] = [];
    let before = "";
    for (let i = 0, position = 1; ; position++) {
      const after = i < text.length ? String.fromCodePoint(text.codePointAt(i)!) : "";
      const entered: number[] = [];
      // A match may begin anywhere.
      const open = [start, ...current];
      for (let state = open.pop(); state !== undefined; state = open.pop()) {
        if (seen[state] === position) continue;
        seen[state] = position;
        spend();
        const at = states[state]!;
        if (at.kind === "match") return true;
        if (at.kind === "one") entered.push(state);
        else if (at.kind === "fork") open.push(...at.next);
        else if (holds(at.where, before, after, i)) open.push(at.next);
      }
      if (after === "") return false;
      current = [];
      for (const state of entered) {
        const at = states[state]!;
        if (at.kind === "one" && at.matches(after)) current.push(at.next);
      }
      before = after;
      i += after.length;
    }
  }
}

function holds(
  where: "start" | "end" | "boundary" | "inside", before: string, after: string, i: number,
): boolean {
  if (where === "start") return i === 0;
  if (where === "end") return after === "";
  return (isWord(before) !== isWord(after)) === (where === "boundary");
}

function isWord(character: string): boolean {
  return /^\w$/.test(character);
}

/** The states of a pattern; the first is the match, the last the start. */
function compile(tree: Node): State[] {
  const states: State[] = [{ kind: "match" }];
  const add = (state: State): number => {
    if (states.push(state) > MOST_STATES)
      throw new Uncheckable("a pattern of the output schema is too large");
    return states.length - 1;
  };
  // Built from the end, so that what follows is known.
  const build = (node: Node, next: number): number => {
    spend(); // `(?:){999999999}` needs no states, only time
    switch (node.kind) {
      case "one":
        return add({ kind: "one", matches: matcher(node.source), next });
      case "at":
        return add({ kind: "at", where: node.where, next });
      case "all":
        return node.of.reduceRight((after, part) => build(part, after), next);
      case "any":
        return add({ kind: "fork", next: node.of.map((part) => build(part, next)) });
      case "repeat": {
        let entry = next;
        if (node.most === Infinity) {
          const loop: { kind: "fork"; next: number[] } = { kind: "fork", next: [next] };
          entry = add(loop);
          loop.next.push(build(node.of, entry));
        } else {
          for (let n = node.least; n < node.most; n++)
            entry = add({ kind: "fork", next: [next, build(node.of, entry)] });
        }
        for (let n = 0; n < node.least; n++) entry = build(node.of, entry);
        return entry;
      }
    }
  };
  add({ kind: "fork", next: [build(tree, 0)] });
  return states;
}

/**
 * A test of one character against one piece of a pattern; the browser's own RegExp knows the character
 * classes.
 */
function matcher(source: string): (character: string) => boolean {
  const native = new Native(`^(?:${source})$`, "u");
  const known = new Map<string, boolean>();
  return (character) => {
    let is = known.get(character);
    if (is === undefined) {
      is = native.test(character);
      if (known.size >= MOST_KEPT) known.clear();
      known.set(character, is);
    }
    return is;
  };
}
