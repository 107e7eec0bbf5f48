import { HoldfastError } from "../base/errors.js";
import type { Open } from "../base/mcp.js";

/** A call as far as its key goes. */
interface KeyedCall {
  readonly key: string | undefined;
  readonly method: string;
  /** The params of its request, as JSON. */
  readonly sent: string;
}

/**
 * The calls of a client by their keys, of which each names one. Whose a key is where other pages make calls
 * under it, the store decides (core/mcp/call_key.go).
 */
export class KeyedCalls<C extends KeyedCall> {
  readonly #calls = new Map<string, C>();

  /** The call that has the key. */
  under(key: string | undefined): C | undefined {
    return key === undefined ? undefined : this.#calls.get(key);
  }

  /** The call of that key, where it is that request: `sent` are its params, as JSON. */
  same(key: string | undefined, method: string, sent: string): C | undefined {
    const known = this.under(key);
    return known?.method === method && asked(known.sent) === asked(sent) ? known : undefined;
  }

  /** The same; throws `key_in_use` where another request has the key. */
  mine(key: string | undefined, method: string, sent: string): C | undefined {
    const same = this.same(key, method, sent);
    if (same || !this.under(key)) return same;
    throw inUse(method, "another call has this key");
  }

  /** Throws `key_in_use` where the store has brought a call since that has the key of this one. */
  check(call: C): void {
    if (call.key === undefined || this.under(call.key) === call) return;
    throw inUse(call.method, "a call that was stored has this key: ask for it again", true);
  }

  /** The call that has the key is this one. */
  set(call: C): void {
    if (call.key !== undefined) this.#calls.set(call.key, call);
  }

  /** The key of that call is another one's from here on. */
  free(call: C): void {
    if (call.key !== undefined && this.#calls.get(call.key) === call) this.#calls.delete(call.key);
  }

  clear(): void {
    this.#calls.clear();
  }
}

function inUse(op: string, message: string, retryable = false): HoldfastError {
  return new HoldfastError({ code: "key_in_use", op, message, retryable });
}

/**
 * What an app asks with a request. Whether the server may make a task of it is left out: that follows from
 * what the page knows of the tool, as core/mcp/call_key.go has it.
 */
function asked(sent: string): string {
  const { _meta, task, ...params } = JSON.parse(sent) as Open;
  return JSON.stringify(params);
}
