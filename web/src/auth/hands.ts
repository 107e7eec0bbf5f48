// The world, as far as a sign-in needs it. All of it is injected, so that a sign-in runs in a page, in a
// worker and in a test.

import type { Nonces } from "./nonces.js";

/** A value of the store, and the version that the next write has to name. */
export interface Versioned<T> {
  readonly value: T;
  readonly version: number;
}

/**
 * Where flows, registrations and grants are kept. Values are plain data, and keys of
 * WebCrypto: what IndexedDB can clone. It is its business to seal them.
 */
export interface AuthStore {
  /** The value under a key; undefined for none. */
  get<T>(key: string): Promise<Versioned<T> | undefined>;
  /**
   * Writes a value, or deletes it where it is undefined, if what is there has that
   * version; 0 stands for nothing. Resolves once it is durable, with false where
   * somebody else has written meanwhile.
   */
  set(key: string, version: number, value: unknown): Promise<boolean>;
  /** The keys that begin so. */
  keys(prefix: string): Promise<string[]>;
  /** True if grants are this page's or worker's alone: no other can use them, or delete them. */
  readonly alone?: boolean;
}

/** Runs work while nobody else, in any tab or worker of the origin, runs under that name. */
export interface AuthLocks {
  /**
   * `alone`: nobody else does. False where there are no locks, and where `patience` was aborted before the
   * lock was had: then it runs all the same.
   */
  run<T>(name: string, work: (alone: boolean) => Promise<T>, patience: AbortSignal): Promise<T>;
}

/** The hands of the sign-in. */
export interface Hands {
  /** Sends a request. An app's own, where it gives one. */
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** The address to read metadata from, where an app reads it through a proxy of its own. */
  proxied?(url: string): string;
  /** The wall clock, in ms since 1970. */
  now(): number;
  /** Runs something later, unless the function that it returns is called first. */
  after(ms: number, run: () => void): () => void;
  /** Unguessable bytes. */
  random(bytes: number): Uint8Array<ArrayBuffer>;
  /**
   * The digest of these parts, for places where nobody may read them, such as a key: 64 hex digits where
   * there is a cipher.
   */
  digest(parts: readonly string[]): Promise<string>;
  /** The marks of the logouts that hold for this sign-in now; empty for none. */
  marks(): Promise<string>;
  /** Marks the logout of this sign-in; `every`: of its user at that server, whatever the client. */
  markLogout(every: boolean): Promise<void>;
  /** Undefined on plain http, where nobody can sign in. */
  readonly subtle: SubtleCrypto | undefined;
  readonly store: AuthStore;
  readonly locks: AuthLocks;
  readonly nonces: Nonces;
}
