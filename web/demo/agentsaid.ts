import type { AgentContentBlock, MessageItem, TranscriptItem } from "holdfast/agent";

/** The key of `_meta` under which this page's own agent says how much a message was. */
const SAID = "holdfast-demo/said";

/** How much of an answer is here, by what its agent says that it has said. */
export interface Account {
  /** Words that are here, of all its messages and thoughts. */
  here: number;
  /** Messages whose end is here. */
  whole: number;
  /** Messages whose end has not come. */
  open: number;
  /** Messages that are not what the agent has said: something is missing, or came twice. */
  wrong: number;
}

/** The text of a message. */
export function textOf(content: readonly AgentContentBlock[]): string {
  return content.map(
    (block) => (block.type === "text" && typeof block["text"] === "string" ? block["text"] : ""),
  ).join("");
}

/** Counts the words of a text. */
export function words(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

/** FNV-1a of a text's UTF-8, as eight hexadecimal digits. */
export function sum(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}

/** Compares what is here of the latest answer with what the agent says that it was. */
export function account(items: readonly TranscriptItem[]): Account {
  const all: Account = { here: 0, whole: 0, open: 0, wrong: 0 };
  for (const item of items) {
    if (item.type === "user_message") Object.assign(all, { here: 0, whole: 0, open: 0, wrong: 0 });
    if (item.type !== "agent_message" && item.type !== "agent_thought") continue;
    const { content, _meta } = item as MessageItem;
    const text = textOf(content);
    const here = words(text);
    all.here += here;
    const said = _meta?.[SAID] as { words?: unknown; sum?: unknown } | undefined;
    if (said === undefined) all.open++;
    else if (said.words === here && said.sum === sum(text)) all.whole++;
    else all.wrong++;
  }
  return all;
}
