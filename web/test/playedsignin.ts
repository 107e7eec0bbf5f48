// A sign-in and a server that do what a test says, for the tests of what a client asks of its sign-in.

import type { ClientAuth } from "../src/auth/clientauth.js";
import { NO_TRIALS, type Refusal, type Trials } from "../src/auth/refusal.js";
import type { WatchedSignIn } from "../src/auth/authorization.js";
import type { HoldfastError } from "../src/base/errors.js";

export const URL_ = "https://mcp.example/mcp";

/** A sign-in that does what the test says, and notes what it is asked. */
export class PlayedSignIn {
  state: ClientAuth["state"] = "signed-out";
  token: string | undefined;
  /** Why no token can be had. */
  missing: HoldfastError | undefined;
  /** What a person was asked for in vain. */
  failure: HoldfastError | undefined;
  /** What a person does: undefined where nobody is there yet. */
  person: ((trials: Trials) => Promise<Trials>) | undefined;
  asked: Refusal[] = [];
  user: string | undefined;
  readonly listeners: Set<() => void> = new Set();

  get shared(): Promise<WatchedSignIn> {
    return Promise.resolve({
      auth: this as unknown as ClientAuth, attended: true, listeners: this.listeners,
    });
  }
  async headers(): Promise<unknown> {
    if (this.missing) throw this.missing;
    return this.token === undefined
      ? undefined
      : { token: this.token, principal: this.user, fields: [["authorization", `Bearer ${this.token}`]] };
  }
  noted(): undefined {
  }
  async repaired(
    { status, headers }: Response, shown: { token?: string } | undefined, nonce: string | undefined,
  ): Promise<unknown> {
    if (status !== 401 && status !== 403) return undefined;
    if (headers.get("www-authenticate") === "refresh") {
      this.token = "refreshed";
      return { kind: "retry", trials: { ...NO_TRIALS, refreshes: 1 } };
    }
    return {
      kind: "more",
      refusal: { status, challenge: undefined, token: shown?.token, nonce: nonce !== undefined },
    };
  }
  async refused(refusal: Refusal, trials: Trials = NO_TRIALS): Promise<Trials> {
    this.asked.push(refusal);
    return this.person!({ ...trials, signIns: trials.signIns + 1 });
  }
  async principal(): Promise<string | undefined> {
    return this.user;
  }
  /** Somebody signs in. */
  signedIn(user: string): void {
    [this.state, this.token, this.user] = ["signed-in", `at-${user}`, user];
    for (const listener of [...this.listeners]) listener();
  }
}

/** Answers requests one after the other, and notes what they carried. */
export function server(...answers: Response[]): { sent: (string | null)[] } {
  const sent: (string | null)[] = [];
  globalThis.fetch = (async (request: Request) => {
    sent.push(request.headers.get("authorization"));
    return answers.shift()!;
  }) as typeof fetch;
  return { sent };
}

export const leave = (fields: readonly [string, string][]): Promise<Response> => fetch(
  new Request(URL_, { method: "POST", headers: fields.map(([...pair]) => pair) }),
);
export const refusal = (status = 401, more = ""): Response => new Response(null, {
  status, headers: { "www-authenticate": more },
});
