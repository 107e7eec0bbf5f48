import type { TraceContext } from "./spans.js";

// The trace of each call that this tab has under way, for the page that comes after a reload. The store has
// the trace for the calls' own requests (core/mcp/trace_context.go). No name here says anything of a user.
// Each entry is deleted with its call.

const STORE = "holdfast:traces";
/** Calls at most; the oldest goes first. */
const MOST = 200;

/** Notes the trace of a call. */
export function noteParent(id: string, context: TraceContext): void {
  change(
    (all) => [...all.filter(([known]) => known !== id), [id, context.traceparent] as const].slice(-MOST),
  );
}

/** The trace of a call that an earlier page has noted; undefined where none has. */
export function parentOf(id: string): TraceContext | undefined {
  const found = read().find(([known]) => known === id);
  return found && { traceparent: found[1] };
}

/** Deletes the note of a call that has ended. */
export function forgetParent(id: string): void {
  change((all) => all.filter(([known]) => known !== id));
}

type Noted = readonly (readonly [id: string, traceparent: string])[];

function change(how: (all: Noted) => Noted): void {
  try {
    const all = read();
    const next = how(all);
    if (next.length === 0) sessionStorage.removeItem(STORE);
    else sessionStorage.setItem(STORE, JSON.stringify(next));
  } catch {
    // None here, or none that may be used: a later page begins a trace of its own.
  }
}

function read(): Noted {
  try {
    const all: unknown = JSON.parse(sessionStorage.getItem(STORE) ?? "[]");
    return Array.isArray(all)
      ? all.filter(
        (each): each is [string, string] => Array.isArray(each) && typeof each[0] === "string" &&
          typeof each[1] === "string",
      )
      : [];
  } catch {
    return [];
  }
}
