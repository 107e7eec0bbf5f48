// Notes about a server that a page leaves for the next page: the revision of MCP, and behind a blank
// "http/1.1" where the browser would presume more of an https server.
import { lastRevision, noteRevision } from "../storage/revisions.js";
import { presumeOld } from "../tabs/protocols.js";

const OLD = "http/1.1";

/** Notes what the server at this URL speaks; `old`: the browser opens few connections to it. */
export function noteSpoken(url: string, revision: string, old: boolean): Promise<void> {
  return noteRevision(url, old && url.startsWith("https:") ? `${revision} ${OLD}` : revision);
}

/**
 * The revision that the server spoke last, empty if not known. That it spoke HTTP/1.1 counts from here on.
 */
export async function lastSpoken(url: string): Promise<string> {
  const [revision = "", protocol] = (await lastRevision(url)).split(" ");
  if (protocol === OLD) presumeOld(url);
  return revision;
}
