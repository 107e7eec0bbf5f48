// The server that comes with this page: same origin, and it lets itself be
// sabotaged. Any other server is only ever spoken to in MCP.

/** Its MCP endpoint. */
export const embeddedURL: string = new URL("/mcp", location.href).href;

/** The same tools behind a server that answers in one piece: nothing of it can be resumed. */
export const plainURL: string = new URL("/plain", location.href).href;

/** A server whose calls become tasks: they take long, and go on without the page. */
export const tasksURL: string = new URL("/tasks", location.href).href;

/** A server that has two ways to go on with a call: a token, and a task that is continued. */
export const resumeURL: string = new URL("/resume", location.href).href;

/** The server to which a person has connected in this tab. */
const TRUSTED = "holdfast-demo.trusted";

/** Whether a server lets itself be sabotaged. */
export function isEmbedded(url: string): boolean {
  return url === embeddedURL || url === plainURL || url === tasksURL || url === resumeURL;
}

/** What the control endpoints answer. */
interface Done {
  ok: boolean;
  what: string;
  /** How long it lasts, where it has an end. */
  ms?: number;
}

/** Asks the embedded server to harm itself; resolves to its own words for what it did. */
export async function sabotage(action: string): Promise<string> {
  return (await control(action)).what ?? "";
}

/** The same with all that it answers. */
export async function control(action: string): Promise<Partial<Done>> {
  const response = await fetch(new URL(`/control/${action}`, location.href), { method: "POST" });
  const text = await response.text();
  let done: Partial<Done> = {};
  try {
    done = JSON.parse(text) as Partial<Done>;
  } catch {
    // A page on some other server has no control endpoints; the status says so.
  }
  if (!response.ok || done.ok === false)
    throw new Error(done.what ?? `the server answered ${response.status}`);
  return done;
}

/** The server that the page's own address asks for: `?server=<url>`. */
export function presetURL(): string {
  return new URLSearchParams(location.search).get("server") || embeddedURL;
}

/** An address with what this page's own adds to it; "" for what is none. */
export function absolute(url: string): string {
  return URL.canParse(url, location.href) ? new URL(url, location.href).href : "";
}

/**
 * Whether to connect without having been asked to. A link may name a server,
 * but only a person sends this browser to another origin: in this tab, before
 * it was reloaded.
 */
export function connectsByItself(url: string): boolean {
  try {
    const { href, origin } = new URL(url, location.href);
    return origin === location.origin || sessionStorage.getItem(TRUSTED) === href;
  } catch {
    return false;
  }
}

/** Keeps the server in the page's address, so that a reload finds it again. */
export function remember(url: string): void {
  try {
    sessionStorage.setItem(TRUSTED, url);
  } catch {
    // Then a reload asks again.
  }
  const page = new URL(location.href);
  if (url === embeddedURL) page.searchParams.delete("server");
  else page.searchParams.set("server", url);
  if (page.href !== location.href) history.replaceState(history.state, "", page);
}
