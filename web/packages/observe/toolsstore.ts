import type { HoldfastError, McpClient, Tool } from "holdfast";
import { checkClient } from "../shared/checks.js";
import { Observed, type Store } from "./observed.js";

/** The tools of a server. */
export interface ToolsSnapshot {
  /** `loading`: there is no list yet; `failed`: it could not be had, and `tools` is the last one, if any. */
  readonly state: "loading" | "ready" | "failed";
  readonly tools: readonly Tool[];
  readonly error: HoldfastError | undefined;
  /** Lists them again. */
  refresh(): void;
}

/**
 * The server's list of tools, read once for all who show it and again when the server says that it has
 * changed.
 */
class ToolsStore extends Observed<ToolsSnapshot> {
  readonly #client: McpClient;
  #state: ToolsSnapshot["state"] = "loading";
  #tools: readonly Tool[] = [];
  #error: HoldfastError | undefined;
  /** Counts the lists that were asked for: an answer that is overtaken is none. */
  #asked = 0;
  /** True if the list that is shown may differ from the server's, e.g. after "changed". */
  #stale = true;
  #listens = false;
  /**
   * A list is under way. What has changed meanwhile is listed once behind it, however often the server says
   * so.
   */
  #underWay = false;
  #onceMore = false;

  constructor(client: McpClient) {
    super();
    this.#client = client;
  }

  protected override begin(): void {
    if (!this.#listens) {
      this.#listens = true;
      this.#client.on("changed", ({ what }) => {
        if (what === "tools") this.#outdated();
      });
      this.#client.on("state", ({ state, anotherUser }) => {
        if (anotherUser || state === "closed") this.#forget();
        // While the client of the next user is being made a list would be refused.
        if (
          state === "open" ? this.#stale || this.#state === "failed" : this.#stale && state !== "reconnecting"
        )
          this.#outdated();
      });
    }
    if (this.#stale) this.#list();
  }

  /** The list is out of date: the store asks the server for a new one, if a listener sees it. */
  #outdated(): void {
    this.#stale = true;
    if (this.heard) this.#list();
  }

  /** The list was for the last user, who may see other tools than the next; a closed client has none. */
  #forget(): void {
    [this.#state, this.#tools, this.#error] = ["loading", [], undefined];
    this.#asked++;
    this.#stale = true;
    this.#underWay = this.#onceMore = false;
    this.publish();
  }

  readonly #refresh = (): void => this.#list();

  #list(): void {
    this.#onceMore = this.#underWay;
    if (this.#underWay) return;
    this.#underWay = true;
    const asked = ++this.#asked;
    this.#stale = false;
    const take = (
      state: "ready" | "failed", tools: readonly Tool[], error: HoldfastError | undefined
    ): void => {
      if (asked !== this.#asked) return;
      [this.#state, this.#tools, this.#error] = [state, tools, error];
      this.#stale ||= state === "failed"; // whoever comes next tries again, as where it has changed meanwhile
      this.#underWay = false;
      if (this.#onceMore && this.heard) this.#list();
      else this.#stale ||= this.#onceMore;
      this.changed();
    };
    this.#client.listTools().then(
      ({ tools }) => take("ready", tools, undefined),
      (error: HoldfastError) => take("failed", this.#tools, error),
    );
  }

  protected current(): ToolsSnapshot {
    return { state: this.#state, tools: this.#tools, error: this.#error, refresh: this.#refresh };
  }
}

/** The snapshot before there is a client. */
export const NO_TOOLS: ToolsSnapshot = Object.freeze({
  state: "loading", tools: [], error: undefined, refresh: () => {},
});

const stores = new WeakMap<McpClient, ToolsStore>();

/**
 * Observes the server's tools: listed once for all who show them, and again when the server says that the
 * list has changed.
 *
 * @throws HoldfastError `bad_argument`
 */
export function observeTools(client: McpClient): Store<ToolsSnapshot> {
  checkClient("observeTools", client);
  let store = stores.get(client);
  if (!store) stores.set(client, (store = new ToolsStore(client)));
  return store;
}
