// A second pair of ears on the wire of the demo's own servers of long work. The
// runtime gives the page each segment once, in order, and goes on with a call by
// itself; the picture is to show what it did for that. No app needs this.

import type { Open } from "holdfast";

/** A request that has left for a call. */
export interface Heard {
  method: string;
  /** Its JSON-RPC id as text; that of requests/resume is the id of the call itself. */
  id: string;
  /** Of a call of a tool. */
  tool?: string;
  args?: Open;
  /** Of a request about a task. */
  task?: string;
  /** When it left, on the clock of performance.now(). */
  at: number;
}

/** What is heard. */
export interface Listener {
  /** A request about a call has left. */
  left(request: Heard): void;
  /** A call has become a task. Said again with each of its answers. */
  made(task: string, tool: string, args: Open): void;
  /** One answer has brought these segments, in this order. */
  brought(task: string, seqNrs: number[]): void;
}

interface Message {
  method?: string;
  id?: unknown;
  params?: { name?: string; arguments?: Open; taskId?: unknown };
  result?: {
    task?: { taskId?: unknown };
    "partial-content"?: unknown;
    _meta?: Record<string, { taskId?: unknown } | undefined>
  };
}

const RELATED = "io.modelcontextprotocol/related-task";

/** What leaves for a call that is under way, besides the call itself. */
const ABOUT = new Set(["requests/resume", "tasks/continue", "tasks/result", "tasks/get"]);

/** Listens to all that the page fetches from some endpoints. */
export function tap(urls: readonly string[], listener: Listener): void {
  const real = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const request = input instanceof Request ? input.clone() : new Request(input, init);
    if (!urls.includes(request.url)) return real(input, init);
    const at = performance.now();
    const asked = request.method === "POST" ? request.text() : Promise.resolve("");
    void asked.then((text) => tell(text, at, listener));
    const response = await real(input, init);
    void hear(asked, response.clone(), listener).catch(() => {
      // It was cut; the runtime says so.
    });
    return response;
  };
}

function tell(text: string, at: number, listener: Listener): void {
  const { method, id, params = {} } = (text === "" ? {} : JSON.parse(text)) as Message;
  if (method === "tools/call")
    listener.left({ method, id: String(id), tool: params.name ?? "", args: params.arguments ?? {}, at });
  else if (method !== undefined && ABOUT.has(method)) {
    listener.left({
      method, id: String(id), ...(typeof params.taskId === "string" ? { task: params.taskId } : {}), at,
    });
  }
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
    if (Array.isArray(segments))
      listener.brought(task, segments.map(({ seqNr }: { seqNr: number }) => seqNr));
  };
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) await readEvents(response, take);
  else if (response.status === 200) take(await response.text());
}

/**
 * Reads the data of each event of a stream of this server's: its lines end with one character, and hold one
 * message.
 */
async function readEvents(response: Response, take: (data: string) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    const lines = (rest + next.value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: {")) take(line.slice("data: ".length));
  }
}
