import type { Tool } from "holdfast";

/** A server's tools. */
export interface ServerTools {
  server: string;
  prefix: string;
  tools: readonly Tool[];
}

/** A tool under its name in the hub. */
export interface NamedTool {
  name: string;
  server: string;
  tool: Tool;
}

/**
 * The names of the tools of several servers. The same lists give the same names on every page. A tool keeps
 * its name whatever tools a later server has: stored chats have the name.
 */
export class HubNames {
  #known = new Map<string, { server: string; toolName: string }>();

  /** Names the tools of these servers; what is known of others, which have not answered, stays. */
  of(lists: readonly ServerTools[]): NamedTool[] {
    const answered = new Set(lists.map(({ server }) => server));
    const taken = new Map([...this.#known].filter(([, { server }]) => !answered.has(server)));
    const named = lists.flatMap(({ server, prefix, tools }) =>
      tools.map((tool) => {
        const name = free(taken, [`${prefix}${tool.name}`, `${server}_${tool.name}`]);
        taken.set(name, { server, toolName: tool.name });
        return { name, server, tool };
      }),
    );
    this.#known = taken;
    return named;
  }

  /** The tool of that name; undefined where none was listed. */
  get(name: string): { server: string; toolName: string } | undefined {
    return this.#known.get(name);
  }

  /** A server has gone. */
  forget(server: string): void {
    for (const [name, tool] of this.#known) if (tool.server === server) this.#known.delete(name);
  }
}

/** The first of these names that is free; else the last of them with a number. */
function free(taken: ReadonlyMap<string, unknown>, names: readonly string[]): string {
  const first = names.find((name) => !taken.has(name));
  if (first !== undefined) return first;
  const last = names.at(-1)!;
  for (let n = 2; ; n++) if (!taken.has(`${last}_${n}`)) return `${last}_${n}`;
}
