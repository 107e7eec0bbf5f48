// The nonces that servers want in the next proof of possession (RFC 9449 sections 8 and 9).

/** Which of two servers, that may be at one origin, a nonce is of. */
export type NonceRole = "authorization" | "resource";

/** Servers whose nonces are kept. */
const MAX_ORIGINS = 64;

/** The characters and length of a nonce: NQCHAR of RFC 9449 section 8.1, 1024 of them at most. */
const NONCE = /^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/;

/** The latest nonce of each server. Only in memory: the next refusal brings a new one. */
export class Nonces {
  readonly #latest = new Map<string, string>();

  get(role: NonceRole, url: string): string | undefined {
    return this.#latest.get(keyOf(role, url));
  }

  /**
   * Takes the nonce of an answer, and gives it where it is another one than its request was `sent` with: what
   * that is sent again with. What is the latest by now says nothing of that: of several requests that are
   * refused at once, each is given the same one, or one of its own, which no other proof can have.
   */
  note(role: NonceRole, url: string, headers: Headers, sent: string | undefined): string | undefined {
    const nonce = headers.get("dpop-nonce");
    const key = keyOf(role, url);
    if (nonce === null || !NONCE.test(nonce) || nonce === sent) return undefined;
    this.#latest.delete(key);
    this.#latest.set(key, nonce);
    for (const oldest of this.#latest.keys()) {
      if (this.#latest.size <= MAX_ORIGINS) break;
      this.#latest.delete(oldest);
    }
    return nonce;
  }
}

function keyOf(role: NonceRole, url: string): string {
  return `${role} ${new URL(url).origin}`;
}
