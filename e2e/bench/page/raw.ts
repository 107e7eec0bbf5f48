// The practical floor: fetch, eventsource-parser and JSON.parse. No handshake,
// no validation, no timeouts, no session; it trusts the server in everything.
import { createParser, type EventSourceParser } from "eventsource-parser";
import type { Session } from "./contender.js";

interface Message {
  id?: number;
  method?: string;
  params?: { progress: number };
  result?: unknown;
  error?: { message: string };
}

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

export async function connect(url: string): Promise<Session> {
  let last = 0;
  return {
    async call(name, args, seen) {
      const id = ++last;
      const params = { name, arguments: args, ...(seen && { _meta: { progressToken: id } }) };
      let response = await fetch(url, {
        method: "POST", headers: HEADERS,
        body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }),
      });
      if (!response.headers.get("content-type")?.startsWith("text/event-stream"))
        return outcome((await response.json()) as Message);
      const stream = new Stream(seen);
      for (;;) {
        if (!response.ok) throw new Error(`HTTP ${response.status}`);
        const answer = await stream.read(response);
        if (answer) return outcome(answer);
        if (stream.cursor === "") throw new Error("the stream ended and cannot be resumed");
        await new Promise((resolve) => setTimeout(resolve, stream.retry));
        response = await fetch(url, {
          headers: { accept: "text/event-stream", "last-event-id": stream.cursor },
        });
      }
    },
    close() {},
  };
}

function outcome(message: Message): unknown {
  if (message.error) throw new Error(message.error.message);
  return message.result;
}

/** The event stream of one call, over as many responses as it takes. */
class Stream {
  cursor = "";
  retry = 0;
  #answer: Message | undefined;
  readonly #parser: EventSourceParser;

  constructor(seen: ((progress: number) => void) | undefined) {
    this.#parser = createParser({
      onRetry: (ms) => {
        this.retry = ms;
      },
      onEvent: ({ id, data }) => {
        if (id) this.cursor = id;
        if (data === "") return;
        const message = JSON.parse(data) as Message;
        if (message.method === "notifications/progress") seen?.(message.params!.progress);
        else if (message.id !== undefined) this.#answer = message;
      },
    });
  }

  /** Reads a response to its end, or to its break; the answer, if it had come by then. */
  async read(response: Response): Promise<Message | undefined> {
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    this.#parser.reset();
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read())
        this.#parser.feed(decoder.decode(part.value, { stream: true }));
    } catch {
      // A connection that broke; what to do about it is the caller's.
    }
    return this.#answer;
  }
}
