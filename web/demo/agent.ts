// The demo page of a conversation with an agent. This module only puts the parts
// together; the hooks for tests are listed at the top of agent.html.

import { HoldfastError } from "holdfast";
import { connectAgent, type Agent, type AgentSession } from "holdfast/agent";
import { Permissions } from "./agentask.js";
import { Box } from "./agentbox.js";
import { Chat } from "./agentchat.js";
import { Verdict } from "./agentverdict.js";
import { button, part, setAttributes, setText } from "./element.js";
import { sabotage } from "./embedded.js";
import { showFailure, showThrown } from "./failure.js";

/** Where the conversation stands, in words. */
const STATES = {
  connecting: "connecting",
  working: "at work",
  asks: "asks you",
  background: "idle, something goes on in the background",
  idle: "idle",
  away: "reconnecting",
  followed: "carried by another tab",
  failed: "not connected",
};

let agent: Agent | undefined;
let session: AgentSession | undefined;
let drawing = false;

const chat = new Chat();
const verdict = new Verdict();
const permissions = new Permissions(say);
const box = new Box(
  (text) => {
    session?.prompt(text).catch((error: unknown) => fail(error, "The agent did not take this in."));
    chat.reveal();
    draw();
  },
  () => void session?.cancel().catch((error: unknown) => fail(error, "The agent could not be stopped.")),
);

part("agent-reload").addEventListener("click", () => location.reload());
part("agent-cut").addEventListener(
  "click",
  () => void sabotage("cut").then(
    (what) => say(`The server has ${what}.`), (error: unknown) => say(`That did not work: ${String(error)}`),
  ),
);
part("agent-again").addEventListener("click", () => void startOver());

/** Says what came of something. */
function say(words: string): void {
  setText(part("agent-word"), words);
}

function fail(error: unknown, lead: string): void {
  part("agent-problem").replaceChildren(
    error instanceof HoldfastError
      ? showFailure(error, "agent-error", {
        lead,
        actions: agent?.state === "failed" || !agent
          ? [button("Try again", { "data-testid": "agent-retry" }, () => location.reload())]
          : [],
      })
      : showThrown(error, "agent-error", lead),
  );
  draw();
}

/** Draws everything, once for all that has happened by then. */
function draw(): void {
  if (drawing) return;
  drawing = true;
  queueMicrotask(() => {
    drawing = false;
    const state = stands();
    const pill = part("agent-state");
    setAttributes(pill, { "data-state": state });
    setText(pill, STATES[state]);
    if (!session) return box.show("neither");
    permissions.show(session);
    chat.show(session);
    verdict.show();
    if (state === "idle" || state === "background") box.show(session.pending.length > 0 ? "neither" : "say");
    else box.show(state === "working" || state === "asks" ? "stop" : "neither");
  });
}

function stands(): keyof typeof STATES {
  if (agent?.state === "failed" || agent?.state === "closed") return "failed";
  if (!agent || !session) return "connecting";
  if (session.followed) return "followed";
  if (agent.state !== "open") return "away";
  if (session.requests.length > 0) return "asks";
  if (session.state !== "idle") return "working";
  return (session.background ?? []).length > 0 ? "background" : "idle";
}

/** Follows a session until it is over. */
function follow(next: AgentSession): void {
  session = next;
  part("agent-problem").replaceChildren();
  for (
    const event of [
      "update", "reset", "values", "pending", "turn", "request", "withdrawn", "resumed", "status",
    ] as const
  )
    next.on(event, draw);
  next.on("turn", ({ ended }) => {
    if (ended) void showStored();
  });
  next.on("request", () => chat.reveal());
  next.on("closed", () => {
    if (session !== next || agent?.state === "closed" || agent?.state === "failed") return draw();
    say("The agent has no such conversation any more. This is a new one.");
    void begin();
  });
  verdict.follow(next);
  draw();
}

async function begin(): Promise<void> {
  session = undefined;
  try {
    follow(await agent!.newSession({ cwd: "/harbour" }));
  } catch (error) {
    fail(error, "The conversation could not be begun.");
  }
}

async function startOver(): Promise<void> {
  const old = session;
  if (!old || !agent || old.followed) return;
  session = undefined;
  try {
    await old.delete();
    say("");
    await begin();
    await showStored();
  } catch (error) {
    session = old;
    fail(error, "The conversation could not be ended.");
  }
}

async function showStored(): Promise<void> {
  const usage = await agent?.stored();
  setText(
    part("agent-stored"),
    usage
      ? `This conversation is stored in this browser: ${Math.max(1, Math.round(usage.bytes / 1024))} kB.`
      : "This browser stores nothing for this page.",
  );
}

async function open(): Promise<void> {
  draw();
  try {
    agent = await connectAgent(new URL("/acp", location.href).href, {
      client: { name: "holdfast-demo", version: "1" },
    });
    agent.on("state", ({ error }) => (error ? fail(error, "The agent cannot be reached.") : draw()));
    // The newest is the one that was on the screen.
    const kept = (await agent.sessions()).at(-1);
    if (kept) follow(kept);
    else await begin();
    await showStored();
  } catch (error) {
    fail(error, "The agent cannot be reached.");
  }
}

void open();
