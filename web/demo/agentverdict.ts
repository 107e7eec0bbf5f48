import type { AgentSession } from "holdfast/agent";
import { account } from "./agentsaid.js";
import { counted } from "./duration.js";
import { part, setAttributes, setText } from "./element.js";

/** Outlives the page as the conversation does. */
const KEPT = "holdfast-demo.survived";

/** What the latest answer has lived through in this tab. */
interface Survived {
  session: string;
  /** How many things the user has said by then: tells the answers apart. */
  asked: number;
  reloads: number;
  cuts: number;
  /** Something had to be told again, and the agent could not. */
  gap: boolean;
  /** The page was left before the answer was over. */
  left: boolean;
}

/**
 * Says what was lost of the latest answer. It asks the text itself, and what the agent says that it has said.
 */
export class Verdict {
  readonly #line = part("agent-verdict");
  #kept: Survived = nothing("", 0);
  #session: AgentSession | undefined;
  /** The page is being left: that its stream ends is no cut. */
  #leaving = false;

  constructor() {
    addEventListener("pagehide", () => {
      this.#leaving = true;
      this.#keep(this.#underway);
    });
    addEventListener("pageshow", () => (this.#leaving = false)); // back from the browser's cache
  }

  /** Follows a session. */
  follow(session: AgentSession): void {
    this.#session = session;
    const before = recall();
    this.#kept = before?.session === session.id ? before : nothing(session.id, asked(session));
    if (this.#kept.left) this.#keep(false, { reloads: this.#kept.reloads + 1 });
    session.on("status", ({ state }) => {
      if (state === "cut" && !this.#leaving && this.#underway)
        this.#keep(false, { cuts: this.#kept.cuts + 1 });
      this.show();
    });
    session.on("resumed", ({ outcome }) => {
      if (outcome === "gap") this.#keep(false, { gap: true });
    });
    this.show();
  }

  /** Says it. */
  show(): void {
    const session = this.#session;
    if (!session) return;
    const count = asked(session);
    if (count > this.#kept.asked) {
      this.#kept = nothing(session.id, count);
      this.#keep(false);
    }
    const { reloads, cuts, gap } = this.#kept;
    const { here, whole, open, wrong } = account(session.transcript);
    const over = [
      reloads > 0 ? counted(reloads, "reload") : "", cuts > 0 ? counted(cuts, "cut") : "",
    ].filter((each) => each !== "").join(" and ");
    let lost: string | undefined;
    let says = "Ask something. Then reload the page while the agent speaks.";
    if (wrong > 0) {
      lost = "some";
      says = "Something is missing, or came twice: this is not what the agent says that it has said.";
    } else if (gap) {
      lost = "unknown";
      says = "The agent could not tell what was said meanwhile.";
    } else if (session.requests.length > 0) {
      says =
        `It waits for your answer.${over ? ` It has waited over ${over}.` : " Reload the page if you like: the question stays."}`;
    } else if (this.#underway) {
      says = over
        ? `It goes on in mid-sentence, after ${over}. Nothing is lost so far.`
        : "It is at work. Reload the page now, or cut the stream.";
    } else if (whole > 0 && open === 0) {
      lost = "none";
      says =
        `What was lost: nothing. All ${counted(here, "word")} are here, each once${over ? `, over ${over}` : ""}.`;
    }
    setAttributes(this.#line, { "data-lost": lost });
    setText(this.#line, says);
  }

  /** Whether an answer is not over. */
  get #underway(): boolean {
    const session = this.#session;
    return session !== undefined && (session.state !== "idle" || session.pending.length > 0);
  }

  #keep(left: boolean, more: Partial<Survived> = {}): void {
    this.#kept = { ...this.#kept, ...more, left };
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(this.#kept));
    } catch {
      // Then a later page says nothing of it; what the agent says is stored elsewhere.
    }
  }
}

function nothing(session: string, asked: number): Survived {
  return { session, asked, reloads: 0, cuts: 0, gap: false, left: false };
}

function recall(): Survived | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(KEPT) ?? "null") as Survived | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * How often the user has said something. What is pending does not count: it moves into the transcript in two
 * steps.
 */
function asked({ transcript }: AgentSession): number {
  return transcript.filter(({ type }) => type === "user_message").length;
}
