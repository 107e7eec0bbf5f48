import { useEffect, useMemo } from "react";
import {
  elicitations,
  empty,
  findCall,
  observeCall,
  observeCalls,
  observeClient,
  observeTools,
  type CallsSnapshot,
  type CallSnapshot,
  type ConnectionSnapshot,
  type ObserveOptions,
  type ServerElicitation,
  type SharedOptions,
  type Store,
  type ToolsSnapshot,
} from "holdfast/store";
import {
  type Call,
  type CallToolResult,
  type ConnectOptions,
  HoldfastError,
  type McpClient,
} from "holdfast";
import { constant, useConnectionTo, useStore } from "./useshared.js";
import { useProvided } from "./provider.js";

/** The connection of the provider above: its client, where it stands, and why it failed. */
export function useMcp(): ConnectionSnapshot;
/**
 * A connection to an MCP server: made once for all components that name the same address and options, however
 * often they are mounted, and closed when none has used it for `linger` ms (10,000) and no call is under way.
 *
 * Functions among the options may be new ones each time; an object of a class has to be the same one, and
 * `oauth()` with the same options is the same, where its functions have the same text.
 */
export function useMcp(url: string | URL, options?: SharedOptions<ConnectOptions>): ConnectionSnapshot;
export function useMcp(
  ...given: [url?: string | URL, options?: SharedOptions<ConnectOptions>]
): ConnectionSnapshot {
  // Which of the two it is does not change between two draws of a component, as with any hook.
  const connection = given.length === 0 ? useProvided("useMcp") : useConnectionTo(given[0]!, given[1]);
  return useStore(connection, empty.connection);
}

/**
 * The same for Suspense: suspends until the client is there, and throws why it cannot be had to the nearest
 * error boundary. On a server it throws at once, so that the browser draws what is inside the Suspense.
 */
export function useSuspenseMcp(url: string | URL, options?: SharedOptions<ConnectOptions>): McpClient {
  const connection = useConnectionTo(url, options);
  const { client } = useStore(connection, empty.connection);
  if (client) return client;
  const error = connection.failure();
  if (error) throw error;
  if (typeof document === "undefined") {
    throw new HoldfastError({
      code: "host_unavailable", op: "useSuspenseMcp", message: "there is no page here: the browser connects",
      hint: "Put a <Suspense> around the component.",
    });
  }
  throw connection.ready();
}

/**
 * The server's tools; listed once for all components, and again when the server says that they have changed.
 */
export function useTools(client?: McpClient): ToolsSnapshot {
  return useOfClient("useTools", client, observeTools, empty.tools);
}

/**
 * The calls that there are: of this page, of earlier ones and of other tabs. A call that has ended stays in
 * the list until the app acknowledges it. Nothing of them is read by this: {@link useCall} does.
 */
export function useCalls(client?: McpClient): CallsSnapshot {
  return useOfClient("useCalls", client, observeCalls, empty.calls);
}

/** How {@link useCall} observes. */
export interface UseCallOptions extends ObserveOptions {
  /** Whose calls a key or an id is looked for in. Default: the provider's. */
  client?: McpClient | undefined;
}

/**
 * A call as it stands, drawn once per frame at most, and what can be done with it. A text is the `key` or the
 * `id` of a call, which is found whichever page has made it. To unmount cancels nothing.
 *
 * With `ack: "auto"` a call counts as acknowledged once a component that shows its outcome has been
 * committed.
 */
export function useCall<T = CallToolResult>(call: Call<T>, options?: UseCallOptions): CallSnapshot<T>;
export function useCall(keyOrId: string, options?: UseCallOptions): CallSnapshot;
export function useCall<T>(
  which: Call<T> | string, { client, ...options }: UseCallOptions = {},
): CallSnapshot<T> {
  const { events } = options;
  const found = useClient("useCall", client, typeof which !== "string");
  const store = useMemo(() => {
    const observe: ObserveOptions = { ...options };
    if (typeof which !== "string") return observeCall(which as Call<unknown> as Call, observe);
    return found && findCall(found, which, observe);
  }, [which, found, events]);
  const snapshot = useStore(store ?? noCall, empty.call);
  useEffect(() => store?.hand(snapshot), [store, snapshot]);
  return snapshot as CallSnapshot<unknown> as CallSnapshot<T>;
}

/**
 * Open elicitations of the clients whose handler is `elicit` of `holdfast/store`, which is exported here as
 * well.
 */
export function useElicitation(): readonly ServerElicitation[] {
  return useStore(elicitations, empty.elicitations);
}

/**
 * The client that was given to a hook, or the provider's; undefined while that connects. `needsNone`: it can
 * do without.
 */
function useClient(hook: string, client: McpClient | undefined, needsNone = false): McpClient | undefined {
  const provided = useProvided(hook, client !== undefined || needsNone);
  const own = useMemo(() => (client ? observeClient(client) : undefined), [client]);
  return useStore<ConnectionSnapshot>(own ?? provided, empty.connection).client;
}

/** The snapshot of a client's store; `none` while there is no client. */
function useOfClient<T>(
  hook: string, client: McpClient | undefined, observe: (client: McpClient) => Store<T>, none: T,
): T {
  const found = useClient(hook, client);
  const store = useMemo(() => (found ? observe(found) : constant(none)), [found, observe, none]);
  return useStore(store, none);
}

const noCall = constant<CallSnapshot>(empty.call);
