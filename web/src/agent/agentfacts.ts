import type { ClientState } from "../base/clientstate.js";
import type { Implementation, Open } from "../base/mcp.js";
import type { AgentCapabilities, AuthMethod } from "./acp.js";
import { DIALECTS, type Dialect } from "./dialects.js";

/** The facts that the client has learned of the agent since it last connected. */
export class AgentFacts {
  /** The version of ACP in use; 0 until there is one. */
  version = 0;
  /** How the agent is spoken to. */
  transport: "http" | "websocket" = "http";
  /** True if an earlier page made the connection. */
  restored = false;
  #initialize: Open = {};

  /** Takes over what the core says of an open connection. */
  heard(state: ClientState, said: Open): void {
    if (state !== "open") return;
    const { version, initialize, restored, transport } =
      said as unknown as AgentFacts & { initialize?: Open };
    this.version = version;
    this.restored = restored;
    this.transport = transport;
    this.#initialize = initialize ?? {};
  }

  /**
   * Those of another user's connection: what the agent can do is taken to be the same until it says so. What
   * is asked of it meanwhile is not refused.
   */
  ofAnotherUser(): AgentFacts {
    const { info: _, agentInfo: __, _meta: ___, ...rest } = this.#initialize;
    const facts = new AgentFacts();
    facts.heard("open", { ...this.said, initialize: rest });
    return facts;
  }

  /** The same as data, for {@link heard} of another. */
  get said(): Open {
    return {
      version: this.version, restored: this.restored, transport: this.transport, initialize: this.#initialize,
    };
  }

  /** The differences of the version of ACP in use. */
  get dialect(): Dialect {
    return DIALECTS[this.version] ?? DIALECTS[2]!;
  }

  /** The agent's own name and version. */
  get info(): Implementation {
    return this.dialect.info(this.#initialize) ?? { name: "", version: "" };
  }

  /** The capabilities that the agent declares. */
  get capabilities(): AgentCapabilities {
    return this.dialect.capabilities(this.#initialize);
  }

  /** How to log in. */
  get authMethods(): AuthMethod[] {
    const methods = this.#initialize["authMethods"];
    return Array.isArray(methods) ? this.dialect.authMethods(methods as Open[]) : [];
  }
}
