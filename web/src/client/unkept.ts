// What an app is told of calls that are not kept though it has said that they shall be: with a `key`, or
// `journal: true`. Their event `guarantee` says why; the console says once what to write, for who has not
// looked.

/** What to write, by why nothing is kept. */
const ADVICE: Readonly<Record<string, string>> = {
  principal: 'say who the user is: connect(url, { principal: user.id }), or principal: "shared" where all ' +
    'users of this origin are one',
  cipher: "serve the page over https",
};

let warned = false;

/** Says so on the console of the page, once. */
export function warnUnkept(guarantee: string): void {
  const { why } = JSON.parse(guarantee) as { why?: string };
  if (warned || why === undefined) return;
  warned = true;
  const advice = ADVICE[why] ?? "listen to the event durability";
  console.warn(
    `holdfast: a call has a key, or journal: true, and nothing is kept of it (${why}): a reload may run it ` +
      `again. To have it kept, ${advice}`,
  );
}
