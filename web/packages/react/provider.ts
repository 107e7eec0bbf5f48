import {
  createContext, createElement, useContext, useMemo, type Context, type ReactElement, type ReactNode,
} from "react";
import { type ConnectOptions, HoldfastError, type McpClient } from "holdfast";
import {
  empty, observeClient, type ConnectionSnapshot, type SharedOptions, type Store,
} from "holdfast/store";
import { constant, useConnectionTo } from "./useshared.js";

/**
 * Props of a provider: a client of the app's own, undefined until it is connected; or where to connect to.
 */
export type HoldfastProviderProps = { children?: ReactNode } & (
  | { client: McpClient | undefined; url?: never; options?: never }
  | { url: string | URL; options?: SharedOptions<ConnectOptions>; client?: never }
);

/** Where the client of the hooks below stands; null where there is no provider. */
const Connection: Context<Store<ConnectionSnapshot> | null> =
  createContext<Store<ConnectionSnapshot> | null>(null);

/** A client that is not there yet. */
const none: Store<ConnectionSnapshot> = constant(empty.connection);

/**
 * Gives its client to the hooks in the components below. With a `url` it connects, as {@link useMcp} does. A
 * client of the app's own is the app's to close.
 */
export function HoldfastProvider(props: HoldfastProviderProps): ReactElement {
  if (props.url !== undefined) return createElement(Connecting, props as ConnectingProps);
  return createElement(Providing, props as ProvidingProps);
}

type ConnectingProps = Extract<HoldfastProviderProps, { url: string | URL }>;
type ProvidingProps = Extract<HoldfastProviderProps, { client: McpClient | undefined }>;

function Connecting({ url, options, children }: ConnectingProps): ReactElement {
  return createElement(Connection.Provider, { value: useConnectionTo(url, options) }, children);
}

function Providing({ client, children }: ProvidingProps): ReactElement {
  const value = useMemo(() => (client ? observeClient(client) : none), [client]);
  return createElement(Connection.Provider, { value }, children);
}

/**
 * The connection of the provider above. Where there is none it throws `bad_argument`, unless the hook can do
 * without.
 */
export function useProvided(hook: string, canDoWithout = false): Store<ConnectionSnapshot> {
  const connection = useContext(Connection);
  if (connection) return connection;
  if (canDoWithout) return none;
  throw new HoldfastError({
    code: "bad_argument",
    op: hook,
    message: "no client was given, and no HoldfastProvider is above this component",
    hint: 'Put <HoldfastProvider url="…"> around it, or around the whole app, or give the hook a client.',
  });
}
