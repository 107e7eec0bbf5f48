// How a page hangs on to an agent's client in its worker. Where the page itself is, here or
// away or gone, is another thing: pagepresence.ts.

/** One value; docs/states.md has what each means. */
export type Attachment = "joining" | "open" | "listening" | "lingering" | "over";

/** What each means, for docs/states.md. */
export const ATTACHMENTS: { readonly [A in Attachment]: string } = {
  joining: "the client is opened, or joined; the page hears of its sessions, and asks for nothing yet",
  open: "the page has it; its app cannot listen yet, and is not asked to answer",
  listening: "its app can listen, and answers what the agent asks",
  lingering: "the page has gone; the client goes on for the next one",
  over: "nothing goes to the page any more, and nothing is taken from it: it was closed, its user is another one, or another page has come",
};

/** What may follow each. */
const NEXT: { readonly [A in Attachment]: readonly Attachment[] } = {
  joining: ["open", "lingering", "over"],
  open: ["listening", "lingering", "over"],
  listening: ["lingering", "over"],
  lingering: ["over"],
  over: [],
};

/** Whether one that stands so may stand so next. */
export function mayAttach(from: Attachment, next: Attachment): boolean {
  return NEXT[from].includes(next);
}
