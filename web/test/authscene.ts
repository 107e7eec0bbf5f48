// A server, its authorization server, and a person in front of any number of tabs, for the tests of a
// sign-in.

import assert from "node:assert/strict";
import { oauthChallenge } from "../src/auth/challenge.js";
import type { FlowRecord } from "../src/auth/flow.js";
import { MemoryAuthStore } from "../src/auth/memorystore.js";
import type { SignInOptions } from "../src/auth/authorize.js";
import type { Interaction } from "../src/auth/interaction.js";
import { SignIn } from "../src/auth/signin.js";
import {
  AS_METADATA, ISSUER, json, KEY, Locks, METADATA, nothing, PRM_PATH, RESOURCE, type Rig, rig, type Routes,
  SERVER,
} from "./authrig.js";

export const redirectUrl = "https://app.example/callback";

/** A server, its authorization server, and a person in front of any number of tabs. */
export function scene(options: Partial<SignInOptions> = {}, change: Routes = {}) {
  let issued = 0;
  const forms: URLSearchParams[] = [];
  const routes: Routes = {
    [PRM_PATH]: () => json(RESOURCE),
    [AS_METADATA]: () => json(METADATA),
    [`POST ${ISSUER}/register`]: () => json({ client_id: "c" }, 201),
    [`POST ${ISSUER}/revoke`]: () => nothing(200),
    [`POST ${ISSUER}/token`]: ({ form }) => {
      forms.push(form);
      const n = ++issued;
      return json({
        access_token: `at${n}`, token_type: "Bearer", expires_in: 3600, refresh_token: `rt${n}`,
      });
    },
    ...change,
  };
  const shown: { address: string | Promise<string>; record: FlowRecord; close(): void }[] = [];
  const shares = { store: new MemoryAuthStore(), locks: new Locks() };
  const tabs: SignIn[] = [];
  let later = (): void => {};
  /** `leaves`: it is the page itself that goes. A function makes what shows it. */
  const tab = (blocked: boolean | "until asked" | "leaves" | ((hands: Rig) => Interaction) = false) => {
    const hands = rig(routes, shares);
    const own = typeof blocked === "function" ? blocked(hands) : undefined;
    const interaction: Interaction = {
      leaves: own?.leaves ?? blocked === "leaves",
      show(address, record, asked) {
        let close = (): void => {};
        const closed = new Promise<void>((resolve) => (close = resolve));
        shown.push({ address, record, close });
        if (own) return own.show(address, record, asked);
        return blocked === true || (blocked === "until asked" && !asked)
          ? { kind: "blocked", later: () => new Promise((resolve) => (later = resolve)) }
          : { kind: "waiting", closed };
      },
    };
    const signIn = new SignIn(hands, { url: SERVER, key: KEY }, { redirectUrl, ...options }, interaction);
    const states: string[] = [];
    signIn.onchange = () => void states.push(signIn.state);
    tabs.push(signIn);
    return { signIn, states, hands };
  };
  return {
    tab,
    shown,
    forms,
    /** Half an hour has passed, by the page's timers. */
    later: () => later(),
    /** Somebody signs in where the last window leads to; `by` is the tab that gets the answer. */
    async answer(by: SignIn, change: object = {}): Promise<void> {
      const { record } = shown.at(-1)!;
      await by.finish({ state: record.state, code: "code", iss: ISSUER, ...change });
      for (const other of tabs) if (other !== by) await other.reread();
    },
    check(): void {
      for (const { misplaced } of tabs) assert.equal(misplaced, 0);
    },
  };
}

/** What a server says no with. */
export const refusal = (status: number, token: string | undefined, field = "Bearer") => ({
  status, token, challenge: oauthChallenge(field), nonce: false,
});
