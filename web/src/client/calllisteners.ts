import type { Listeners } from "../base/listeners.js";
import type { ResumedEvent, StatusEvent } from "../base/streamevents.js";
import { decodeEvent, type ProgressEvent, type RawEvent } from "./events.js";
import type { Progress } from "./options.js";

/** Values that a call's listeners get beside the events. */
export interface CallListeners {
  progress: Progress;
  stream: StatusEvent | ResumedEvent;
  done: undefined;
  answered: undefined;
}

/** Tells of an event that is one of those. */
export function tell(listeners: Listeners<CallListeners>, raw: RawEvent): void {
  try {
    const event = decodeEvent(raw) as ProgressEvent | StatusEvent | ResumedEvent;
    if (event.type !== "progress") return listeners.emit("stream", event);
    const { type: _, position: __, ...progress } = event;
    listeners.emit("progress", progress);
  } catch {
    // It is no JSON: who iterates hears of that.
  }
}
