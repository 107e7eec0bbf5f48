// Parts of messages and tool calls (ACP v2 schema: ContentBlock, ToolCallContent). Members that no version
// names yet stay. A null member counts as missing throughout.

import type { Open } from "../base/mcp.js";

/** Hints about a block for whoever shows it (schema: Annotations). */
export interface BlockAnnotations extends Open {
  audience?: string[] | null;
  lastModified?: string | null;
  /** From 0 to 1. */
  priority?: number | null;
}

/** Text, as CommonMark. */
export interface TextBlock extends Open {
  type: "text";
  text: string;
  annotations?: BlockAnnotations | null;
}

/** An image; `data` is base64. */
export interface ImageBlock extends Open {
  type: "image";
  data: string;
  mimeType: string;
  uri?: string | null;
  annotations?: BlockAnnotations | null;
}

/** A sound; `data` is base64. */
export interface AudioBlock extends Open {
  type: "audio";
  data: string;
  mimeType: string;
  annotations?: BlockAnnotations | null;
}

/** A resource that the agent can read. */
export interface ResourceLinkBlock extends Open {
  type: "resource_link";
  name: string;
  uri: string;
  title?: string | null;
  description?: string | null;
  mimeType?: string | null;
  /** Bytes. */
  size?: number | null;
  annotations?: BlockAnnotations | null;
}

/** A resource itself: `text`, or `blob` in base64. */
export interface ResourceBlock extends Open {
  type: "resource";
  resource: { uri: string; mimeType?: string | null; text?: string; blob?: string } & Open;
  annotations?: BlockAnnotations | null;
}

/** Content of a type that no version has named yet, as the agent sent it. */
export interface Unlisted {
  type: string;
  [member: string]: unknown;
}

/** The blocks that are known. */
export type KnownBlock = TextBlock | ImageBlock | AudioBlock | ResourceLinkBlock | ResourceBlock;

/** One piece of a message. Tell them apart with {@link isA}: agents may send types that are new. */
export type AgentContentBlock = KnownBlock | Unlisted;

/** Content of a tool call. */
export interface BlockContent extends Open {
  type: "content";
  content: AgentContentBlock;
}

/** One file of a diff. */
export interface DiffChange extends Open {
  operation: "add" | "delete" | "modify" | "move" | "copy" | (string & {});
  path: string;
  /** The path before a `move` or `copy`. */
  oldPath?: string;
  fileType?: string | null;
  mimeType?: string | null;
}

/**
 * Changes of files. Version 2 says which in `changes`, and may add a `patch` (git's
 * format); version 1 has the whole of one file before and after.
 */
export interface DiffContent extends Open {
  type: "diff";
  changes?: DiffChange[];
  patch?: { format: string; text: string } | null;
  path?: string;
  /** Version 1; null for a new file. */
  oldText?: string | null;
  newText?: string;
}

/** A terminal, which is an item of the transcript with that id. */
export interface TerminalContent extends Open {
  type: "terminal";
  terminalId: string;
}

/** The known types of a tool call's content. */
export type KnownToolContent = BlockContent | DiffContent | TerminalContent;

/** One piece of what a tool call has come to. Tell them apart with {@link isA}. */
export type ToolCallContent = KnownToolContent | Unlisted;

/**
 * True if a block, or a piece of a tool call, is of that type, for the compiler too. `block.type === "text"`
 * convinces people only: agents may send new types, and the comparison does not rule those out.
 */
export function isA<T extends { type: string }, K extends (KnownBlock | KnownToolContent)["type"]>(
  value: T,
  type: K,
): value is T & Extract<KnownBlock | KnownToolContent, { type: K }> {
  return value.type === type;
}
