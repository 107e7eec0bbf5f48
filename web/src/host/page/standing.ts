// Where a client stands whose runtime is in a worker, as its page has it. What the app
// sees as the client's state is another thing: that comes from the worker.

/** One value; docs/states.md has what each means. */
export type Standing = "opening" | "open" | "replacing" | "failed" | "closing" | "deleting" | "closed";

/** Meaning of each standing, for docs/states.md. */
export const STANDINGS: { readonly [S in Standing]: string } = {
  opening: "the worker is started, or joined, and opens the client",
  open: "the worker has the client",
  replacing: "the worker has ended; the next one opens the client once more, and what is made waits for it",
  failed: "there is no other worker",
  closing: "the app closes it; a worker that ends is not replaced",
  deleting: "the app logs out; where the worker ends, the next one deletes",
  closed: "nothing is asked of it any more, but to delete what is stored",
};

/** Standings that may follow each. */
const NEXT: { readonly [S in Standing]: readonly Standing[] } = {
  opening: ["open", "failed", "closing", "deleting"],
  open: ["replacing", "failed", "closing", "deleting"],
  replacing: ["open", "failed", "closing", "deleting"],
  failed: ["closing", "deleting"],
  closing: ["closed"],
  deleting: ["closed"],
  closed: [],
};

/** True if a client may go from one standing to the other, as from "opening" to "open". */
export function mayFollow(from: Standing, next: Standing): boolean {
  return NEXT[from].includes(next);
}
