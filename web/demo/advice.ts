import type { HoldfastError, Tool } from "holdfast";

/** What a failed call means, and whether it can be made again. */
export interface Advice {
  lead: string;
  /** What follows from it. */
  more?: string;
  /** The words on the button that runs it again; none where that could do harm. */
  again?: string;
}

/**
 * Reads the error of a call for a person. The tool's annotations decide where the server's word is all there
 * is.
 */
export function advise(error: HoldfastError, tool: Pick<Tool, "annotations">): Advice {
  const safe = tool.annotations?.readOnlyHint === true || tool.annotations?.idempotentHint === true;
  switch (error.code) {
    case "lost":
      return uncertain(
        "The server no longer has this call.",
        "It was restarted, or it ended the session. What the call had done by then stays done.", safe,
      );
    case "outcome_unknown":
      return uncertain(
        "The tool may have run, or may not.",
        "The connection broke before the server had answered, and there is nothing to resume from.", safe,
      );
    case "cancelled":
      return { lead: "You cancelled it. The server was told.", again: "Run again" };
    case "closed":
      return { lead: "The client was disconnected while the call ran." };
    case "rpc_error":
      return { lead: "The server refused the request. Are the arguments right?" };
    case "timeout":
      return {
        lead: "No answer came within the time limit.", ...(error.retryable && safe ? { again: "Retry" } : {})
      };
    default:
      return error.retryable
        ? { lead: "The same call may succeed now.", again: "Retry" }
        : { lead: "The same call would fail again." };
  }
}

function uncertain(lead: string, why: string, safe: boolean): Advice {
  return safe
    ? { lead, more: `${why} The tool says that running it twice does no harm.`, again: "Run again" }
    : { lead, more: `${why} Nothing runs it again by itself: find out whether it did, then decide.` };
}
