import { exclusively, lockNow } from "./lease.js";
import { lock } from "./locks.js";

/** How long a page waits for another one's first handshake, in ms, before it makes its own. */
const PATIENCE = 3_000;

/** The choice of the page that makes a session, among the pages of one server and user, for all of them. */
export class Handshakes {
  readonly #server: string;
  #release: (() => void) | undefined;

  constructor(server: string) {
    this.#server = server;
  }

  /**
   * Asks whether this page may make the first one before it knows that none is
   * stored: whoever reads the store while it may need not read it again.
   */
  async ask(): Promise<void> {
    this.#release = await lockNow(`connect.${this.#server}`);
  }

  /** True if this page may make the first session. */
  get mine(): boolean {
    return this.#release !== undefined;
  }

  /**
   * Waits until this page may make the first one, since none is stored: pages
   * that are opened at the same time share it. Not for long, since whoever makes
   * it may hang, or ask for a login.
   */
  async wait(): Promise<void> {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), PATIENCE);
    this.#release = await lock(`connect.${this.#server}`, patience.signal);
    clearTimeout(timer);
  }

  /** The session is made and stored, or will not be. */
  done(): void {
    this.#release?.();
    this.#release = undefined;
  }

  /** Makes one in the place of one that the server has forgotten, while no other page does. Whoever does may hang. */
  async alone(work: () => Promise<void>): Promise<void> {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), PATIENCE);
    try {
      await exclusively(`handshake.${this.#server}`, work, patience.signal);
    } finally {
      clearTimeout(timer);
    }
  }
}
