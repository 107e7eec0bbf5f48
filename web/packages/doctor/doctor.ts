import { badArgument } from "../shared/checks.js";
import { ALLOWED, corsLines, UNBUFFERED, type DiagnosisFinding } from "./findings.js";
import { Probes } from "./probes.js";

/** The findings about a server. */
export interface ServerDiagnosis {
  /** The server's origin: path and query may hold a secret. */
  url: string;
  /** Problems that keep a client out or make its work worse, the worst first; empty where there are none. */
  findings: DiagnosisFinding[];
  /** The revision in the server's answer to `initialize`; undefined where the server said none. */
  revision: string | undefined;
}

/** Options of {@link diagnose}. */
export interface DiagnoseOptions {
  /** Header fields that the app adds to each request: their names are tried, with their values. */
  headers?: HeadersInit;
  /** As {@link ConnectOptions.credentials}. Default "omit". */
  credentials?: RequestCredentials;
  /** Gives it up. */
  signal?: AbortSignal;
  /** How long each request may take, in ms. Default 5,000. */
  patience?: number;
}

const HELLO = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "holdfast-diagnose", version: "1" },
  },
};
const ACCEPT = "application/json, text/event-stream";

/**
 * Looks at a server in several ways and compares what comes, since a browser does not tell a page why a
 * request failed. For a page of an app's own that says why it does not work, and for a person with a console:
 *
 * ```ts
 * const { findings } = await diagnose("https://example.com/mcp");
 * for (const { message, hint, lines } of findings) console.log(message, hint, lines?.nginx);
 * ```
 *
 * It makes up to some forty requests, and changes nothing.
 *
 * @throws HoldfastError `bad_argument`, and what the signal is aborted with
 */
export async function diagnose(url: string | URL, options: DiagnoseOptions = {}): Promise<ServerDiagnosis> {
  const { headers, credentials = "omit", signal, patience, ...others } = options;
  for (const name of Object.keys(others))
    throw badArgument("diagnose", name, "is no option: there are headers, credentials, signal, patience");
  if (patience !== undefined && !(patience > 0))
    throw badArgument("diagnose", "patience", "has to be a number of ms above 0");
  const address = absolute(url);
  const probes = new Probes(address.href, signal, patience);
  const examination = new Examination(address, probes, new Headers(headers), credentials);
  return examination.run();
}

function absolute(url: string | URL): URL {
  if (!url) throw badArgument("diagnose", "url", "has to be a URL, or the text of one");
  let address: URL;
  try {
    address = new URL(url, globalThis.document?.baseURI ?? globalThis.location?.href);
  } catch {
    throw badArgument("diagnose", "url", "is not a URL");
  }
  if (address.protocol !== "http:" && address.protocol !== "https:")
    throw badArgument("diagnose", "url", "has to start with http: or https:");
  address.hash = "";
  return address;
}

class Examination {
  readonly #address: URL;
  readonly #probes: Probes;
  readonly #headers: Headers;
  readonly #credentials: RequestCredentials;
  readonly #findings: DiagnosisFinding[] = [];
  readonly #page: string;
  #revision: string | undefined;

  constructor(address: URL, probes: Probes, headers: Headers, credentials: RequestCredentials) {
    this.#address = address;
    this.#probes = probes;
    this.#headers = headers;
    this.#credentials = credentials;
    this.#page = globalThis.origin ?? "null";
  }

