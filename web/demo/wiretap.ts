// A second pair of ears on the wire of the demo's own server of tasks. The
// runtime gives the page each segment once, in order; the picture is to show what
// it had to put right for that. No app needs this.

import type { Open } from "holdfast";

/** What is heard. */
export interface Listener {
  /** A call has become a task. Said again with each of its answers. */
  made(task: string, tool: string, args: Open): void;
  /** One answer has brought these segments, in this order. */
  brought(task: string, seqNrs: number[]): void;
}

interface Message {
  method?: string;
  params?: { name?: string; arguments?: Open };
  result?: { task?: { taskId?: unknown }; "partial-content"?: unknown; _meta?: Record<string, { taskId?: unknown } | undefined> };
}

const RELATED = "io.modelcontextprotocol/related-task";

/** Listens to all that the page fetches from an endpoint. */
export function tap(url: string, listener: Listener): void {
  const real = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    if (!(input instanceof Request) || input.url !== url) return real(input, init);
    const asked = input.method === "POST" ? input.clone().text() : Promise.resolve("");
    const response = await real(input, init);
    void hear(asked, response.clone(), listener).catch(() => {
      // It was cut; the runtime says so.
    });
    return response;
  };
}

async function hear(asked: Promise<string>, response: Response, listener: Listener): Promise<void> {
  const text = await asked;
  const request = (text === "" ? {} : JSON.parse(text)) as Message;
  const take = (json: string): void => {
    const { result } = JSON.parse(json) as Message;
    const task = result?.task?.taskId ?? result?._meta?.[RELATED]?.taskId;
    if (typeof task !== "string") return;
    const { name, arguments: args = {} } = request.params ?? {};
    if (request.method === "tools/call" && name !== undefined) listener.made(task, name, args);
    const segments = result?.["partial-content"];
    if (Array.isArray(segments)) listener.brought(task, segments.map(({ seqNr }: { seqNr: number }) => seqNr));
  };
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) await readEvents(response, take);
  else if (response.status === 200) take(await response.text());
}

/** Reads the data of each event of a stream of this server's: its lines end with one character, and hold one message. */
async function readEvents(response: Response, take: (data: string) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    const lines = (rest + next.value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: {")) take(line.slice("data: ".length));
  }
}
