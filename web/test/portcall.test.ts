import assert from "node:assert/strict";
import { test } from "node:test";
import { PortCall } from "../src/host/worker/portcall.js";
import { Backlog } from "../src/base/backlog.js";
import { EVENT, StreamState } from "../src/base/border.js";

const AWAITING = [EVENT.status, 0, `{"state":"awaiting_authorization"}`, StreamState.Awaiting] as const;
const GOES_ON = [EVENT.status, 0, `{"state":"reconnecting"}`, StreamState.Reconnecting] as const;

test("a page that was away knows whether a call waits for a sign-in, as it is by then", () => {
  const heard: string[] = [];
  const port = {
    takes: true,
    isHere: true,
    event: (_: number, kind: number, __: number, text: string) => void heard.push(
      kind === EVENT.status ? (JSON.parse(text) as { state: string }).state : "progress",
    ),
    send: ({ t }: { t: string }) => void heard.push(t),
    ended() {},
  };
  const call = new PortCall<unknown>(
    3, port, ["tools/call", new Backlog(10)], { outlives: true, keepsEvents: true },
  );
  call.bind(0, {} as never, undefined, true);
  const away = (...missed: (readonly [number, number, string, number])[]): string[] => {
    port.takes = false;
    heard.length = 0;
    for (const event of missed) call.deliver(...event);
    port.takes = true;
    call.goOn();
    return heard;
  };
  assert.deepEqual(away(AWAITING), ["skipped", "awaiting_authorization"]);
  assert.deepEqual(away(GOES_ON, AWAITING), ["skipped"]); // it is as it was
  assert.deepEqual(away(GOES_ON), ["skipped", "reconnecting"]);
  assert.deepEqual(away([EVENT.progress, 1, `{"progress":1}`, 0]), ["skipped"]);
});
