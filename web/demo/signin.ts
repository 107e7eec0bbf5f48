// The demo page of a server that wants a sign-in. What to do next is one button; the hooks for tests
// are listed at the top of signin.html.

import { connect, HoldfastError, oauth, type McpClient, type ServerSignIn } from "holdfast";
import { part, setAttributes, setText } from "./element.js";
import { showFailure, showThrown } from "./failure.js";
import { CALLS, SignInCall, type CallName } from "./signincall.js";

/** The server, which is on this page's own origin. */
const SERVER = new URL("/private", location.href).href;

/**
 * What a tab keeps over the redirect, beside the journal: what its person wanted, and how often the page went
 * away.
 */
const WANTED = "holdfast-demo.signin.wanted";
const AWAY = "holdfast-demo.signin.away";

/** What there is to do. */
type Step = "start" | "open" | "sign-in" | "window" | "count" | "allow" | "over";

const auth = oauth({ interaction: "manual", clientName: "The Holdfast demo" });
const next = part<HTMLButtonElement>("next");
const link = part<HTMLAnchorElement>("link");
const out = part<HTMLButtonElement>("out");
const calls = new Map<CallName, SignInCall>();

let mcp: McpClient | undefined;
let who: string | undefined;
let signIn: ServerSignIn | undefined;
/** A window is open, or will be: the person is asked there. */
let inWindow = false;
let opening = false;
/** This is the window of a sign-in, which comes back to this page. */
const isWindow = window.name.startsWith("holdfast-");

auth.onchange = (changed) => {
  signIn = changed;
  if (changed.failure || changed.state === "signed-in" || changed.state === "signed-out") inWindow = false;
  if (changed.failure) fail(changed.failure);
  draw();
};

function step(): Step {
  const [count, sign] = [calls.get("count"), calls.get("sign")];
  if (inWindow) return "window";
  if (!count) return "start";
  if (!mcp)
    return opening && signIn?.address === undefined && signIn?.failure === undefined ? "open" : "sign-in";
  if (sign?.state === "awaiting_authorization") return "allow";
  return count.over && sign?.over ? "over" : "count";
}

/** What is said at each step, what the button does, and what the link beside it does. */
function words(at: Step): { says: string; button?: string; other?: string } {
  const count = calls.get("count");
  const declined = signIn?.failure?.code === "oauth_denied";
  switch (at) {
    case "start":
      return { says: "Nobody is signed in. Start a call all the same.", button: "Start a call" };
    case "open":
      return { says: "Connecting to the server." };
    case "sign-in":
      if (declined)
        return {
          says: "You said no. The call still waits, and you are not asked again.",
          button: "Sign in after all",
        };
      return {
        says: "The server lets nobody in. The call waits: it is awaiting authorization.", button: "Sign in",
        other: "No window? Use this tab",
      };
    case "window":
      return { says: "Say who you are, in the other window. The call waits for that." };
    case "allow":
      if (declined)
        return {
          says: "You said no: the log is not signed, and that call waits " +
            `on${count?.over ? "" : ". The other one runs"}.`,
          button: "Go and sign in after all",
        };
      return {
        says: `Signing takes your permission: that call waits${count?.over ? "" : ", the other one runs"}. ` +
          "Let the page go away for it.",
        button: "Go and sign in",
      };
    case "count":
      if (calls.has("sign"))
        return {
          says: `Back, and ${count?.over ? "the call is done" : "the call goes on"}: nothing was lost.`,
        };
      return {
        says: `${who ?? "You"} signed in, and the call goes on. Ask for more in the middle of it.`,
        button: "Sign the log",
      };
    case "over":
      return { says: over(), button: "Sign out" };
  }
}

function over(): string {
  const count = calls.get("count");
  const away = Number(recall(AWAY) ?? 0);
  const went = away > 0 ? `, though the page went away ${away === 1 ? "once" : `${away} times`}` : "";
  return count?.whole
    ? `All ${count.numbers.length} numbers are here, each once${went}.`
    : "It is over. What failed says why.";
}

const PRESSED: Record<Step, () => void> = {
  start: () => void start(),
  open: () => {},
  "sign-in": () => openWindow(),
  window: () => {},
  allow: () => leave(),
  count: () => call("sign"),
  over: () => void signOut(),
};

next.addEventListener("click", () => PRESSED[step()]());
link.addEventListener("click", () => keepLeaving());
out.addEventListener("click", () => void signOut());

/** Opens the window: from a click, or the browser refuses. */
function openWindow(): void {
  part("problem").replaceChildren();
  if (signIn?.address === undefined && signIn?.failure === undefined) {
    void open(); // it was something else that went wrong
    return;
  }
  inWindow = true;
  // Where it is blocked all the same, the address stays, and with it the link.
  signIn.signIn().then(
    () => {
      // Where nobody signed in at first, connect has given up.
      if (!mcp && !opening) void open();
    },
    () => {},
  );
  if (signIn.address !== undefined) inWindow = false;
  draw();
}

