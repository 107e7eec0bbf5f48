import {
  connect, HoldfastError, version, type ConnectOptions, type Handlers, type McpClient,
} from "holdfast";
import type { Choice } from "./host.js";
import { button, part, setAttributes, setText } from "./element.js";
import { absolute, remember } from "./embedded.js";
import { showFailure } from "./failure.js";

/** What the pill says for each state of the client, and for a page without one. */
const STATES = {
  idle: "not connected",
  connecting: "connecting",
  open: "connected",
  offline: "server away",
  reconnecting: "making a new session",
  awaiting_authorization: "waits for somebody to sign in",
  closing: "disconnecting",
  closed: "disconnected",
  failed: "failed",
} as const;

type State = keyof typeof STATES;

/** What the rest of the page does about the connection. */
export interface ConnectionUse {
  /** What to do when the server asks for something. */
  handlers: Handlers;
  /** Where the runtime is to run for that server. */
  hostOf(url: string): Choice;
  /** A client is open; `why` says what keeps its runtime from the worker that it was to run in. */
  opened(mcp: McpClient, why: string | undefined): void;
  /** Its state has changed. */
  changed(mcp: McpClient): void;
  /** There is no client any more, or none was made. */
  ended(): void;
}

/** The connection bar: which server, with what, and how it stands. */
export class Connection {
  readonly #use: ConnectionUse;
  readonly #url = part<HTMLInputElement>("url");
  readonly #token = part<HTMLInputElement>("token");
  readonly #user = part<HTMLInputElement>("user");
  readonly #headers = part<HTMLTextAreaElement>("headers");
  readonly #credentials = part<HTMLInputElement>("credentials");
  readonly #listen = part<HTMLInputElement>("listen");
  readonly #options = part<HTMLButtonElement>("options");
  readonly #extras = part("extras");
  readonly #connect = part<HTMLButtonElement>("connect");
  readonly #disconnect = part<HTMLButtonElement>("disconnect");
  readonly #state = part("state");
  readonly #problem = part("problem");
  #mcp: McpClient | undefined;
  #attempt: AbortController | undefined;
  /** What the bar said when Connect was pressed; undefined while there is nothing to disconnect. */
  #current: string | undefined;

