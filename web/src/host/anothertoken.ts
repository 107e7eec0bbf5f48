import type { UserStores } from "../connect/userstores.js";

/** A view of a client, as far as its user goes. */
interface UserView {
  readonly stores: Pick<UserStores, "changed">;
  /** All views of the same client. */
  readonly peers: readonly unknown[];
}

/**
 * Whether a view has to leave its client since its page has given that token, which is another user's.
 * The client of a page that is alone goes on with it as that user's, unless it does not wait for it (`isLate`).
 */
export function isAnothers({ peers, stores }: UserView, token: unknown, isLate: boolean): boolean {
  const isToken = typeof token === "string" && token !== "";
  return isToken && (isLate || peers.length > 1) && stores.changed({ ok: true, text: token });
}
