import type { Reason } from "./authorize.js";
import type { Wish } from "./epochs.js";
import type { AuthFailure } from "./failure.js";
import type { Grant } from "./grants.js";

/** A request for a person to sign in. */
export interface Pending extends Reason {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: AuthFailure) => void;
  wish?: Wish | undefined;
  /** The flow's, once it has begun. */
  state?: string;
  window?: string | undefined;
  /** Its answer is here, and is being taken. */
  taken?: Promise<Grant>;
  /** The app has asked for it itself. */
  asked: boolean;
  /** Opens the window that the browser has blocked so far. */
  open?: () => void;
  /** The flow that is kept for whoever comes late. */
  kept?: string;
}
