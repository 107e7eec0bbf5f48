// Asks a server for its tools, once, without a browser: 2026-07-28 first, and the handshake of 2025-11-25 where the server
// does not know that. Nothing here lasts; what does is the module's.

const MODERN = "2026-07-28";
const SESSIONS = "2025-11-25";
const CLIENT = { name: "holdfast-tool-types", version: "1" };
/** Pages of a list at most: a server may go in a circle. */
const PAGES = 1000;

/** All tools of a server. Rejects with what is wrong, in words. */
export async function listTools(url, headers, fetch) {
  const modern = await pages((cursor) => post(url, fetch, headers, MODERN, request(1, "tools/list", { ...cursor, _meta: META }), { "mcp-method": "tools/list" }));
  if (modern.tools) return modern.tools;
  const { json, session, status } = await post(url, fetch, headers, undefined, request(1, "initialize", { protocolVersion: SESSIONS, capabilities: {}, clientInfo: CLIENT }));
  if (!json?.result) throw new Error(whatIsWrong(status, json));
  const revision = json.result.protocolVersion;
  const own = session ? { "mcp-session-id": session } : {};
  await post(url, fetch, headers, revision, { jsonrpc: "2.0", method: "notifications/initialized" }, own);
  let id = 1;
  const { tools, failed } = await pages((cursor) => post(url, fetch, headers, revision, request(++id, "tools/list", cursor), own));
  if (session) await fetch(url, { method: "DELETE", headers: [...headers, ...Object.entries(own), ["mcp-protocol-version", revision]] }).catch(() => {});
  if (!tools) throw new Error(whatIsWrong(failed.status, failed.json));
  return tools;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": CLIENT,
  "io.modelcontextprotocol/clientCapabilities": {},
};

const request = (id, method, params) => ({ jsonrpc: "2.0", id, method, params });

/** Asks page by page; `failed` is the first answer that is no page. */
async function pages(ask) {
  const tools = [];
  let cursor = {};
  for (let n = 0; n < PAGES; n++) {
    const answer = await ask(cursor);
    const result = answer.json?.result;
    if (!Array.isArray(result?.tools)) return { failed: answer };
    tools.push(...result.tools);
    if (result.nextCursor === undefined || result.nextCursor === null) return { tools };
    cursor = { cursor: result.nextCursor };
  }
  throw new Error(`the list of tools has no end: ${PAGES} pages came`);
}

async function post(url, fetch, headers, revision, body, own = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: [...headers, ...Object.entries(own), ...(revision ? [["mcp-protocol-version", revision]] : []), ["content-type", "application/json"], ["accept", "application/json, text/event-stream"]],
    body: JSON.stringify(body),
  }).catch((error) => {
    throw new Error(`it cannot be reached: ${error.cause?.message ?? error.message}`);
  });
  const session = response.headers.get("mcp-session-id") ?? undefined;
  const isStream = (response.headers.get("content-type") ?? "").includes("text/event-stream");
  const json = body.id === undefined ? void (await response.body?.cancel()) : await (isStream ? answerIn(response.body, body.id) : response.json().catch(() => undefined));
  return { json, session, status: response.status };
}

/** The response with that id, of an event stream, which may stay open after it. */
async function answerIn(stream, id) {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split(/\r\n\r\n|\n\n|\r\r/);
    text = events.pop();
    for (const event of events) {
      const data = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5).replace(/^ /, ""));
      try {
        const json = JSON.parse(data.join("\n"));
        if (json.id === id) return json; // leaving the loop cancels the stream
      } catch {
        // No message: an event that only has an id, say.
      }
    }
  }
  return undefined;
}

function whatIsWrong(status, json) {
  if (json?.error) return `the server answers with an error: ${json.error.message} (${json.error.code})`;
  if (status === 401 || status === 403) return `the server answers with status ${status}: give it a token, --header "Authorization: Bearer ..."`;
  return status >= 400 ? `the server answers with status ${status}` : "the answer is no message of MCP: is that the address of an MCP server?";
}
