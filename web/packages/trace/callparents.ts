import type { TraceContext } from "./spans.js";

// Of which trace the calls are that this tab has under way: for the page that comes after a reload. The
// calls' own requests have it from the store (core/mcp/trace_context.go). No name here says anything of a
// user, and each goes with its call.

const STORE = "holdfast:traces";
/** Calls at most; the oldest goes first. */
const MOST = 200;

/** Notes of which trace a call is. */
export function noteParent(id: string, context: TraceContext): void {
  change(
    (all) => [...all.filter(([known]) => known !== id), [id, context.traceparent] as const].slice(-MOST),
  );
}

/** Of which trace a call is that an earlier page has noted. */
export function parentOf(id: string): TraceContext | undefined {
  const found = read().find(([known]) => known === id);
  return found && { traceparent: found[1] };
}

/** The call is over. */
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
