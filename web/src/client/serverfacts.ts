import { FACT } from "../base/border.js";
import type { ClientState } from "../base/clientstate.js";
import type { NegotiationStep } from "../base/negotiation.js";
import type { Implementation, Open, ServerCapabilities } from "../base/mcp.js";

/**
 * The core's report on a connection (wasm/host.go). Every member but the steps is about an open connection.
 */
interface Opened {
  steps?: NegotiationStep[];
  revision?: string;
  session?: boolean;
  initialize?: Open;
}

const META_SERVER = "io.modelcontextprotocol/serverInfo";

/** Facts about the server since the connection was opened, or opened again. */
export class ServerFacts {
  /** The protocol revision in use. */
  revision = "";
  /** The facts that this side goes by: bits of FACT, and two guarantees; 0 before the first connection. */
  bits = 0;
  /** True if the server keeps a session. */
  session = false;
  /** The attempts to find the revision, in order. */
  steps: readonly NegotiationStep[] = [];
  #initialize: Open = {};

  /**
   * `like` are those of another user's connection: what the server can do is taken to be the same until it
   * says so. What is asked of it meanwhile is not refused.
   */
  constructor(like?: ServerFacts) {
    if (!like) return;
    this.revision = like.revision;
    this.bits = like.bits;
    this.#initialize = { capabilities: like.capabilities };
  }

  /** Takes over what the core says: of a new session, all that it says. */
  heard(
    state: ClientState, { revision = "", session = false, initialize = {}, steps }: Opened, bits: number,
  ): void {
    if (steps) this.steps = steps;
    if (state !== "open") return;
    this.revision = revision;
    this.bits = bits;
    this.session = session;
    this.#initialize = initialize;
  }

  /**
   * True if each request describes itself, and the server sends no requests. Arguments are then mirrored into
   * header fields, subscriptions are streams, and roots are asked for in the calls that need them.
   */
  get selfDescribing(): boolean {
    return (this.bits & FACT.selfDescribing) !== 0;
  }

  /** True if completions take the arguments that are chosen already: since 2025-06-18. */
  get completionContext(): boolean {
    return (this.bits & FACT.completionContext) !== 0;
  }

  /** The server's own name and version. */
  get server(): Implementation {
    // In _meta since 2026-07-28; at the top before it, and in its release candidate.
    const meta = this.#initialize["_meta"] as Open | undefined;
    return (
      this.#initialize["serverInfo"] ?? meta?.[META_SERVER] ?? { name: "", version: "" }
    ) as Implementation;
  }

  /** The capabilities that the server declares. */
  get capabilities(): ServerCapabilities {
    return (this.#initialize["capabilities"] ?? {}) as ServerCapabilities;
  }

  /** How to use it, in its own words. */
  get instructions(): string | undefined {
    return this.#initialize["instructions"] as string | undefined;
  }
}
