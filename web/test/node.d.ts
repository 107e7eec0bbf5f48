// The little of Node's test runner that these tests use; @types/node would be
// a dependency for four functions.
declare module "node:test" {
  /** What a test is given. What it mocks is as it was once the test is over. */
  export interface TestContext {
    readonly mock: { method<T extends object>(object: T, name: keyof T, by: T[keyof T]): void };
  }
  export function test(name: string, run: (context: TestContext) => void | Promise<void>): void;
  /** `timeout` in ms: a wait that has no end fails the test, and not the run. */
  export function test(name: string, options: { timeout: number }, run: () => void | Promise<void>): void;
  export function afterEach(run: () => void): void;
  /** Timers that stand still until they are told to go on. */
  export const mock: {
    timers: {
      enable(options: { apis: ("setTimeout" | "setInterval")[] }): void;
      tick(ms: number): void;
      reset(): void
    },
  };
}
declare module "node:assert/strict" {
  interface Assert {
    equal(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    ok(value: unknown, message?: string): void;
    match(text: string, pattern: RegExp): void;
    rejects(promise: Promise<unknown>, check: RegExp | ((error: unknown) => boolean)): Promise<void>;
    throws(run: () => unknown, check: (error: unknown) => boolean, message?: string): void;
  }
  const assert: Assert;
  export default assert;
}
declare module "node:fs" {
  export function readFileSync(path: string, encoding: "utf8"): string;
  export function readFileSync(path: string): Uint8Array<ArrayBuffer>;
  export function readdirSync(path: string): string[];
}
declare module "node:module" {
  export function register(specifier: string): void;
}
declare module "node:events" {
  export function getEventListeners(target: EventTarget, name: string): unknown[];
}
declare module "node:v8" {
  export function setFlagsFromString(flags: string): void;
}
declare module "node:vm" {
  export function runInNewContext(code: string): unknown;
}
declare module "node:http" {
  interface Incoming {
    url: string;
    method: string;
    headers: Record<string, string | undefined>;
  }
  interface Outgoing {
    writeHead(status: number, headers?: Record<string, string>): this;
    end(body?: string): void;
  }
  interface Server {
    listen(port: number, host: string, listening: () => void): void;
    address(): { port: number };
    close(): void;
    unref(): void;
    closeAllConnections(): void;
  }
  export type Listener = (request: Incoming, response: Outgoing) => void;
  export function createServer(listener: Listener): Server;
}
/** An authorization server that others wrote (npm: oidc-provider). */
declare module "oidc-provider" {
  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): import("node:http").Listener;
    on(event: string, listener: (...args: unknown[]) => void): void;
  }
}
