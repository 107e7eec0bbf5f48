import type { Call, CallEvent, CallToolResult, McpClient, Open, Tool } from "holdfast";
import { CallCard, type CardUse } from "./card.js";
import { counted } from "./duration.js";
import { button, part, setText } from "./element.js";
import { forgetCall, onForgotten, prune } from "./memory.js";
import type { Mark } from "./trace.js";
import type { Heard } from "./wiretap.js";

/** Finished calls that stay in the page. */
const MAX_FINISHED = 30;
/** Requests that wait for their calls. */
const MAX_UNPLACED = 50;

/** Hears of a call's events, and of its end (undefined). */
export type CallWatcher = (card: CallCard, event: CallEvent | undefined) => void;

/** The calls of one server, newest first: those of this page, and those that the journal brings back. */
export class CallList {
  readonly #list = part("call-list");
  readonly #empty = part("no-calls");
  readonly #count = part("call-count");
  readonly #clear: HTMLButtonElement;
  readonly #watchers = new Set<CallWatcher>();
  readonly #use: CardUse;
  #cards: CallCard[] = [];
  #mcp: McpClient | undefined;
  #url = "";
  /** Calls that this page has let go of, by key: what comes back of them was not reloaded. */
  readonly #left = new Set<string>();
  /** Of these, calls of this server that are stored for another user than the present one. */
  #kept = 0;
  /** Requests that left for calls that the journal had not brought back yet. */
  #unplaced: Heard[] = [];
  /** Whether the journal has been asked: until then nobody knows that there are no calls. */
  #looked = false;

