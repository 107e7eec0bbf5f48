import { observeCall, type CallSnapshot } from "holdfast/store";
import type { Call, CallOptions, CallToolResult, ContentBlock, Open, Progress } from "holdfast";
import { asArguments, type ToolSource } from "./chatchecks.js";

/** How the calls of a model are made. */
export interface ToolCallOptions extends Omit<CallOptions, "key" | "signal" | "onprogress" | "input"> {
  /**
   * The key of a call by the id that the model has given it; by default the id itself. Some models number
   * their calls anew in each chat: then have the chat's own id in the key.
   */
  key?: (toolCallId: string) => string;
}

/** A preliminary result, as the AI SDK calls it: the state of a tool call before its result. */
export interface ToolProgress extends Open {
  preliminary: true;
  /** `input_required`: somebody is asked for something. */
  status: "working" | "input_required";
  /** The newest progress, where the tool reports it. */
  progress?: Progress;
  /** The content of a streamed result that has arrived so far. */
  content: ContentBlock[];
}

/** The outputs of a tool call: preliminary results, and last the tool's result. */
export type ToolOutput = ToolProgress | CallToolResult;

/** True if the output is preliminary, and not the tool's result. */
export function isProgress(output: ToolOutput): output is ToolProgress {
  return output["preliminary"] === true;
}

/** A tool call of a model's, by the id that the model has given it. */
interface Execution {
  toolCallId: string;
  abortSignal: AbortSignal | undefined;
  options: ToolCallOptions;
}

/**
 * Makes a call, or finds the one that has the id, and gives how it stands once per frame at most: a model's
 * answer is a message that is drawn, and stored, with each of them. Leaving it cancels nothing; the signal
 * does.
 */
export async function* executed(
  source: ToolSource, nameOf: () => string | Promise<string>, input: unknown,
  { toolCallId, abortSignal, options }: Execution,
): AsyncGenerator<ToolOutput, void, undefined> {
  const { key = (id: string) => id, ...others } = options;
  let name = nameOf();
  if (typeof name !== "string") name = await name;
  const call = source.callTool(name, asArguments(input), {
    ...others, key: key(toolCallId), ...(abortSignal && { signal: abortSignal })
  });
  yield* outputsOf(call, abortSignal);
}

async function* outputsOf(
  call: Call, abortSignal: AbortSignal | undefined,
): AsyncGenerator<ToolOutput, void, undefined> {
  // A call that was found has the signal of who made it, if any.
  const abort = (): void => call.cancel("the model's answer was given up");
  if (abortSignal?.aborted) abort();
  abortSignal?.addEventListener("abort", abort, { once: true });
  const store = observeCall(call);
  let wake: () => void = () => {};
  const stop = store.onChange(() => wake());
  try {
    let shown = "";
    for (;;) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      const snapshot = store.snapshot();
      if (snapshot.state === "failed" || snapshot.state === "cancelled") {
        store.hand(snapshot);
        throw snapshot.error;
      }
      if (snapshot.state === "completed") {
        yield snapshot.result!;
        store.hand(snapshot); // whoever wanted more has had it
        return;
      }
      const standing = standingOf(snapshot);
      const text = JSON.stringify(standing);
      if (text !== shown && snapshot.eventCount > 0) yield standing;
      shown = text;
      await changed;
    }
  } finally {
    stop();
    abortSignal?.removeEventListener("abort", abort);
  }
}

function standingOf({ state, progress, events }: CallSnapshot): ToolProgress {
  const content = events.flatMap((event) => (event.type === "segment" ? [event.content] : []));
  return {
    preliminary: true, status: state === "input_required" ? state : "working", ...(progress && { progress }),
    content,
  };
}