  constructor(use: ConnectionUse) {
    this.#use = use;
    part<HTMLFormElement>("connection-form").addEventListener("submit", (event) => {
      event.preventDefault();
      // Enter in a bar that has not changed would only end what runs.
      if (!this.#connect.hidden) void this.open();
    });
    this.#disconnect.addEventListener("click", () => void this.close());
    this.#options.addEventListener("click", () => this.#showExtras(this.#extras.hidden === true));
    this.#url.addEventListener("input", () => {
      this.#url.removeAttribute("aria-invalid");
      this.#offerConnect();
    });
  }

  /** The server in the form. */
  set url(url: string) {
    this.#url.value = url;
  }

  /** Connects to the server in the form, instead of to the one there is. */
  async open(): Promise<void> {
    await this.close();
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#problem.replaceChildren();
    this.#url.removeAttribute("aria-invalid");
    part("preset-note").hidden = true;
    this.#current = this.#url.value;
    this.#show("connecting");
    try {
      const { mcp, why } = await this.#made(this.#url.value.trim(), {
        ...this.#chosen(), signal: attempt.signal,
      });
      this.#mcp = mcp;
      remember(mcp.url);
      this.#show(mcp.state);
      mcp.on("state", ({ state, error }) => this.#changed(mcp, state, error));
      this.#use.opened(mcp, why);
    } catch (error) {
      // Another attempt has taken over, or a person has given up on this one.
      if (this.#attempt !== attempt) return;
      this.#show("failed");
      this.#complain(error);
      this.#use.ended();
    }
  }

  /** Connects in the host that is wanted; in the page, with the reason, where that cannot be had. */
  async #made(url: string, options: ConnectOptions): Promise<{ mcp: McpClient; why?: string }> {
    const host = this.#use.hostOf(absolute(url));
    try {
      return { mcp: await connect(url, { ...options, host, worker: "worker.js" }) };
    } catch (error) {
      if (!(error instanceof HoldfastError) || error.code !== "host_unavailable") throw error;
      return {
        mcp: await connect(url, { ...options, host: "page" }), why: error.message.replace("connect: ", ""),
      };
    }
  }

  /** Disconnects, or gives up connecting. */
  async close(): Promise<void> {
    const mcp = this.#mcp;
    this.#mcp = undefined;
    if (mcp) {
      this.#show("closing");
      await mcp.close();
    } else if (this.#attempt) {
      const attempt = this.#attempt;
      this.#attempt = undefined;
      attempt.abort();
    } else return;
    this.#attempt = undefined;
    this.#show("closed");
    this.#use.ended();
  }

  #changed(mcp: McpClient, state: State, error: HoldfastError | undefined): void {
    if (mcp !== this.#mcp) return;
    const died = error?.code === "runtime_exited";
    this.#show(state);
    if (state === "failed" && died) {
      // It died twice within seconds: the client leaves the third start to its app.
      this.#mcp = undefined;
      this.#use.ended();
      void this.open();
    } else if (state === "failed" || state === "closed") {
      this.#mcp = undefined;
      if (error) this.#complain(error);
      this.#use.ended();
    } else {
      if (state === "reconnecting" && died) setText(this.#state, "runtime died, starting another");
      this.#use.changed(mcp);
    }
  }

  /** Deletes what is stored of the server, and begins again. */
  async forget(): Promise<void> {
    const mcp = this.#mcp;
    this.#mcp = undefined;
    this.#attempt = undefined;
    if (!mcp) return;
    this.#show("closing");
    await mcp.forget();
    this.#use.ended();
    await this.open();
  }

  #show(state: State): void {
    setAttributes(this.#state, { "data-state": state });
    setText(this.#state, STATES[state]);
    const active = state === "connecting" || state === "open" || state === "offline" ||
      state === "reconnecting" || state === "awaiting_authorization";
    if (!active) this.#current = undefined;
    this.#disconnect.hidden = !active;
    setText(this.#disconnect, state === "connecting" ? "Stop" : "Disconnect");
    this.#offerConnect();
  }

  /** Connect is there for a server that is not the present one. */
  #offerConnect(): void {
    this.#connect.hidden = this.#url.value === this.#current;
  }

  #showExtras(shown: boolean): void {
    this.#extras.hidden = !shown;
    this.#options.setAttribute("aria-expanded", String(shown));
  }

  #complain(thrown: unknown): void {
    const error = thrown instanceof HoldfastError
      ? thrown
      : new HoldfastError({ code: "load_failed", message: String(thrown), cause: thrown });
    if (error.code === "bad_argument") {
      const inURL = /\burl\b/.test(error.message);
      if (!inURL) this.#showExtras(true);
      else this.#url.setAttribute("aria-invalid", "true");
      const lead = inURL
        ? "This is not an address that can be connected to."
        : "One of the options cannot be sent.";
      this.#problem.replaceChildren(showFailure(error, "connect-error", { lead }));
      return;
    }
    const again = button(
      "Try again", { class: "small", "data-testid": "connect-again" }, () => void this.open(),
    );
    const token = button("Enter a token", { class: "small" }, () => {
      this.#showExtras(true);
      this.#token.focus();
    });
    const actions = error.code === "unauthorized" ? [token, again] : [again];
    this.#problem.replaceChildren(
      showFailure(error, "connect-error", { lead: "The connection could not be made.", actions }),
    );
  }

  #chosen(): ConnectOptions {
    const token = this.#token.value.trim();
    const user = this.#user.value.trim();
    const headers = readHeaders(this.#headers.value);
    return {
      client: { name: "holdfast-demo", title: "Holdfast demo page", version },
      handlers: this.#use.handlers,
      listen: this.#listen.checked,
      // A person says when a call is done with: until then a reload shows it again.
      ack: "manual",
      ...(this.#credentials.checked ? { credentials: "include" } : {}),
      ...(token === "" ? {} : { token: () => token }),
      ...(user === "" ? {} : { principal: user }),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
    };
  }
}

/** Lines of the form "Name: value". */
function readHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    if (line.trim() === "") continue;
    if (colon < 1)
      throw new HoldfastError({
        code: "bad_argument", op: "connect", message: `the header line "${line.trim()}" has no colon`,
      });
    headers[line.slice(0, colon).trim()] = line.slice(colon + 1).trim();
  }
  return headers;
}
