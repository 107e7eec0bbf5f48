// How a person gets to the authorization server.

import type { FlowRecord } from "./flow.js";

/** Brings a person to the authorization server. */
export interface Interaction {
  /**
   * Shows an address, which may still be on its way: a window opens within the click all the same. `waiting`: the answer comes by `SignIn.finish`, on this page or on
   * another one. `blocked`: the browser opens no window; the app shows the address itself. `closed`
   * resolves when the window is gone, as far as that can be seen. `later` resolves when a flow that nobody has gone
   * on with should be looked at again. `asked`: the app asks for it, from a click.
   */
  show(address: string | Promise<string>, record: FlowRecord, asked: boolean): { kind: "waiting"; closed: Promise<void> } | { kind: "blocked"; later?: () => Promise<void> };
  /** The page itself goes: a flow of before that has no answer has come to nothing. */
  readonly leaves?: boolean;
}
