import type { LoadedCall, Op } from "../storage/storage.js";
import type { Message } from "./channel.js";
import { lastOf } from "./followed.js";
import { OpList } from "../runtime/ops.js";

/** What the other pages are told of operations that are stored: nothing secret. */
export function storedMessages(ops: readonly Op[]): Message[] {
  const messages: Message[] = [];
  const made = new Set(ops.map((op) => (op.kind === "call" ? op.call : -1)));
  const list = new OpList();
  for (const op of ops) {
    if (op.kind === "server") messages.push({ kind: "session" });
    else if (op.kind === "call") list.head(op.call, op.epoch, false, op.plain);
    else if (op.kind === "log" && op.epoch === 0) continue; // how far an app is done is each page's own
    else if (op.kind === "log") list.row(op.call, { ...op, secret: null });
    else if (op.kind === "forget" && !made.has(op.call)) list.forget(op.call, op.outcome ?? 0); // else it is only rewritten
  }
  const bytes = list.bytes();
  if (bytes.length > 0) messages.push({ kind: "stored", ops: bytes });
  return messages;
}

/** What they are told of a call that was taken over by one who had heard of its rows up to `heard`. */
export function takenMessage(loaded: LoadedCall, heard: number): Message {
  const before = loaded.epoch - 1;
  const list = new OpList();
  for (const row of loaded.rows) if (row.epoch === before && row.n > heard) list.row(loaded.call, { ...row, secret: null });
  return { kind: "taken", call: loaded.call, epoch: loaded.epoch, sealed: lastOf(loaded, before), ops: list.bytes() };
}
