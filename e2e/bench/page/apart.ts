/**
 * From now on fetch's event streams come with one event in every chunk, until
 * the function it returns is called. A server that flushes every event does not
 * get that far: the browser joins what waits to be read.
 */
export function apart(): () => void {
  const fetched = globalThis.fetch;
  globalThis.fetch = async (...args) => {
    const response = await fetched(...args);
    if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream"))
      return response;
    return new Response(oneByOne(response.body.getReader()), response);
  };
  return () => {
    globalThis.fetch = fetched;
  };
}

function oneByOne(reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  let bytes: Uint8Array = new Uint8Array(0);
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (let end = endOfEvent(bytes, at); ; end = endOfEvent(bytes, at)) {
          if (end >= 0) {
            controller.enqueue(bytes.slice(at, end));
            at = end;
            return;
          }
          const { done, value } = await reader.read();
          if (done) {
            if (at < bytes.length) controller.enqueue(bytes.slice(at));
            controller.close();
            return;
          }
          const joined = new Uint8Array(bytes.length - at + value.length);
          joined.set(bytes.subarray(at));
          joined.set(value, bytes.length - at);
          bytes = joined;
          at = 0;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Behind the blank line that ends an event; -1 for none. */
function endOfEvent(bytes: Uint8Array, from: number): number {
  for (let i = bytes.indexOf(10, from); i >= 0; i = bytes.indexOf(10, i + 1))
    if (bytes[i + 1] === 10) return i + 2;
  return -1;
}
