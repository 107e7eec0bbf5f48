import { useEffect, useMemo, useSyncExternalStore } from "react";
import { sharedConnection, type SharedConnection, type SharedOptions, type Store } from "holdfast/store";
import type { ConnectOptions, McpClient } from "holdfast";

/**
 * The value of a store, drawn again when there is another. `served` is what a server draws, and the first
 * draw over it.
 */
export function useStore<T>(store: Store<T>, served: T): T {
  return useSyncExternalStore(store.onChange, store.snapshot, () => served);
}

/** The shared connection to an MCP server. */
export function useConnectionTo(
  url: string | URL, options: SharedOptions<ConnectOptions> | undefined,
): SharedConnection<McpClient, ConnectOptions> {
  return useShared(sharedConnection, url, options);
}

const NONE = {};

/**
 * The same one as long as the address and the options are the same, though an app makes new objects each time
 * it draws.
 */
export function useShared<C, O>(
  share: (url: string | URL, options: SharedOptions<O>) => SharedConnection<C, O>,
  url: string | URL, given: SharedOptions<O> | undefined,
): SharedConnection<C, O> {
  const options = given ?? (NONE as SharedOptions<O>);
  const made = share(url, options);
  const connection = useMemo(() => made, [made.key]);
  useEffect(() => connection.update(options));
  return connection;
}

const idle = (): (() => void) => () => {};

/** A store of what does not change. */
export function constant<T>(value: T): Store<T> {
  return { snapshot: () => value, subscribe: idle, onChange: idle };
}
