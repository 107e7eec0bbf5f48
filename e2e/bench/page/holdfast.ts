// Holdfast, bundled as an app's bundler does it; the wasm lies beside the bundle.
import { connect as open, preload as load } from "holdfast";
import type { Options, Session } from "./contender.js";

/** The page, where a row names no host: there it is on the same thread as the others' clients. */
const HERE = { host: "page" } as const;

export async function preload(options: Options): Promise<void> {
  await load({ ...HERE, ...options });
}

export async function connect(url: string, options: Options): Promise<Session> {
  const client = await open(url, { ...HERE, ...options });
  return {
    async call(tool, args, seen) {
      const call = client.callTool(tool, args);
      if (seen) for await (const event of call) if (event.type === "progress") seen(event.progress);
      return call.result;
    },
    list: () => client.listTools(),
    close: () => client.close(),
  };
}
