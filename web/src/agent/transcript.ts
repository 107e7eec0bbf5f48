import type { Open } from "../base/mcp.js";
import type { AgentContentBlock, TextBlock } from "./content.js";
import { isA } from "./content.js";
import type { PendingPrompt, TranscriptItem } from "./items.js";
import { Output } from "./output.js";
import { isObject, patchObject } from "./patch.js";

/** Operations of the core on a transcript (core/acp/transcript/reducer.go). Positions count from 0. */
export type TranscriptOp =
  | { op: "put"; at: number; type: string; id?: string; patch: Open }
  | { op: "append"; at: number; content: Open }
  | { op: "output"; at: number; data: string }
  | { op: "session"; patch: Open }
  | { op: "pending"; prompt: number; content: AgentContentBlock[] }
  | { op: "placed" | "unsent"; prompt: number }
  | { op: "reset" };

/** The part that an operation has changed. */
export type Change =
  | { what: "item"; index: number }
  | { what: "values"; names: string[] }
  | { what: "pending"; unsent?: PendingPrompt }
  | { what: "reset" };

/** The members of each type of item while the agent has sent none. */
const DEFAULTS: Readonly<Record<string, Readonly<Open>>> = {
  user_message: { content: [] },
  agent_message: { content: [] },
  agent_thought: { content: [] },
  tool_call: { kind: "other", status: "pending", content: [], locations: [] },
  terminal: {},
  plan: { entries: [] },
  compaction: { content: [] },
  notice: { severity: "info", title: "" },
};

/** Types whose chunks of text are parts of one text. Those of a tool call are results of their own. */
const JOINED: ReadonlySet<string> = new Set(["user_message", "agent_message", "agent_thought", "compaction"]);

/** An item under construction. What was given out is never changed again. */
interface Slot {
  item: Open & { type: string };
  given: boolean;
  output: Output | undefined;
}

/**
 * A session's transcript: carries out what the core says of it. What it gives out
 * are snapshots, which cost a copy only where something has changed since the
 * last: a long text that comes in small pieces is not copied with every piece.
 */
export class Transcript {
  #slots: Slot[] = [];
  #items: readonly TranscriptItem[] | undefined;
  #pending: readonly PendingPrompt[] = [];
  #values: Open = {};

  /** All items, in order. */
  get items(): readonly TranscriptItem[] {
    return (this.#items ??= this.#slots.map((_, index) => this.item(index)));
  }

  /** One item. */
  item(index: number): TranscriptItem {
    const slot = this.#slots[index]!;
    slot.given = true;
    return slot.item as unknown as TranscriptItem;
  }

  /** The prompts that are not in the history yet, in the order of their sending. */
  get pending(): readonly PendingPrompt[] {
    return this.#pending;
  }

  /** A value of the session as a whole, such as its title. */
  value(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  /** Carries out one operation. */
  apply(op: TranscriptOp): Change {
    switch (op.op) {
      case "put":
        return this.#put(op.at, op.type, op.id, op.patch);
      case "append":
        return this.#append(op.at, op.content);
      case "output": {
        const slot = this.#open(op.at);
        (slot.output ??= new Output()).add(op.data);
        show(slot);
        return { what: "item", index: op.at };
      }
      case "session":
        patchObject(this.#values, op.patch);
        return { what: "values", names: Object.keys(op.patch) };
      case "pending": {
        const others = this.#pending.filter(({ prompt }) => prompt !== op.prompt);
        this.#pending =
          [...others, { prompt: op.prompt, content: op.content }].sort((a, b) => a.prompt - b.prompt);
        return { what: "pending" };
      }
      case "placed":
      case "unsent": {
        const one = this.#pending.find(({ prompt }) => prompt === op.prompt);
        this.#pending = this.#pending.filter((other) => other !== one);
        return { what: "pending", ...(one && op.op === "unsent" ? { unsent: one } : {}) };
      }
      case "reset":
        this.#slots = [];
        this.#items = undefined;
        this.#pending = [];
        this.#values = {};
        return { what: "reset" };
    }
  }

  #put(at: number, type: string, id: string | undefined, patch: Open): Change {
    const defaults = DEFAULTS[type];
    if (at === this.#slots.length) {
      const item = defaults
        ? { type, ...(id === undefined ? {} : { id }), ...defaults }
        : { type: "unknown", name: type, update: patch };
      this.#slots.push({ item, given: false, output: undefined });
    }
    const slot = this.#open(at);
    if (defaults) {
      const { output, ...rest } = patch;
      patchObject(slot.item, type === "terminal" ? rest : patch, defaults);
      if (type === "terminal" && output !== undefined) {
        slot.output = new Output();
        const data = isObject(output) ? output["data"] : undefined;
        if (typeof data === "string") slot.output.add(data);
      }
      if (type === "terminal") show(slot); // its members are ours, whatever an agent sends by their names
    } else {
      slot.item["update"] = patch;
    }
    return { what: "item", index: at };
  }

  #append(at: number, piece: Open): Change {
    const slot = this.#open(at);
    const content = slot.item["content"] as Open[];
    const last = content.at(-1);
    if (JOINED.has(slot.item.type) && last && isPlainText(last) && isPlainText(piece)) {
      content[content.length - 1] = { ...last, text: last.text + piece.text };
    } else {
      content.push(piece);
    }
    return { what: "item", index: at };
  }

  /** The slot of an item that is about to change. */
  #open(at: number): Slot {
    const slot = this.#slots[at];
    if (!slot) throw new RangeError(`the transcript has no item ${at}`);
    this.#items = undefined;
    if (slot.given) {
      const { content } = slot.item;
      slot.item = { ...slot.item, ...(Array.isArray(content) ? { content: [...(content as Open[])] } : {}) };
      slot.given = false;
    } else if (
      slot.item["content"] === DEFAULTS[slot.item.type]?.["content"] &&
      Array.isArray(slot.item["content"])
    ) {
      slot.item["content"] = []; // the defaults are everybody's
    }
    return slot;
  }
}

function show({ item, output }: Slot): void {
  item["output"] = output?.bytes ?? new Uint8Array(0);
  item["text"] = output?.text ?? "";
}

/** True if text that comes next in an item of that type continues that block. */
export function goesOn(type: string, block: object | undefined): boolean {
  return block !== undefined && JOINED.has(type) && isPlainText(block as Open);
}

/** True if a block is text and nothing else: text that follows may continue it. */
function isPlainText(block: Open): block is TextBlock {
  if (!isA(block as { type: string }, "text") || typeof block["text"] !== "string") return false;
  return Object.keys(block).every((name) => name === "type" || name === "text" || block[name] === null);
}
