// Reports of calls that nothing keeps although the app wants them kept: with a `key`, or `journal: true`. The
// event `guarantee` of each call says why. The console says once how to change that, for an app that has not
// read the event.

/** Advice for the app, by the reason why nothing is kept. */
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
