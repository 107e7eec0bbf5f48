/** Names that parts of an endpoint's path have everywhere: they hold no secret. */
const PLAIN = "mcp|acp|sse|api|rpc|v\\d{1,2}";
const PLAIN_PATH = new RegExp(`^(/(${PLAIN}))*/?$`);
/** And those of metadata. */
const SHOWN = new RegExp(
  `^(${PLAIN}|\\.well-known|oauth-protected-resource|oauth-authorization-server|openid-configuration|)$`,
);

/** True if the path holds no secret: all its names are names of endpoints everywhere, e.g. "/mcp". */
export function isPlainPath(path: string): boolean {
  return PLAIN_PATH.test(path);
}

/** A path to show in an error or a hint: what may hold a secret is left out. */
export function shownPath(path: string): string {
  return path.split("/").map((part) => (SHOWN.test(part) ? part : "\u2026")).join("/");
}

/** An address to show: its query may hold a secret, and its path. */
export function shownAddress(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return origin + shownPath(pathname);
}

/** A text of the browser's to show: of the addresses in it what may be shown. */
export function shownText(text: string): string {
  return text.replace(
    /(\b\w+:\/\/)(?:[^\s/?#'"]*@)?([^\s/?#'"]+)([^\s?#'"]*)([?#][^\s'"]*)?/g,
    (_, scheme: string, host: string, path: string) => scheme + host + shownPath(path),
  );
}
