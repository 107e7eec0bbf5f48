import type { ListenEvent, McpClient, NegotiationStep, ServerCapabilities } from "holdfast";
import { duration } from "./duration.js";
import { clipped, element, part, setAttributes, setText } from "./element.js";
import { isObject } from "./schema.js";

/** Capabilities shown; a server may name any number. */
const MAX_CHIPS = 24;

/** What the handshake has brought: who the server is and what it can do. */
export class Facts {
  readonly #box = part("facts");
  readonly #name = part("server-name");
  readonly #version = part("server-version");
  readonly #revision = part("revision");
  readonly #session = part("session");
  readonly #listen = part("listen-state");
  readonly #negotiation = part("negotiation");
  readonly #capabilities = part("capabilities");
  readonly #instructions = part("instructions");
  readonly #instructionsRow = part("instructions-row");

  /** Shows the facts of an open client. */
  show(mcp: McpClient): void {
    const { name, title, version } = mcp.server;
    setText(this.#name, clipped(String(title || name || "a server without a name"), 100));
    setText(this.#version, clipped(String(version ?? ""), 40));
    setText(this.#revision, mcp.revision);
    setText(this.#session, mcp.session ? "yes" : "no");
    this.#negotiation.replaceChildren(...steps(mcp));
    this.#capabilities.replaceChildren(...chips(mcp.capabilities));
    const instructions = mcp.instructions;
    this.#instructionsRow.hidden = !instructions;
    setText(this.#instructions, clipped(String(instructions ?? ""), 2000));
    this.#box.hidden = false;
  }

  /** Says that the stream for unasked messages has not been heard of. */
  resetListen(): void {
    setAttributes(this.#listen, { "data-state": "none" });
    setText(this.#listen, "not open");
  }

  /** Shows what the stream for unasked messages does. */
  listen({ state, delay }: ListenEvent): void {
    setAttributes(this.#listen, { "data-state": state });
    setText(
      this.#listen,
      state === "open"
        ? "open"
        : state === "cut"
          ? `cut, again in ${duration(delay ?? 0)}`
          : state === "off" ? "not offered" : "reconnecting",
    );
  }

  clear(): void {
    this.#box.hidden = true;
  }
}

/** What followed from an answer, in words. */
const THEN: Record<NegotiationStep["then"], string> = {
  initialize: "a legacy server",
  modern: "a modern server",
  retry: "it names another revision",
  unsupported: "no revision in common",
  failed: "no use",
};

/** What was tried to find the revision, and what it came to. */
function steps(mcp: McpClient): HTMLElement[] {
  const tried: [method: string, came: string][] = mcp.negotiation.map(({ method, status, code, then }) => {
    const answer = status === 0 ? "no answer" : code === undefined ? String(status) : `${status} (${code})`;
    return [method, `${answer}: ${THEN[then] ?? then}`];
  });
  if (mcp.negotiation.at(-1)?.then !== "modern") tried.push(["initialize", mcp.revision]);
  return tried.map(
    ([method, came]) => element(
      "li", {}, element("code", {}, clipped(method, 60)), ` → ${clipped(came, 100)}`,
    ),
  );
}

function chips(capabilities: ServerCapabilities): HTMLElement[] {
  const names = Object.keys(capabilities).slice(0, MAX_CHIPS);
  if (names.length === 0) return [element("li", { class: "none" }, "none")];
  return names.map((name) => {
    const value = capabilities[name];
    const more = isObject(value) ? Object.keys(value).filter((key) => value[key] !== false) : [];
    return element(
      "li", { title: more.length > 0 ? `with ${clipped(more.join(", "), 300)}` : undefined },
      clipped(name, 40),
    );
  });
}