/** This page goes to the authorization server itself, and comes back. */
function leave(): void {
  const address = signIn?.address;
  if (address === undefined) {
    // It was declined before: then there is another address first.
    void signIn?.signIn().catch(() => {});
    return;
  }
  keepLeaving();
  location.assign(address);
}

function keepLeaving(): void {
  keep(AWAY, String(Number(recall(AWAY) ?? 0) + 1));
}

/** The call is wanted, whether or not anybody may make it yet. */
async function start(): Promise<void> {
  keep(WANTED, "yes");
  shown("count");
  draw();
  await open();
}

async function open(): Promise<void> {
  opening = true;
  draw();
  try {
    mcp = await connect(SERVER, {
      auth, host: "page", ack: "manual",
      client: { name: "holdfast-demo", title: "Holdfast demo page", version: "1" },
    });
    mcp.on("state", ({ error }) => (error ? fail(error) : draw()));
    for (const kept of await mcp.calls()) {
      if (kept.key === "count" || kept.key === "sign") void shown(kept.key).follow(kept);
    }
    // Whoever went away to sign in wanted a call, and could not make it then.
    if (recall(WANTED) !== undefined && !made.has("count")) call("count");
    const { content } = await mcp.callTool("whoami", {}, { ack: "auto" }).result;
    if (content[0]?.type === "text") who = content[0].text;
  } catch (error) {
    fail(error);
  }
  opening = false;
  draw();
}

/** The calls that were made, by this page or by an earlier one. */
const made = new Set<CallName>();

function shown(name: CallName): SignInCall {
  const row = calls.get(name) ?? new SignInCall(name, draw);
  calls.set(name, row);
  if (mcp) made.add(name);
  return row;
}

function call(name: CallName): void {
  const { tool, args } = CALLS[name];
  if (!mcp) return;
  void shown(name).follow(mcp.callTool(tool, args, { key: name }));
  draw();
}

async function signOut(): Promise<void> {
  const client = mcp;
  out.disabled = true;
  try {
    // Deletes what is stored of this user, and has the tokens revoked.
    await client?.forget();
  } catch (error) {
    fail(error);
  }
  for (const key of [WANTED, AWAY]) drop(key);
  // The next user begins with a new page.
  location.replace(location.pathname);
}

function fail(error: unknown): void {
  const lead = "Nobody has signed in.";
  const advice = error instanceof HoldfastError && error.code === "oauth_denied"
    ? "This is what the app hears of it."
    : undefined;
  part("problem").replaceChildren(
    error instanceof HoldfastError
      ? showFailure(error, "signin-error", { lead, ...(advice && { advice }) })
      : showThrown(error, "signin-error", lead),
  );
  draw();
}

let drawing = false;

/** Draws everything, once for all that has happened by then. */
function draw(): void {
  if (drawing || isWindow) return;
  drawing = true;
  queueMicrotask(() => {
    drawing = false;
    const at = step();
    if (at === "sign-in" || at === "window") calls.get("count")?.wait();
    const { says, button, other } = words(at);
    const state = at === "window"
      ? "window"
      : at === "sign-in" || at === "allow" ? "waiting" : mcp ? "signed-in" : "nobody";
    setAttributes(part("state"), { "data-state": state });
    setText(
      part("state"),
      {
        window: "asking who you are", waiting: "awaiting authorization",
        "signed-in": who ? `signed in: ${who}` : "signed in",
        nobody: at === "open" ? "connecting" : "nobody is signed in",
      }[state],
    );
    setAttributes(part("says"), { "data-step": at });
    setText(part("says"), says);
    next.hidden = button === undefined;
    // Where a person has to go is found out first.
    next.disabled = at === "allow" && signIn?.address === undefined && signIn?.failure === undefined;
    setText(next, button ?? "");
    const address = other === undefined ? undefined : signIn?.address;
    link.hidden = address === undefined;
    setAttributes(link, { href: address });
    setText(link, other ?? "");
    out.hidden = !mcp || at === "over";
  });
}

function keep(key: string, value: string): void {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // Then the page that comes back shows what the journal has, and no more.
  }
}

function recall(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

function drop(key: string): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // There is nothing in it.
  }
}

if (isWindow) {
  // It takes the answer, and closes.
  document.body.classList.add("window");
  setText(part("says"), "You can close this window.");
  void connect(SERVER, { auth }).catch(() => {});
} else {
  if (recall(WANTED) !== undefined) {
    shown("count");
    void open();
  }
  draw();
}
