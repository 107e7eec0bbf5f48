// A page's user may change while something of the last one's waits for the page, which hangs or is slow: none of
// that goes there any more (fault 467).

import { otherUser } from "../../connect/otheruser.js";
import type { Addressees } from "./addressees.js";
import { errorData } from "../wire/errordata.js";
import { EventBatch } from "../wire/eventbatch.js";
import type { HostMessage } from "../wire/protocol.js";

/** A message, and what crosses with it. */
export type Waiting = [message: HostMessage, transfer: Transferable[]];

/** Events that say nothing of a user: the standing of the client. */
const STANDS: ReadonlySet<string> = new Set(["state", "durability", "status", "listen"]);

/**
 * Message that goes to the page in the place of one that waits; undefined for none. The user of `client` is
 * another one.
 */
export function takenBack(waiting: Waiting, client: number, addressees: Addressees): Waiting | undefined {
  const [message] = waiting;
  switch (message.t) {
    case "answered":
      return addressees.ofAsk(message.ask)?.client === client ? [answerTakenBack(message, addressees), []] : waiting;
    case "events": {
      const batch = new EventBatch();
      batch.addAll(message, (call) => addressees.ofCall(call).client !== client);
      if (batch.isEmpty) return undefined;
      const left = batch.take();
      return [{ t: "events", ...left }, [left.heads.buffer]];
    }
    case "settle":
    case "fail": {
      const of = addressees.ofCall(message.call);
      return of.client === client ? [{ t: "fail", call: message.call, error: errorData(otherUser(of.op)) }, []] : waiting;
    }
    case "from":
    case "skipped":
    case "replayed":
    case "peeked":
      return addressees.ofCall(message.call).client === client ? undefined : waiting;
    case "call":
    case "session":
    case "assigned":
      return message.client === client ? undefined : waiting;
    case "emit": {
      const { client: of, event, value, call } = message;
      if (of !== client) return waiting;
      return STANDS.has(event) ? [{ t: "emit", client, event, value, call }, []] : undefined; // without an error of the last one's
    }
    case "question":
      return message.client === client && message.asked !== "token" ? undefined : waiting;
    case "facts": {
      if (message.client !== client) return waiting;
      const { state, stored } = message.facts as { state?: unknown; stored?: unknown };
      return [{ t: "facts", client, facts: { ...(state !== undefined && { state }), ...(stored !== undefined && { stored }) } }, []];
    }
    default:
      return waiting;
  }
}

/** An answer, without what is in it. */
export function answerTakenBack(message: Extract<HostMessage, { t: "answered" }>, addressees: Addressees): HostMessage {
  const { ask, value, error } = message;
  if (value === undefined && !error) return message; // that it is done
  return { t: "answered", ask, error: errorData(otherUser(addressees.ofAsk(ask)?.op ?? "")) };
}
