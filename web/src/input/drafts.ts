import { badArgument, notJSON } from "../base/arguments.js";
import { MAX_DRAFT } from "../base/border.js";

/** The answer that a person has begun, to one request for input. */
export interface Draft {
  /** The draft that was saved last, also by an earlier page; undefined where no draft was saved. */
  readonly draft?: unknown;
  /**
   * Saves what a person has typed so far, anything that JSON can hold, so that a
   * half-filled form survives a reload: it is there as `draft` when the request is
   * put to the app again. `undefined` withdraws it. The server never sees it, it
   * rests encrypted with the call or the session (on plain http, and where that is
   * not kept in the store, it lasts as long as the page), and it is gone once the
   * request is answered. Of several pages only the one that carries the call or the
   * session has it. Save at every key if you like: what is large is written at 4 KiB/s.
   *
   * @throws HoldfastError `bad_argument` where `value` is no JSON or has more than 64 KiB of it
   */
  saveDraft(value: unknown): void;
}

/** A draft as the core takes it: JSON, empty for none; throws `bad_argument`. */
export function draftText(value: unknown): string {
  if (value === undefined) return "";
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (text === undefined) throw notJSON("saveDraft", "value", cause);
  if (text.length > MAX_DRAFT || new TextEncoder().encode(text).length > MAX_DRAFT) {
    throw badArgument("saveDraft", "value", `has more than ${MAX_DRAFT} bytes as JSON`);
  }
  return text;
}

/**
 * The draft for a key, with the function that saves it. A server chooses the keys: `__proto__` is a key like
 * any other.
 */
export function draftOf(drafts: object, key: string, save: (key: string, value: unknown) => void): Draft {
  const saved: unknown = Object.hasOwn(drafts, key) ? (drafts as Record<string, unknown>)[key] : undefined;
  return { ...(saved === undefined ? {} : { draft: saved }), saveDraft: (value) => save(key, value) };
}
