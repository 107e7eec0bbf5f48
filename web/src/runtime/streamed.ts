// A body that is a stream: no browser sends such a request again by itself.

import type { FetchLike } from "./sender.js";

/**
 * The same with a body that is a stream, made anew of the same bytes, where `init` says that the request is
 * sent half-duplex. Whoever else is handed `init`, as what records it, has the bytes.
 */
export function streamed(init: RequestInit): RequestInit {
  const { body, duplex } = init as RequestInit & { duplex?: "half" };
  if (!duplex || !(body instanceof Uint8Array)) return init;
  return {
    ...init,
    body: new ReadableStream({
      start(to) {
        to.enqueue(body);
        to.close();
      },
    }),
  };
}

/** The browser's own fetch. */
export const browserFetch: FetchLike = (url, init) => fetch(url, streamed(init));

/**
 * True if this browser sends such a body, as Chromium 105 and later do. Firefox sends the name of the stream
 * as text, and shows that by a content type. Other results of Firefox and WebKit are not measured.
 */
export function sendsStreams(): boolean {
  if (!/Chrome\/\d/.test(globalThis.navigator?.userAgent ?? "")) return false;
  let asked = false;
  const { headers } = new Request("https://example.invalid/", {
    method: "POST",
    body: new ReadableStream(),
    get duplex() {
      asked = true;
      return "half" as const;
    },
  } as RequestInit);
  return asked && !headers.has("content-type");
}
