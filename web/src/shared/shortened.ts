/** The worker and the script-tag build are one file: no bundler puts it into an address. */
declare const HOLDFAST_ONE_FILE: boolean;

/** A text to show, without the files that a bundler has put into addresses. */
export function shortened(text: string): string {
  return HOLDFAST_ONE_FILE ? text : text.replace(/(data:.{40})\S+/g, "$1…");
}
