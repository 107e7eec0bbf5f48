/** The worker and the script-tag build are one file: no bundler puts it into an address. */
declare const HOLDFAST_ONE_FILE: boolean;

/** The address of a file: its origin, folders, name and query. */
const FILE = /(https?:\/\/[^\s/?#]+\/)([^\s?#]*\/)?([\w.~-]*)([?#]\S*)?/g;

/**
 * A text to show: of an address of a file without the folders and the query, which may hold a secret, and
 * without a file that a bundler has put into one.
 */
export function shortened(text: string): string {
  const shown = text.replace(
    FILE,
    (_, origin: string, folders: string | undefined, name: string) => origin + (folders ? "…/" : "") + name,
  );
  return HOLDFAST_ONE_FILE ? shown : shown.replace(/(data:.{40})\S+/g, "$1…");
}
