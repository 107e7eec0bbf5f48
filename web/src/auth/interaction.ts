// How a person gets to the authorization server.

import type { FlowRecord } from "./flow.js";

/**
 * The result of showing an address. `waiting`: the answer comes by `SignIn.finish`, on this page or on
 * another one. `blocked`: the browser opens no window; the app shows the address itself. `logged out`: the
 * user has logged out since the wish for the flow, and no page shows the address. `closed` resolves when the
 * window is gone, as far as a page can see; with "lost" when no page can see the window any more, and the
 * address is to be shown again. `later` resolves when a flow without a visitor should be looked at again.
 */
export type ShownAddress =
  | { kind: "waiting"; closed: Promise<void | "lost"> }
  | { kind: "blocked"; later?: () => Promise<void> }
  | { kind: "logged out" };

/** Brings a person to the authorization server. */
export interface Interaction {
  /**
   * Shows an address, which may still be on its way: a window opens within the click all the same. `asked`:
   * the app asks for it, from a click.
   */
  show(address: string | Promise<string>, record: FlowRecord, asked: boolean): ShownAddress;
  /**
   * The page itself goes: a flow of before that has no answer has come to nothing. Each time counts, and
   * *Back* ends it (rounds.ts).
   */
  readonly leaves?: boolean;
}

/** One that opens windows: all that it has to know of a flow is the name of its window. */
export interface WindowInteraction extends Interaction {
  show(address: string | Promise<string>, flow: Pick<FlowRecord, "window">, asked: boolean): ShownAddress;
}

/** The same by pages that are asked for it: what comes of it is known later. */
export interface AskingInteraction extends Omit<Interaction, "show"> {
  show(
    address: string | Promise<string>, record: FlowRecord, asked: boolean,
  ): ShownAddress | Promise<ShownAddress>;
}
