import type { TranscriptItem } from "../../agent/items.js";
import { goesOn, type Transcript, type TranscriptOp } from "../../agent/transcript.js";
import type { Open } from "../../base/mcp.js";

/** Characters of a text, or bytes of a terminal's output, that are sent in one go. */
const PIECE = 256 << 10;
/** Bytes that are encoded in one go: a function takes no more arguments. */
const CHUNK = 0x8000;

/**
 * Operations that make a transcript from its start, as JSON. They show the transcript as it is when the first
 * is taken, whatever changes while the rest is taken. Long texts and outputs come in pieces.
 */
export function* piecesOf(transcript: Transcript, names: Iterable<string>): Generator<string> {
  const { items, pending } = transcript; // never changed again
  const patch: Open = {};
  for (const name of names) {
    const value = transcript.value(name);
    if (value !== undefined) Object.defineProperty(patch, name, { value, enumerable: true });
  }
  const values = Object.keys(patch).length > 0 ? textOf({ op: "session", patch }) : undefined;
  yield textOf({ op: "reset" });
  for (const [at, item] of items.entries()) for (const op of putsOf(at, item)) yield textOf(op);
  if (values !== undefined) yield values;
  for (const { prompt, content } of pending) yield textOf({ op: "pending", prompt, content: [...content] });
}

function textOf(op: TranscriptOp): string {
  return JSON.stringify(op);
}

/** Operations that make an item equal to `item`. */
function* putsOf(at: number, item: TranscriptItem): Generator<TranscriptOp> {
  const { type, id, ...patch } = item as unknown as Open & { type: string; id?: string };
  if (type === "unknown") {
    yield { op: "put", at, type: String(patch["name"]), patch: patch["update"] as Open };
    return;
  }
  const named = id === undefined ? {} : { id };
  if (type === "terminal") {
    const { output, text: _, ...rest } = patch as Open & { output: Uint8Array };
    yield { op: "put", at, type, ...named, patch: { ...rest, output: { data: base64(output.subarray(0, PIECE)) } } };
    for (let from = PIECE; from < output.length; from += PIECE) yield { op: "output", at, data: base64(output.subarray(from, from + PIECE)) };
    return;
  }
  const { content } = patch;
  const last = Array.isArray(content) ? (content.at(-1) as (Open & { text: string }) | undefined) : undefined;
  if (!last || !goesOn(type, last) || last.text.length <= PIECE) {
    yield { op: "put", at, type, ...named, patch };
    return;
  }
  const { text } = last;
  yield { op: "put", at, type, ...named, patch: { ...patch, content: [...(content as unknown[]).slice(0, -1), { ...last, text: text.slice(0, PIECE) }] } };
  for (let from = PIECE; from < text.length; from += PIECE) yield { op: "append", at, content: { type: "text", text: text.slice(from, from + PIECE) } };
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}
