import type { ClientState, StateEvent } from "../base/clientstate.js";

/** A client of any kind, as far as it says where it stands. */
interface Stateful {
  readonly state: ClientState;
  on(event: "state", listener: (event: StateEvent) => void): () => void;
}

/** Resolves when the client makes no session, neither the first nor a new one, or after so many ms. */
export function settledState(client: Stateful, ms: number): Promise<void> {
  const settled = (state: ClientState): boolean => state !== "connecting" && state !== "reconnecting";
  return new Promise((resolve) => {
    if (settled(client.state)) {
      resolve();
      return;
    }
    const end = (): void => {
      off();
      clearTimeout(timer);
      resolve();
    };
    const off = client.on("state", ({ state }) => settled(state) && end());
    const timer = setTimeout(end, ms);
  });
}
