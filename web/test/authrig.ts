// Hands for the tests of signing in: a clock that stands still, a network that is a table.

import type { AuthLocks, AuthStore, Hands } from "../src/auth/hands.js";
import { MemoryAuthStore } from "../src/auth/memorystore.js";
import { Nonces } from "../src/auth/nonces.js";
import { AuthFailure } from "../src/auth/failure.js";
import { signInKey } from "../src/auth/opensignin.js";
import { digest } from "../src/storage/digest.js";

/** A request that was sent. */
export interface Sent {
  /** Such as "GET https://as.example/token". */
  line: string;
  init: RequestInit;
  headers: Headers;
  /** The body, if it is a form. */
  form: URLSearchParams;
}

/** What a route answers; an error is what fetch rejects with. */
export type Reply = Response | Error | Promise<Response | Error>;
export type Routes = Record<string, (sent: Sent) => Reply>;

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(value), {
    status, headers: { "content-type": "application/json", ...headers },
  });
}

export function page(): Response {
  return new Response("<!doctype html><title>app</title>", {
    headers: { "content-type": "text/html; charset=utf-8" },
  });
}

export function nothing(status = 404): Response {
  return new Response("", { status });
}

/** What a browser says of an answer that its CORS rules hide. */
export function hidden(): TypeError {
  return new TypeError("Failed to fetch");
}

/** Locks of one process, for any number of hosts. */
export class Locks implements AuthLocks {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(name: string, work: (alone: boolean) => Promise<T>, patience: AbortSignal): Promise<T> {
    const before = this.#tails.get(name) ?? Promise.resolve();
    let release = (): void => {};
    const mine = new Promise<void>((resolve) => (release = resolve));
    this.#tails.set(name, before.then(() => mine));
    const late = new Promise<false>((resolve) => patience.addEventListener("abort", () => resolve(false)));
    const alone = await Promise.race([before.then(() => true), late]);
    if (!alone) release(); // it waits no more
    try {
      return await work(alone);
    } finally {
      release();
    }
  }
}

/** A browser without Web Locks. */
export const NO_LOCKS: AuthLocks = { run: (_, work) => work(false) };

export interface Rig extends Hands {
  sent: Sent[];
  lines(): string[];
  /** Lets time pass; what is due runs. */
  pass(ms: number): void;
}

/** A host. Several share what they are given. */
export function rig(
  routes: Routes,
  {
    store = new MemoryAuthStore() as AuthStore, locks = new Locks() as AuthLocks, start = 1_800_000_000_000,
  } = {},
): Rig {
  let time = start;
  const timers = new Set<{ at: number; run: () => void }>();
  const sent: Sent[] = [];
  return {
    store,
    locks,
    nonces: new Nonces(),
    digest,
    marks: () => Promise.resolve(""),
    markLogout: () => Promise.resolve(),
    subtle: crypto.subtle,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    now: () => time,
    after(ms, run) {
      const timer = { at: time + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async fetch(url, init) {
      const line = `${init.method ?? "GET"} ${url}`;
      const one = {
        line, init, headers: new Headers(init.headers),
        form: new URLSearchParams(typeof init.body === "string" ? init.body : ""),
      };
      if (init.mode === "no-cors") return new Response("");
      sent.push(one);
      const reply = await (routes[line] ?? (() => nothing()))(one);
      if (reply instanceof Error) throw reply;
      return reply;
    },
    sent,
    lines: () => sent.map(({ line }) => line),
    pass(ms) {
      time += ms;
      for (const timer of [...timers]) {
        if (timer.at > time || !timers.delete(timer)) continue;
        timer.run();
      }
    },
  };
}

/** What a promise fails with. */
export async function failureOf(promise: Promise<unknown>): Promise<AuthFailure> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof AuthFailure) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

/** The same of a function. */
export function thrown(run: () => unknown): AuthFailure {
  try {
    run();
  } catch (error) {
    if (error instanceof AuthFailure) return error;
    throw error;
  }
  throw new Error("it did not throw");
}

export const SERVER = "https://mcp.example/v1/mcp";
export const ISSUER = "https://as.example";

/** Metadata of an authorization server that has everything. */
export const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  registration_endpoint: `${ISSUER}/register`,
  revocation_endpoint: `${ISSUER}/revoke`,
  code_challenge_methods_supported: ["S256"],
  response_types_supported: ["code"],
  scopes_supported: ["files", "offline_access"],
  token_endpoint_auth_methods_supported: ["none"],
  dpop_signing_alg_values_supported: ["ES256"],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
};

/** Metadata of the server's. */
export const RESOURCE = { resource: SERVER, authorization_servers: [ISSUER], scopes_supported: ["files"] };

/** Where they are. */
export const PRM_PATH = "GET https://mcp.example/.well-known/oauth-protected-resource/v1/mcp";
export const PRM_ROOT = "GET https://mcp.example/.well-known/oauth-protected-resource";
export const AS_METADATA = `GET ${ISSUER}/.well-known/oauth-authorization-server`;

/** The sign-in there of an app that names neither its user nor its client, and what it writes of that. */
export const CLIENT = '["itself"]';
export const KEY: string = await signInKey({ digest }, { url: SERVER, client: CLIENT });
