// The server that comes with this page: same origin, and it lets itself be
// sabotaged. Any other server is only ever spoken to in MCP.

/** Its MCP endpoint. */
export const embeddedURL: string = new URL("/mcp", location.href).href;

/** What the control endpoints answer. */
interface Done {
  ok: boolean;
  what: string;
}

/** Asks the embedded server to harm itself; resolves to its own words for what it did. */
export async function sabotage(action: string): Promise<string> {
  const response = await fetch(new URL(`/control/${action}`, location.href), { method: "POST" });
  const text = await response.text();
  let done: Partial<Done> = {};
  try {
    done = JSON.parse(text) as Partial<Done>;
  } catch {
    // A page on some other server has no control endpoints; the status says so.
  }
  if (!response.ok || done.ok === false) throw new Error(done.what ?? `the server answered ${response.status}`);
  return done.what ?? "";
}

/** The server that the page's own address asks for: `?server=<url>`. */
export function presetURL(): string {
  return new URLSearchParams(location.search).get("server") || embeddedURL;
}

/**
 * Whether to connect without having been asked to. A link may name a server,
 * but only a person sends this browser to another origin.
 */
export function connectsByItself(url: string): boolean {
  try {
    return new URL(url, location.href).origin === location.origin;
  } catch {
    return false;
  }
}

/** Keeps the server in the page's address, so that a reload finds it again. */
export function remember(url: string): void {
  const page = new URL(location.href);
  if (url === embeddedURL) page.searchParams.delete("server");
  else page.searchParams.set("server", url);
  if (page.href !== location.href) history.replaceState(history.state, "", page);
}