  async run(): Promise<ServerDiagnosis> {
    if (await this.#isReached()) {
      if (!this.#isForeign || (await this.#isAllowed())) await this.#speaks();
    }
    return { url: this.#address.origin, findings: this.#findings, revision: this.#revision };
  }

  get #isForeign(): boolean {
    return this.#address.origin !== this.#page;
  }

  /** Resolves with true if anything answers at the address. */
  async #isReached(): Promise<boolean> {
    const { protocol, hostname, origin } = this.#address;
    const isLocal = isPrivate(hostname);
    if (globalThis.location?.protocol === "https:" && protocol === "http:" && !isLoopback(hostname)) {
      this.#say(
        "mixed_content", "The page is https and the server http: browsers block that.",
        "Serve it over https.",
      );
      return false;
    }
    const policy = watchPolicy(origin);
    try {
      if (await this.#probes.passes({ mode: "no-cors", redirect: "follow" })) return true;
      if (policy.blocked()) {
        this.#say(
          "content_security_policy",
          "The page's Content-Security-Policy does not let it connect to the server.",
          `Add to the page's policy:  connect-src ${origin}`,
        );
      } else if (isLocal && !isPrivate(globalThis.location?.hostname ?? "")) {
        this.#say(
          "local_network",
          "The server is in the local network, or on this machine, and the page is not: browsers ask a " +
            "person, or block that.",
          "Allow this page to look for devices in the local network (the site's settings), and have the " +
            "page on https.",
        );
      } else {
        this.#say(
          "unreachable", `Nothing answers at ${origin}.`,
          `Is the server running, and are host and port right?${
            protocol === "https:"
              ? " Is it https, with a certificate that this browser trusts? A tab with that address says so."
              : ""
          }`,
        );
      }
      return false;
    } finally {
      policy.stop();
    }
  }

  /** Resolves with true if the server's CORS rules let the page in. */
  async #isAllowed(): Promise<boolean> {
    const plain: RequestInit = {};
    const opaque: RequestInit = { mode: "no-cors", redirect: "follow" };
    const missing: string[] = [];
    if (await this.#probes.isRule(plain, opaque)) {
      this.#cors(
        "allow_origin", "The server's CORS rules keep this page out.",
        `It has to answer with  Access-Control-Allow-Origin: ${this.#page}.  If its endpoint does, is the ` +
          "path right? Many servers use /mcp.",
        ALLOWED,
      );
      return false;
    }
    // One that allows any origin allows none that sends its cookies, and one that allows any field then
    // allows none (Fetch 3.3.5).
    const refused = this.#credentials === "include" &&
      (await this.#probes.isRule({ credentials: "include" }, plain));
    const own: RequestInit = refused ? {} : { credentials: this.#credentials };
    const names = new Set(
      [...ALLOWED.filter((name) => name !== "authorization"), ...[...this.#headers.keys()]],
    );
    for (const name of names) {
      if (
        await this.#probes.isRule(
          {
            ...own,
            headers: {
              [name]: this.#headers.get(name) ?? (name === "content-type" ? "application/json" : "probe"),
            },
          },
          own,
        )
      )
        missing.push(name);
    }
    if (missing.length > 0) {
      this.#cors(
        "allow_headers", "The server's CORS rules keep header fields in the browser.",
        `It has to answer a preflight with  Access-Control-Allow-Headers: ${missing.join(", ")}`,
        [...new Set([...ALLOWED, ...missing])],
      );
    }
    if (refused) {
      this.#cors(
        "allow_credentials", "The server's CORS rules keep cookies in the browser.",
        "It has to answer with  Access-Control-Allow-Credentials: true  and  Access-Control-Allow-Origin: " +
          `${this.#page}, not *`,
        ALLOWED,
      );
    }
    if (await this.#probes.isRule({ method: "DELETE" }, plain)) {
      this.#cors(
        "allow_methods", "The server's CORS rules do not let the page end its sessions.",
        "It has to answer a preflight with  Access-Control-Allow-Methods: GET, POST, DELETE", ALLOWED,
      );
    }
    // Without these no POST leaves the browser.
    return !missing.includes("content-type");
  }

  /** Checks that the server speaks MCP, and that its sessions and streams work. */
  async #speaks(): Promise<void> {
    const credentials = this.#credentials;
    const headers = new Headers(this.#headers);
    headers.set("content-type", "application/json");
    headers.set("accept", ACCEPT);
    const post = (body: object, more: Record<string, string> = {}): Promise<Response | "failed" | "late"> => {
      const all = new Headers(headers);
      for (const [name, value] of Object.entries(more)) all.set(name, value);
      return this.#probes.ask({ method: "POST", headers: all, body: JSON.stringify(body), credentials });
    };
    const hello = await post(HELLO);
    if (hello === "failed") {
      if (this.#findings.length > 0) return;
      this.#cors(
        "allow_methods", "The server answers a GET, and not the POST.",
        "Access-Control-Allow-Methods has to list POST, and answers that are errors need the CORS fields " +
          "too.",
        ALLOWED,
      );
      return;
    }
    if (hello === "late")
      return this.#say(
        "buffered", "The answer to initialize does not come.",
        "Does a proxy hold it back, or does the server wait for something?", UNBUFFERED,
      );
    if (hello.status === 401 || hello.status === 403) {
      await hello.body?.cancel();
      if (hello.status === 401)
        return this.#say(
          "unauthorized", "The server wants somebody who is signed in.",
          "Connect with auth: oauth() or a token provider; here, pass headers with an authorization.",
        );
      return this.#say(
        "refused", "The server forbids the request (status 403).",
        "Some servers refuse pages of another origin: allow this one there, or go through a proxy.",
      );
    }
    if (hello.status === 404 || hello.status === 405 || hello.type === "opaqueredirect") {
      await hello.body?.cancel();
      return this.#say(
        "no_endpoint",
        `There is no MCP endpoint at this path${
          hello.status ? ` (status ${hello.status})` : ": it redirects"
        }.`,
        "Is the path right? Many servers use /mcp.",
      );
    }
    const session = hello.headers.get("mcp-session-id");
    const message = await this.#probes.message(hello);
    const result = message?.["result"] as { protocolVersion?: unknown } | undefined;
    if (!message || message["jsonrpc"] !== "2.0")
      return this.#say(
        "not_mcp", "What answers at this path is no MCP server.", "Is the path right? Many servers use /mcp.",
      );
    if (!result) return; // of 2026-07-28 alone: it has no handshake, and no sessions
    this.#revision = typeof result.protocolVersion === "string" ? result.protocolVersion : undefined;
    const own = {
      "mcp-protocol-version": this.#revision ?? "2025-11-25",
      ...(session !== null && { "mcp-session-id": session })
    };
    const noted = await post({ jsonrpc: "2.0", method: "notifications/initialized" }, own);
    if (
      session === null && this.#isForeign && typeof noted !== "string" &&
        (noted.status === 400 || noted.status === 404)
    ) {
      await noted.body?.cancel();
      return this.#cors(
        "expose_session", "The server gives a session, and does not let the page see which.",
        "It has to answer with  Access-Control-Expose-Headers: Mcp-Session-Id", ALLOWED,
      );
    }
    if (typeof noted !== "string") await noted.body?.cancel();
    await this.#streams(own);
    if (session !== null)
      await this.#probes.passes({
        method: "DELETE", headers: { ...Object.fromEntries(this.#headers), ...own }, credentials,
      });
  }

  /**
   * Checks that the stream for unasked messages begins at once: a proxy that buffers holds even its head
   * back.
   */
  async #streams(own: Record<string, string>): Promise<void> {
    const stream = await this.#probes.ask({
      headers: { ...Object.fromEntries(this.#headers), ...own, accept: "text/event-stream" },
      credentials: this.#credentials,
    });
    if (stream === "late") {
      this.#say(
        "buffered",
        "The stream of the server's does not begin: something between keeps it until it is whole.",
        "A proxy has to pass event streams on as they come.", UNBUFFERED,
      );
    } else if (stream !== "failed") await stream.body?.cancel().catch(() => {});
  }

  #cors(code: DiagnosisFinding["code"], message: string, hint: string, headers: readonly string[]): void {
    this.#say(
      code, message, hint,
      corsLines({ origin: this.#page, headers, credentials: this.#credentials === "include" }),
    );
  }

  #say(
    code: DiagnosisFinding["code"], message: string, hint: string, lines?: DiagnosisFinding["lines"],
  ): void {
    this.#findings.push({ code, message, hint, ...(lines && { lines }) });
  }
}

/** Hears whether the page's own policy blocks what is asked of an origin. */
function watchPolicy(origin: string): { blocked: () => boolean; stop: () => void } {
  let isBlocked = false;
  const heard = (event: Event): void => {
    const { blockedURI = "" } = event as SecurityPolicyViolationEvent;
    isBlocked ||= blockedURI.startsWith(origin);
  };
  globalThis.document?.addEventListener("securitypolicyviolation", heard);
  return {
    blocked: () => isBlocked,
    stop: () => globalThis.document?.removeEventListener("securitypolicyviolation", heard),
  };
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" ||
    hostname.startsWith("127.");
}

/** Addresses of this machine and of local networks (RFC 1918, RFC 4193, RFC 6762). */
function isPrivate(hostname: string): boolean {
  return isLoopback(hostname) ||
    /^(10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|\[f[cd])/i.test(hostname) ||
    hostname.endsWith(".local");
}