  constructor() {
    this.#clear = button("Done with all finished", {
      class: "quiet small", hidden: true, "data-testid": "done-all",
    }, () => {
      for (const card of this.#cards.filter(finished)) this.#done(card);
    });
    part("calls-head").append(this.#clear);
    this.#use = {
      changed: (card, event) => {
        if (event === undefined) this.#show();
        for (const watcher of this.#watchers) watcher(card, event);
      },
      again: (card) => void (this.#mcp && this.run(this.#mcp, card.tool as Tool, card.args)),
      replayed: (card, call) => {
        this.#remove(card);
        this.#add(new CallCard(call, card.tool, this.#use));
      },
      done: (card) => this.#done(card),
      comesBack: () => this.#mcp?.durability === "indexeddb",
      outlives: () => this.#mcp?.host === "shared",
    };
    // The next page wants to know what this one saw, up to its last moment.
    addEventListener("pagehide", () => this.#remind());
    onForgotten((key) => {
      for (const card of this.#cards.filter(finished)) if (card.call.key === key) this.#remove(card);
    });
  }

  /**
   * Follows a client. The calls of another server are its own affair: they stay
   * in the journal, and come back with it.
   */
  async follow(mcp: McpClient): Promise<void> {
    this.#mcp = mcp;
    if (this.#url !== mcp.url) for (const card of [...this.#cards]) this.#letGo(card);
    this.#url = mcp.url;
    this.#kept = 0;
    mcp.on("restored", ({ call }) => this.#restore(call));
    await this.reopened(mcp);
  }

  /** The client is open again: its runtime had died, or the server had forgotten the session. */
  async reopened(mcp: McpClient): Promise<void> {
    const calls = await mcp.calls();
    this.#looked = true;
    for (const call of calls) this.#restore(call);
    this.#settle(calls);
  }

  /** There is no server. */
  ended(): void {
    this.#looked = true;
    this.#show();
  }

  /** Calls a tool and shows the call. `key` is the name of the call in the journal. */
  run(mcp: McpClient, tool: Tool, args: Open, key = newKey()): CallCard {
    const card = new CallCard(mcp.callTool(tool.name, args, { key }), tool, this.#use);
    this.#add(card);
    let kept = 0;
    for (const each of this.#cards.filter(finished)) if (++kept > MAX_FINISHED) this.#done(each);
    reveal(card.element);
    return card;
  }

  /**
   * A call has become a task of that name: which of them is plain, but for two
   * that are the same, and of these the first is the first.
   */
  made(task: string, tool: string, args: Open): void {
    if (this.#cards.some((card) => card.trace.task === task)) return;
    const text = JSON.stringify(args);
    // Newest first.
    const card = this.#cards.filter(
      (each) => each.trace.task === undefined && each.tool.name === tool &&
        JSON.stringify(each.args) === text,
    ).at(-1);
    if (card) card.trace.task = task;
  }

  /** A request has left for a call. */
  left(request: Heard): void {
    const { method, id, task, tool, args, at } = request;
    let card: CallCard | undefined;
    if (method === "tools/call") {
      const text = JSON.stringify(args);
      card = this.#cards.filter(
        (each) => each.trace.request === undefined && each.tool.name === tool &&
          JSON.stringify(each.args) === text,
      ).at(-1);
      if (card) card.trace.request = id;
    } else card = this.#cards.find(
      ({ trace }) => (task === undefined ? trace.request === id : trace.task === task),
    );
    if (card) card.left(method, at);
    else if (method !== "tools/call" && this.#unplaced.push(request) > MAX_UNPLACED) this.#unplaced.shift();
  }

  /** The wire has brought parts of a task's result. */
  brought(task: string, seqNrs: readonly number[]): void {
    this.#cards.find((card) => card.trace.task === task)?.trace.parts.brought(seqNrs);
  }

  /** Everything that was stored is gone. */
  clear(): void {
    for (const card of [...this.#cards]) {
      if (card.call.key !== undefined) forgetCall(card.call.key);
      this.#remove(card);
    }
  }

  /**
   * The call that a question belongs to, if that is plain: until 2025-11-25 a
   * server's request does not say on whose behalf it comes, unless that is a task.
   */
  asked(request: Open): CallCard | undefined {
    const meta = request["_meta"] as Record<string, { taskId?: string } | undefined> | undefined;
    const task = meta?.["io.modelcontextprotocol/related-task"]?.taskId;
    const asking = task === undefined ? undefined : this.#cards.find((card) => card.trace.task === task);
    if (asking) return asking;
    const running = this.#cards.filter((card) => card.state === "running");
    return running.length === 1 ? running[0] : undefined;
  }

  /** Listens to all calls; for the guide. */
  watch(watcher: CallWatcher): void {
    this.#watchers.add(watcher);
  }

  /** Shows a call that the journal has brought back, in the place of the card that it had here. */
  #restore(call: Call<CallToolResult>): void {
    if (!call.restored || this.#cards.some((card) => card.call === call)) return;
    const old = this.#cards.find((card) => card.call.key !== undefined && card.call.key === call.key);
    if (old && old.state !== "away") return;
    const left = this.#left.delete(call.key ?? "") || old?.why?.code === "closed";
    const how: Mark["kind"] | undefined = left
      ? "disconnected"
      : old?.why?.code === "runtime_exited" ? "killed" : undefined;
    const card = new CallCard(call, undefined, this.#use, how);
    const unplaced = this.#unplaced;
    this.#unplaced = [];
    if (!old) this.#add(card);
    else {
      this.#cards[this.#cards.indexOf(old)] = card;
      old.element.replaceWith(card.element);
      this.#show();
    }
    for (const request of unplaced) this.left(request);
  }

  /**
   * What is away and was not brought back has ended, unless this page has let go of
   * it: then it is in the store of whoever was connected, and goes on.
   */
  #settle(calls: Call<CallToolResult>[]): void {
    const keys = new Set(calls.map(({ key }) => key));
    for (const card of this.#cards.filter(({ call }) => !keys.has(call.key))) {
      if (card.why?.code !== "closed") card.giveUp();
      else {
        this.#letGo(card);
        this.#kept++;
      }
    }
    prune(new Set(this.#cards.map((card) => card.call.key ?? "")));
    this.#show();
  }

  #add(card: CallCard): void {
    const next = this.#cards.findIndex((each) => each.call.createdAt <= card.call.createdAt);
    if (next < 0) this.#cards.push(card);
    else this.#cards.splice(next, 0, card);
    const after = this.#cards[this.#cards.indexOf(card) + 1];
    this.#list.insertBefore(card.element, after?.element ?? null);
    this.#show();
  }

  /** The journal may forget a call. */
  #done(card: CallCard): void {
    card.call.ack();
    if (card.call.key !== undefined) forgetCall(card.call.key);
    this.#remove(card);
  }

  #remove(card: CallCard): void {
    this.#cards = this.#cards.filter((each) => each !== card);
    card.discard();
    this.#show();
  }

  #letGo(card: CallCard): void {
    if (!finished(card) && card.call.key !== undefined) this.#left.add(card.call.key);
    this.#remove(card);
  }

  #remind(): void {
    for (const card of this.#cards) card.remind();
  }

  #show(): void {
    const running = this.#cards.filter((card) => card.state === "running").length;
    this.#empty.hidden = !this.#looked || this.#cards.length > 0;
    this.#clear.hidden = this.#cards.filter(finished).length < 2;
    const kept = this.#kept > 0
      ? `${counted(this.#kept, "call")} ${this.#kept === 1 ? "is kept for its" : "are kept for their"} ` +
        `user: connect as before to see ${this.#kept === 1 ? "it" : "them"}`
      : "";
    setText(this.#count, running > 0 ? `${running} running` : kept);
  }
}

function finished(card: CallCard): boolean {
  return card.state !== "running" && card.state !== "away";
}

/** A name for a call that no other has. */
export function newKey(prefix = "call"): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `${prefix}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** On a phone the form that made the call is far from its card. */
function reveal(card: HTMLElement): void {
  const { top, bottom } = card.getBoundingClientRect();
  if (top >= 0 && Math.min(bottom, top + 220) <= window.innerHeight) return;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  card.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
}
